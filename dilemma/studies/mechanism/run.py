"""``mechanism run``: the suite on the model, a direction and a layer from one half, every table on the other."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict, Unpack

import numpy as np

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.findings import left_out_text
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
    which = "" if what == "run" else f" --what {what}"
    watcher.note(f"stored in {folder}; dilemma mechanism report {folder}{which} --html writes the page")
    return report


@contextmanager
def prepared(
    options: MechanismOptions, out: Path | None, *, resume: bool, watcher: Watcher, **memory: Unpack[Memory]
) -> Iterator[Prepared]:
    """Model open, suite run, directions fitted and saved. Arguments as for ``run_mechanism``.

    Until the model is open nothing of the options is stored, so that one that cannot be opened leaves no folder that
    only the same options could use.
    """
    folder = out or default_folder(options)
    with ExitStack() as held:
        place, found = find_place(options.name.removeprefix("hf/")), checked(options)
        held.enter_context(_claimed(folder, options, resume=resume))
        watcher.note(f"opening {options.name}")
        lab = Lab.open(options.name, dtype=options.dtype, notify=watcher.note, **memory)
        _bind(folder, options)
        done = transferred(lab, found, options, folder, watcher)
        handed = hand_over(done.suite, done.observed, lab.loaded, native=takes_tools(lab, options), cut=done.cut)
        if handed.left_out:
            watcher.note(left_out_text(handed.left_out, len(handed.cases) + handed.left_out))
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
    found = {name: fitted.directions[name] for name in DIRECTIONS}
    missing = {f"no {name}": one.why for name, one in found.items() if not one.exists}
    arrays = {name: one.mean.astype(np.float32) for name, one in found.items() if one.exists}
    save_arrays(folder / DIRECTIONS_FILE, arrays, {**about, **missing})


@contextmanager
def _claimed(folder: Path, options: MechanismOptions, *, resume: bool) -> Iterator[None]:
    """The folder, held by this run alone; where it was begun before, with the same options."""
    said = folder / SETTINGS
    if said.exists() and not resume:
        raise StudyError(f"{folder} holds a run: add --resume to go on with it, or choose another --out")
    if resume and not said.exists():
        raise StudyError(f"{folder} holds no run to resume")
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    try:
        with claimed(folder / "run", folder.name):
            if said.exists():
                _check_same(said, options)
            yield
    finally:
        if new:
            with suppress(OSError):  # only an empty folder goes: one in which nothing was begun
                folder.rmdir()


def _bind(folder: Path, options: MechanismOptions) -> None:
    """From here on the folder holds a run with these options."""
    if not (folder / SETTINGS).exists():
        write_whole(folder / SETTINGS, options.model_dump_json(indent=1) + "\n")


def _check_same(path: Path, options: MechanismOptions) -> None:
    """Raises ``StudyError`` where a run was begun with other options than tables and rule, which may change."""
    try:
        stored = MechanismOptions.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, InputError) as error:
        raise StudyError(
            f"{path} is broken or of an older form, so the run cannot go on: choose another --out"
        ) from error
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


def saved_report(folder: Path, what: str | None = None) -> MechanismReport:
    """Results in a run's folder.

    Args:
        folder: of the run.
        what: whose: ``run``, ``directions`` or ``sweep``. By default the first of these that is there.

    Raises:
        InputError: ``what`` is none of these.
        StudyError: there are none yet, or they cannot be read.
    """
    if what is not None and what not in RESULTS:
        raise InputError(f"--what {what}: there are {', '.join(RESULTS)}")
    names = [name for key, name in RESULTS.items() if what in (None, key)]
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        begun = (folder / SETTINGS).is_file()
        hint = f"it was begun and not finished: mechanism {what or 'run'} … --resume" if begun else "none ran"
        raise StudyError(f"{folder} holds no results{f' of {what}' if what else ''} ({hint})")
    try:
        return MechanismReport.model_validate_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise StudyError(f"{path} is broken or of an older form: make it anew with mechanism … --resume") from error
    except OSError as error:
        raise StudyError(f"{path} cannot be read: {error.strerror or error}") from error


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
