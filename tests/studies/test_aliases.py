"""An alias of a scripted agent is treated as the agent itself."""

from pathlib import Path

import pytest

import dilemma
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.records import StudyRecord
from refusal_transfer import load_suite
from trajectories import open_store


@pytest.fixture(autouse=True)
def _aliases(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "dilemma.toml").write_text(
        '[models]\nschemer = {model = "scripted/strategic"}\nplanted = {model = "scripted/transfer?refusal=1"}\n'
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


async def record_of(study: str) -> StudyRecord:
    async with open_store("d.db", read_only=True) as store:
        record = await store.study(study)
    assert record is not None
    return record


async def test_it_acts_in_rules_where_no_environment_is_named() -> None:
    study = await dilemma.simulate("schemer", domain="finance", turns=4, study="s", store="d.db")
    record = await record_of("s")
    assert {(cell.agent, cell.environment) for cell in record.cells} == {("schemer", "rules")}
    assert record.identities == {"schemer": "scripted/strategic"}
    assert study.report().total.labels["strategic"] == 2
    again = await dilemma.simulate("schemer", study="s", store="d.db", resume=True)
    assert again.report().total.n.measured == 2


async def test_its_episodes_are_known_by_the_alias(tmp_path: Path) -> None:
    """An arm that was stored under the name behind the alias was run again by each resume."""
    options = {"sample": 1, "arms": "chat", "systems": "neutral", "store": "d.db", "study": "t"}
    await transfer("planted", suite=load_suite(), **options)  # type: ignore[arg-type]
    record = await record_of("t")
    async with open_store("d.db", read_only=True) as store:
        kept = [trajectory async for trajectory in store.trajectories("t")]
    assert {t.cell.key for t in kept} == {cell.key for cell in record.cells}
