"""A study that is killed at any instant goes on as if nothing had happened."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from dilemma.studies.exporting import export_study
from trajectories import open_store

SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
import dilemma
from study_agents import mortal_mover
folder, dies_at = Path(sys.argv[1]), int(sys.argv[2])
agent = mortal_mover(folder / "asked.txt", dies_at or None)
dilemma.run(agent, "rules", domain=["coding", "legal"], turns=4, episodes=3, study="s", concurrency=4,
            store=f"sqlite:///{{folder}}/d.db", resume=(folder / "d.db").exists())
"""


def start(folder: Path, dies_at: int) -> int:
    script = SCRIPT.format(path=[entry for entry in sys.path if entry])
    return subprocess.run([sys.executable, "-c", script, str(folder), str(dies_at)], timeout=120).returncode


def exported(folder: Path) -> dict[str, bytes]:
    out = folder / "out"
    export_study("s", f"sqlite:///{folder}/d.db", "jsonl", out)
    return {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.name != "timing.jsonl"}


async def stored_contexts(folder: Path) -> set[str]:
    async with open_store(f"sqlite:///{folder}/d.db", read_only=True) as store:
        return {call.request.context.model_dump_json() async for call in store.calls("s") if call.request.context}


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unkilled")
    assert start(folder, 0) == 0
    return folder


@pytest.mark.parametrize("dies_at", [1, 2, 7, 15, 23])
def test_a_killed_study_resumes_to_the_same_bytes(dies_at: int, unkilled: Path, tmp_path: Path) -> None:
    assert start(tmp_path, dies_at) == -9
    stored = asyncio.run(stored_contexts(tmp_path))
    before = (tmp_path / "asked.txt").read_text().splitlines()
    assert len(before) == dies_at
    assert start(tmp_path, 0) == 0
    again = (tmp_path / "asked.txt").read_text().splitlines()[dies_at:]
    assert not stored & set(again), "a stored reply was asked for again"
    assert len(before) - len(stored) <= 4, "more was lost than the replies in flight"
    assert exported(tmp_path) == exported(unkilled)


def test_a_resumed_finished_study_asks_nothing(unkilled: Path) -> None:
    asked = (unkilled / "asked.txt").read_text()
    assert start(unkilled, 0) == 0
    assert (unkilled / "asked.txt").read_text() == asked
