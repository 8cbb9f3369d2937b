"""Ids of episodes: stored studies are resumed by them, so they never change."""

from pathlib import Path

from transfer_study_models import caller

import dilemma
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.records import BASELINE, Cell, episode_id
from refusal_transfer import load_suite, transfer_cell
from trajectories import open_store


def test_an_id_is_what_it_was_when_studies_were_stored_under_it() -> None:
    cell = Cell(agent="m", environment="rules", levels=dict(BASELINE))
    assert episode_id("s", cell, "core", 0) == "5ff62e4326a2e56c"
    assert episode_id("s", transfer_cell("m", "chat", "neutral"), "case", 0) == "39bbe44c33729dad"


async def test_both_instruments_store_under_it(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/d.db"
    await dilemma.simulate("scripted/robust", domain="finance", turns=2, study="episodes", store=store)
    await transfer(caller(), suite=load_suite(), sample=1, arms="chat", systems="neutral", study="arms", store=store)
    async with open_store(store, read_only=True) as opened:
        for study in ("episodes", "arms"):
            found = [trajectory async for trajectory in opened.trajectories(study)]
            assert found
            assert all(t.episode_id == episode_id(study, t.cell, t.case, t.repeat) for t in found)
