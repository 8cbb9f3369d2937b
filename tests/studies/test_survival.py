"""A study that is killed at any instant goes on as if nothing had happened."""

from pathlib import Path

import pytest
from killed_studies import dies_and_goes_on, start
from study_agents import run_mortal

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:multiprocessing")


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unkilled")
    assert start(run_mortal, folder) == 0
    return folder


@pytest.mark.parametrize("dies_at", [1, 2, 7, 15, 23])
def test_a_killed_study_resumes_to_the_same_bytes(dies_at: int, unkilled: Path, tmp_path: Path) -> None:
    dies_and_goes_on(run_mortal, dies_at, tmp_path, unkilled, concurrency=4)


def test_a_resumed_finished_study_asks_nothing(unkilled: Path) -> None:
    asked = (unkilled / "asked.txt").read_text()
    assert start(run_mortal, unkilled) == 0
    assert (unkilled / "asked.txt").read_text() == asked
