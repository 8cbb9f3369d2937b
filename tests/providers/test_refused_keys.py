"""A key that a provider refuses stops the study at once: one line, and everything until then stays."""

from pathlib import Path
from typing import Any

import pytest
from loopback_server import Answer, LoopbackServer, Received, status
from provider_studies import dilemma, exported, played, settle

import dilemma as api
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.errors import KeyRefused
from trajectories import open_store

STUDY = ["simulate", "--agent", "gpt-x", "--environment", "rules", "--domain", "legal", "--episodes", "3"]
RIGHT, WRONG = "right-key-0123", "wrong-key-0123"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def locked(received: Received) -> Answer:
    """Plays for the right key alone."""
    if received.headers["authorization"] == f"Bearer {RIGHT}":
        return played(received)
    return status(401, message="Incorrect API key provided")


@pytest.mark.parametrize("processes", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_one_line_says_whose_key_and_where_it_is_read(processes: str, tmp_path: Path) -> None:
    options = ["--study", "s", "--concurrency", "1", "--processes", processes]
    with LoopbackServer(locked) as server:
        settle(tmp_path, server.url, api_key_env="TEAM_KEY")
        stopped = dilemma(tmp_path, *STUDY, *options, TEAM_KEY=WRONG)
        assert server.count <= int(processes), "a refused key was sent again"
        assert stopped.returncode == 2
        (line,) = [line for line in stopped.stderr.splitlines() if line.startswith("dilemma: ")]
        for words in ("gpt-x", "Incorrect API key", "set TEAM_KEY", "--study s --resume"):
            assert words in line
        assert "Traceback" not in stopped.stderr
        went_on = dilemma(tmp_path, "simulate", "--study", "s", "--resume", TEAM_KEY=RIGHT)
        assert went_on.returncode == 0, went_on.stderr
        dilemma(tmp_path, *STUDY, "--study", "s", "--store", "whole.db", TEAM_KEY=RIGHT)
    assert exported(tmp_path, "s") == exported(tmp_path, "s", "whole.db")


async def test_what_was_finished_before_stays(tmp_path: Path) -> None:
    def withdrawn(received: Received) -> Answer:
        return status(403, message="this key was withdrawn") if received.number > 8 else played(received)

    options: dict[str, Any] = {"domain": "legal", "episodes": 3, "turns": 3, "concurrency": 1, "study": "s"}
    with LoopbackServer(withdrawn) as server:
        settle(tmp_path, server.url)
        with pytest.raises(KeyRefused, match="withdrawn"):
            await api.simulate("gpt-x", "rules", **options, store="d.db")
        assert server.count == 9
    async with open_store("d.db", read_only=True) as store:
        ends = [ended for _, ended in (await store.finished("s")).values()]
        kept = [call async for call in store.calls("s")]
    assert ends
    assert "crashed" not in ends
    assert len(kept) == 8


async def test_refusal_transfer_stops_too(tmp_path: Path) -> None:
    with LoopbackServer(status(401)) as server:
        settle(tmp_path, server.url)
        with pytest.raises(KeyRefused, match="--study s --resume"):
            await transfer("gpt-x", study="s", sample=1, systems="neutral", arms="chat", concurrency=1, store="d.db")
        assert server.count == 1
    async with open_store("d.db", read_only=True) as store:
        assert not await store.finished("s")
