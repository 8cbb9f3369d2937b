"""Where a generation's scenarios go: a pack of their own, or one that is there already.

Beside the manifest a pack keeps ``generations.json``: what was asked, and the report, once for each finished
generation. It is written last, so that a folder without it is unfinished, and asking again for what it names changes
nothing. Neither file holds a clock, a path or a machine's name.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from dilemma_kernel.errors import InputError, ScenarioError
from dilemma_kernel.records import Scenario, content_hash
from scenario_factory.packs import MANIFEST, Manifest, Pack, load_pack
from scenario_factory.reporting import GenerationReport, GenerationSettings
from scenario_factory.yaml_writing import dump_scenario, dump_yaml

GENERATIONS = "generations.json"
LICENCE = "Apache-2.0"
UNFINISHED = "unfinished"
"""Holds the id of the generation that is being written, until it is."""


def default_folder(settings: GenerationSettings) -> Path:
    """``scenarios/DOMAIN-SEED``, below the working folder."""
    return Path("scenarios") / f"{settings.domain}-{settings.seed}"


def finished_report(settings: GenerationSettings, folder: Path) -> GenerationReport | None:
    """The report of this very generation, where ``folder`` holds it finished; None where it does not.

    Raises:
        ScenarioError: the folder's list of generations cannot be read.
    """
    held = _generations(folder).get(settings.id)
    if held is None:
        return None
    return held.model_copy(update={"pack": str(folder)})


def known_scenarios(settings: GenerationSettings, folder: Path, *, into: bool) -> tuple[Scenario, ...]:
    """The scenarios that are in ``folder`` already.

    Args:
        settings: what is to be generated.
        folder: where it goes.
        into: whether the folder is a pack that is added to.

    Raises:
        ScenarioError: there is no pack to add to, or it does not load.
        InputError: the folder was not to be added to, and holds something else.
    """
    if into:
        return load_pack(folder).scenarios
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: expected a folder")
    if (folder / MANIFEST).exists() and _begun(folder) != settings.id:
        raise InputError(f"{folder} holds another pack: give another --out, or --into {folder} to add to it")
    if any(folder.glob("*.y*ml")) and _begun(folder) != settings.id:
        raise InputError(f"{folder} holds YAML files of something else: give another --out")
    return ()


def write_generation(
    report: GenerationReport, scenarios: Sequence[Scenario], folder: Path, *, into: bool
) -> GenerationReport:
    """Write what was accepted into ``folder``; the report, with the pack's place and hash.

    Nothing is written where nothing was accepted. Each file appears whole or not at all, the list of generations last.

    Args:
        report: of the generation.
        scenarios: what it accepted.
        folder: where they go.
        into: whether the folder is a pack that is added to.

    Raises:
        InputError: the folder cannot be written.
    """
    if not scenarios:
        return report
    try:
        manifest = _manifest(folder, report.settings, into=into)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / UNFINISHED).write_text(report.settings.id, encoding="utf-8")
        for scenario in scenarios:
            _put(
                folder / f"{scenario.name}.yaml", dump_scenario(scenario, (manifest.canary,) if manifest.canary else ())
            )
        if not into:
            _put(folder / MANIFEST, dump_yaml(manifest.model_dump(mode="json")))
        pack = load_pack(folder)
        done = report.model_copy(update={"pack_hash": pack.hash})
        _put(folder / GENERATIONS, _listed({**_generations(folder), report.settings.id: done}))
        (folder / UNFINISHED).unlink()
    except OSError as error:
        raise InputError(f"{folder}: expected a folder that can be written: {error.strerror}") from None
    return done.model_copy(update={"pack": str(folder)})


def _manifest(folder: Path, settings: GenerationSettings, *, into: bool) -> Manifest:
    """The pack's own, or that of the new pack. Its canary follows from the settings alone."""
    if into:
        pack: Pack = load_pack(folder)
        return Manifest(**{name: getattr(pack, name) for name in Manifest.model_fields})
    name = f"{settings.domain}-{settings.seed}"
    digits = content_hash(["canary", settings.id], 32)
    mark = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    pressure = settings.pressure or "both pressures"
    return Manifest(
        name=name,
        version="1.0.0",
        licence=LICENCE,
        canary=f"dilemma-{name} canary {mark}",
        description=f"{settings.domain}, {pressure}: written by {settings.writer}, judged by {settings.discriminator}.",
    )


def _generations(folder: Path) -> dict[str, GenerationReport]:
    """Finished generations by id, in the order in which they came."""
    file = folder / GENERATIONS
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        return {name: GenerationReport.model_validate(report) for name, report in held.items()}
    except FileNotFoundError:
        return {}
    except NotADirectoryError:
        return {}
    except (OSError, ValueError, AttributeError) as error:
        raise ScenarioError(f"{file}: cannot be read: {' '.join(str(error).split())[:160]}") from None


def _begun(folder: Path) -> str:
    """Id of the generation whose writing was cut off in ``folder``; empty where there is none."""
    try:
        return (folder / UNFINISHED).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _listed(generations: dict[str, GenerationReport]) -> str:
    plain = {name: report.model_dump(mode="json") | {"pack": ""} for name, report in generations.items()}
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


def _put(file: Path, text: str) -> None:
    """Write ``text`` so that ``file`` is there whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, file)
