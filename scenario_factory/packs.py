"""Packs: scenarios gathered under a manifest. Shipped ones by name, any other by its path."""

import difflib
from collections.abc import Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Record, Scenario, content_hash
from scenario_factory.yaml_reading import MAX_BYTES, parse_yaml, quoted, read_record
from scenario_factory.yaml_writing import dump_scenario, dump_yaml

SHIPPED = ("starter",)
"""Packs that come with the software."""
MANIFEST = "manifest.yaml"


class Manifest(Record):
    """What a pack says of itself, in ``manifest.yaml``."""

    name: str
    version: str
    licence: str
    """SPDX expression."""
    canary: str = ""
    """A string that marks the pack's text in training data. It stands as a comment in every file."""
    description: str = ""


class Pack(Record):
    """Scenarios that belong together, in the order of their names."""

    name: str
    version: str = ""
    hash: str
    """Of manifest and scenarios as records: no file name, order, comment or layout enters it."""
    licence: str = ""
    canary: str = ""
    description: str = ""
    scenarios: tuple[Scenario, ...]


def load_scenario(path: str | Path) -> Scenario:
    """The scenario in the YAML file at ``path``.

    Raises:
        ScenarioError: one line that names the file, the line or the path in the file, and what was expected.
    """
    return _scenario(_read(Path(path), str(path)), str(path))


def load_pack(name_or_path: str | Path) -> Pack:
    """The pack of this name, or at this path.

    Args:
        name_or_path: a shipped pack's name (which wins over a folder of that name: write ``./starter``
            for the folder), a folder with ``manifest.yaml`` and a YAML file a scenario, or one scenario file.

    Raises:
        ScenarioError: there is no such pack, or something in it does not load.
    """
    name = str(name_or_path)
    if name in SHIPPED:
        return _folder(files("scenario_factory") / name, name)
    path = Path(name_or_path)
    if name and path.is_dir():
        return _folder(path, name)
    if name and path.is_file():
        scenario = load_scenario(path)
        return Pack(name=scenario.name, hash=_pack_hash(None, (scenario,)), scenarios=(scenario,))
    near = difflib.get_close_matches(name, SHIPPED, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ScenarioError(
        f"no pack {quoted(name)}: {hint}expected a shipped pack ({', '.join(SHIPPED)}), "
        "or the path of a pack folder or of a scenario file"
    )


def write_scenario(scenario: Scenario, path: Path, canary: str = "") -> None:
    """Write ``scenario`` to ``path`` as readable YAML, with ``canary`` as a comment at its head."""
    path.write_text(dump_scenario(scenario, (canary,) if canary else ()), encoding="utf-8", newline="\n")


def write_pack(manifest: Manifest, scenarios: Sequence[Scenario], folder: Path) -> None:
    """Write a pack that ``load_pack`` reads back: ``manifest.yaml`` and ``NAME.yaml`` for each scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    text = dump_yaml(manifest.model_dump(mode="json"))
    (folder / MANIFEST).write_text(text, encoding="utf-8", newline="\n")
    for scenario in scenarios:
        write_scenario(scenario, folder / f"{scenario.name}.yaml", manifest.canary)


def _folder(folder: Traversable, where: str) -> Pack:
    entries = {entry.name: entry for entry in folder.iterdir() if entry.name.endswith((".yaml", ".yml"))}
    if MANIFEST not in entries:
        raise ScenarioError(f"{where}: expected a file {MANIFEST} with {', '.join(Manifest.model_fields)}")
    place = f"{where}/{MANIFEST}"
    manifest = read_record(Manifest, parse_yaml(_read(entries.pop(MANIFEST), place), place), place)
    found: dict[str, tuple[str, Scenario]] = {}
    for entry in sorted(entries):
        place = f"{where}/{entry}"
        raw = _read(entries[entry], place)
        scenario = _scenario(raw, place)
        _check_canary(raw, manifest.canary, place)
        if scenario.name in found:
            raise ScenarioError(f"{place}: name: expected one of its own, {found[scenario.name][0]} has it too")
        found[scenario.name] = (entry, scenario)
    if not found:
        raise ScenarioError(f"{where}: expected at least one scenario file beside {MANIFEST}")
    scenarios = tuple(found[name][1] for name in sorted(found))
    return Pack(**manifest.model_dump(), hash=_pack_hash(manifest, scenarios), scenarios=scenarios)


def _scenario(raw: bytes, where: str) -> Scenario:
    return read_record(Scenario, parse_yaml(raw, where), where)


def _check_canary(raw: bytes, canary: str, where: str) -> None:
    lines = (line.strip() for line in raw.decode("utf-8-sig").splitlines())
    if canary and not any(line.startswith("#") and canary in line for line in lines):
        raise ScenarioError(f"{where}: expected the pack's canary in a comment line: # {canary}")


def _pack_hash(manifest: Manifest | None, scenarios: Sequence[Scenario]) -> str:
    contents = {scenario.name: scenario.model_dump(mode="json") for scenario in scenarios}
    return content_hash([manifest and manifest.model_dump(mode="json"), contents])


def _read(file: Traversable, where: str) -> bytes:
    """The bytes of ``file``, one more than allowed at most."""
    try:
        with file.open("rb") as stream:
            return bytes(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise ScenarioError(f"{where}: expected a readable file: {error.strerror}") from None
