"""Packs: by name, by path, whole or one file; hashed by content."""

import shutil
from pathlib import Path

import pytest

from dilemma_kernel.errors import ScenarioError
from scenario_factory import Manifest, load_pack, load_scenario, write_pack
from scenario_factory.packs import MANIFEST, SHIPPED

STARTER = Path(__file__).parents[2] / "scenario_factory" / "starter"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the starter pack that a test may spoil."""
    return Path(shutil.copytree(STARTER, tmp_path / "pack"))


def _scenario_file(folder: Path) -> Path:
    return next(path for path in sorted(folder.glob("*.yaml")) if path.name != MANIFEST)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_pack_loads_by_name(name: str) -> None:
    pack = load_pack(name)
    assert pack.name == name
    assert pack.scenarios


def test_a_folder_and_its_copy_are_the_same_pack(folder: Path) -> None:
    assert load_pack(folder) == load_pack(str(STARTER)) == load_pack("starter")


def test_the_hash_is_blind_to_layout_and_sees_content(folder: Path) -> None:
    before = load_pack(folder).hash
    file = _scenario_file(folder)
    text = file.read_text(encoding="utf-8")
    file.rename(folder / "zzz.yml")
    (folder / "zzz.yml").write_text("# a remark\n" + text.replace("\n", "\r\n"), encoding="utf-8", newline="")
    assert load_pack(folder).hash == before
    title = load_scenario(folder / "zzz.yml").title
    (folder / "zzz.yml").write_text(text.replace(f"title: {title}", "title: Another"), encoding="utf-8")
    assert load_pack(folder).hash != before


def test_the_manifest_enters_the_hash(folder: Path) -> None:
    before = load_pack(folder)
    manifest = folder / MANIFEST
    manifest.write_text(manifest.read_text().replace(f"version: {before.version}", "version: 9.9.9"))
    after = load_pack(folder)
    assert after.version == "9.9.9"
    assert after.hash != before.hash
    assert after.scenarios == before.scenarios


def test_one_file_is_a_pack_of_one() -> None:
    file = _scenario_file(STARTER)
    pack = load_pack(file)
    assert [pack.name] == [scenario.name for scenario in pack.scenarios]
    assert pack.scenarios == (load_scenario(file),)


def test_a_written_pack_is_read_back(tmp_path: Path) -> None:
    pack = load_pack("starter")
    manifest = Manifest(**pack.model_dump(include=set(Manifest.model_fields)))
    write_pack(manifest, pack.scenarios, tmp_path / "deep" / "pack")
    assert load_pack(tmp_path / "deep" / "pack") == pack


@pytest.mark.parametrize("name", ["starte", "no/such/pack", "no\nsuch", ""])
def test_a_missing_pack_says_what_there_is(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScenarioError) as caught:
        load_pack(name)
    message = str(caught.value)
    assert "starter" in message
    assert "\n" not in message
    assert ("did you mean" in message) == (name == "starte")


def test_a_folder_without_manifest(folder: Path) -> None:
    (folder / MANIFEST).unlink()
    with pytest.raises(ScenarioError, match=r"expected a file manifest\.yaml with name, version, licence"):
        load_pack(folder)


def test_a_manifest_without_scenarios(folder: Path) -> None:
    for file in folder.glob("*.yaml"):
        if file.name != MANIFEST:
            file.unlink()
    with pytest.raises(ScenarioError, match="expected at least one scenario file"):
        load_pack(folder)


def test_two_scenarios_of_one_name(folder: Path) -> None:
    file = _scenario_file(folder)
    shutil.copy(file, folder / "zzz.yaml")
    with pytest.raises(ScenarioError, match=rf"zzz\.yaml: name: expected one of its own, {file.name} has it too"):
        load_pack(folder)


def test_a_scenario_without_the_canary(folder: Path) -> None:
    file = _scenario_file(folder)
    file.write_text("\n".join(line for line in file.read_text().splitlines() if not line.startswith("#")))
    with pytest.raises(ScenarioError, match=rf"{file.name}: expected the pack's canary in a comment line"):
        load_pack(folder)
