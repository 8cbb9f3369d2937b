"""``mechanism run``: the suite on the model, a direction and a layer from one half, every table on the other."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import numpy as np

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.fitting import Fitted, fit
from dilemma.studies.mechanism.handing import Handed, hand_over
from dilemma.studies.mechanism.logs import AppendedLog
from dilemma.studies.mechanism.options import MechanismOptions
from dilemma.studies.mechanism.pictures import save_pictures
from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.mechanism.summing import build_report
from dilemma.studies.mechanism.transferring import Transferred, checked, takes_tools, transferred
from dilemma.studies.watching import Watcher
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.models.transformers import find_place
from dilemma_kernel.records import content_hash
from refusal_mechanism.directions import DIRECTIONS
from refusal_mechanism.files import save_arrays
from refusal_mechanism.lab import Lab
from trajectories.claiming import claimed

SETTINGS, DIRECTIONS_FILE = "settings.json", "directions.safetensors"
What = Literal["run", "directions", "sweep"]
RESULTS: Mapping[What, str] = {"run": "results.json", "directions": "directions.json", "sweep": "sweep.json"}
"""What was made -> where its results are kept, so that a sweep does not put away a run's tables."""


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A bench with everything that a table needs."""

    bench: Bench
    handed: Handed
    transferred: Transferred
    fitted: Fitted
    options: MechanismOptions
    folder: Path


class Memory(TypedDict, total=False):
    """Where a model lies and how much is done at once; it shapes no table. As for ``Lab.open``."""

    device_map: str | None
    max_batch_tokens: int | None


def run_mechanism(
    options: MechanismOptions,
    out: Path | None,
    *,
    resume: bool,
    watcher: Watcher,
    what: What = "run",
    **memory: Unpack[Memory],
) -> MechanismReport:
    """Make the tables, store them in ``out``, and return them.

    Args:
        options: what shapes the tables.
        out: folder of the run; by default one named after the model.
        resume: go on in a folder that holds a run with the same options.
        watcher: is told of progress.
        what: is made; it names the file of the results.
        memory: where the model lies and how much is done at once.

    Raises:
        InputError: something given cannot be used.
        StudyError: the folder holds another run, or one that ``resume`` was not said for.
    """
    with prepared(options, out, resume=resume, watcher=watcher, **memory) as ready:
        report = build_report(ready.bench, ready.fitted, ready.handed, ready.transferred, options)
        write_whole(ready.folder / RESULTS[what], report.model_dump_json(indent=1) + "\n")
        return report


def run_with_pictures(
    options: MechanismOptions,
    out: Path | None,
    *,
    resume: bool,
    watcher: Watcher,
    what: What = "run",
    **memory: Unpack[Memory],
) -> MechanismReport:
    """``run_mechanism``, with every picture in the run's folder ``figures``, or ``figures-sweep`` and the like."""
    folder = out or default_folder(options)
    report = run_mechanism(options, folder, resume=resume, watcher=watcher, what=what, **memory)
    save_pictures(report, folder / ("figures" if what == "run" else f"figures-{what}"))
    watcher.note(f"stored in {folder}; dilemma mechanism report {folder} --html writes the page")
    return report


@contextmanager
def prepared(
    options: MechanismOptions, out: Path | None, *, resume: bool, watcher: Watcher, **memory: Unpack[Memory]
) -> Iterator[Prepared]:
    """Model open, suite run, directions fitted and saved. Arguments as for ``run_mechanism``."""
    folder = out or default_folder(options)
    with ExitStack() as held:
        place, found = find_place(options.name.removeprefix("hf/")), checked(options)
        held.enter_context(_claimed(folder, options, resume=resume))
        watcher.note(f"opening {options.name}")
        lab = Lab.open(options.name, dtype=options.dtype, notify=watcher.note, **memory)
        done = transferred(lab, found, options, folder, watcher)
        handed = hand_over(done.suite, done.observed, lab.loaded, native=takes_tools(lab, options))
        if handed.left_out:
            watcher.note(f"{handed.left_out} triples have no reply in chat or under tools and are left out")
        bench = Bench(
            lab=lab,
            judge=handed.judge,
            unmodified=handed.unmodified,
            folder=folder,
            replies_log=held.enter_context(AppendedLog(folder / "replies.jsonl")),
            scores_log=held.enter_context(AppendedLog(folder / "scores.jsonl")),
            watcher=watcher,
            model=content_hash([place.fingerprint, str(lab.dtype)]),
            max_tokens=done.max_tokens,
        )
        fitted = fit(bench, handed.cases, options)
        _save_directions(folder, fitted, bench.model)
        yield Prepared(bench=bench, handed=handed, transferred=done, fitted=fitted, options=options, folder=folder)


def _save_directions(folder: Path, fitted: Fitted, model: str) -> None:
    about = {
        "model": model,
        "site": str(fitted.site),
        "rule": str(fitted.rule_used),
        "sites": "residual before block l",
    }
    arrays = {name: fitted.directions[name].mean.astype(np.float32) for name in DIRECTIONS}
    save_arrays(folder / DIRECTIONS_FILE, arrays, about)


@contextmanager
def _claimed(folder: Path, options: MechanismOptions, *, resume: bool) -> Iterator[None]:
    """The folder, held by this run alone, with the options that it was begun with."""
    said = folder / SETTINGS
    if said.exists() and not resume:
        raise StudyError(f"{folder} holds a run: add --resume to go on with it, or choose another --out")
    if resume and not said.exists():
        raise StudyError(f"{folder} holds no run to resume")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    with claimed(folder / "run", folder.name):
        if said.exists():
            _check_same(said, options)
        else:
            write_whole(said, options.model_dump_json(indent=1) + "\n")
        yield


def _check_same(path: Path, options: MechanismOptions) -> None:
    """Raises ``StudyError`` where a run was begun with other options than tables and rule, which may change."""
    stored = MechanismOptions.model_validate(json.loads(path.read_text(encoding="utf-8")))
    for name in MechanismOptions.model_fields:
        if name not in _FREE and getattr(stored, name) != getattr(options, name):
            raise StudyError(
                f"{path.parent} was begun with --{name.replace('_', '-')} {getattr(stored, name)}: say the same to "
                "resume it, or choose another --out"
            )


_FREE = frozenset(
    {"tables", "rule", "coefficients", "most_lost", "random_directions", "kl_prompts", "selection_prompts"}
)
"""Options that may differ when a run goes on: what they add is measured, what is stored stays."""


def saved_report(folder: Path) -> MechanismReport:
    """The results in a run's folder: those of ``run``, else of ``directions``, else of ``sweep``.

    Raises:
        StudyError: there are none yet, or they cannot be read.
    """
    path = next((folder / name for name in RESULTS.values() if (folder / name).is_file()), None)
    if path is None:
        hint = (
            "it was begun and not finished: mechanism run … --resume" if (folder / SETTINGS).is_file() else "none ran"
        )
        raise StudyError(f"{folder} holds no results ({hint})")
    try:
        return MechanismReport.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StudyError(f"{path} cannot be read: {' '.join(str(error).split())[:200]}") from error


def write_whole(path: Path, text: str) -> None:
    """Write a text whole or not at all; raises ``InputError`` where the place cannot be written."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


def default_folder(options: MechanismOptions) -> Path:
    """Where a run goes when nothing is said."""
    name = options.name.removeprefix("hf/").rstrip("/").rsplit("/", 1)[-1]
    plain = "".join(char if char.isalnum() or char in "._-" else "-" for char in name)[:60]
    return Path(f"mechanism-{plain or 'model'}")
