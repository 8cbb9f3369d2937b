"""Several processes for one study: what happens when one of them dies or fails, and what their counts add up to."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback_server import Answer, LoopbackServer, Received
from provider_studies import exported, played, settle

import dilemma
from dilemma.studies.crew import _end
from dilemma.studies.traffic import Traffic, limiter_state, summary, together
from dilemma_kernel.errors import DilemmaError, InputError

STUDY: dict[str, Any] = {"agent": "gpt-x", "domain": "legal", "turns": 3, "episodes": 2, "study": "s"}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def members() -> list[int]:
    """Processes of the crew of this one."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in children if b"crew_member" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_member_that_dies_takes_the_study_down_and_it_resumes(tmp_path: Path) -> None:
    def murderous(received: Received) -> Answer:
        if received.number == 5:
            os.kill(members()[0], signal.SIGKILL)
        return played(received)

    with LoopbackServer(murderous) as server:
        settle(tmp_path, server.url)
        with pytest.raises(DilemmaError, match="a process of this study died"):
            dilemma.run(**STUDY, store="d.db", processes=2)
        assert members() == [], "a member was left behind"
        dilemma.run(**STUDY, store="d.db", resume=True)
        dilemma.run(**STUDY, store="whole.db")
    assert exported(tmp_path, "s", "d.db") == exported(tmp_path, "s", "whole.db")


async def test_a_member_is_ended_to_the_end_though_another_fails_meanwhile() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import time; time.sleep(60)",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    ending = asyncio.create_task(_end(process))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert process.returncode == -signal.SIGKILL, "it was killed and nobody waited for it"


def test_an_error_of_a_member_comes_through_as_itself(tmp_path: Path) -> None:
    (tmp_path / "moody.py").write_text(MOODY)
    with pytest.raises(InputError, match="not today"):
        dilemma.run("scripted/robust", "python:moody:Moody", domain="legal", store="d.db", processes=2)


MOODY = """
import dilemma
from dilemma_kernel.errors import InputError


class Moody(dilemma.Environment):
    async def open(self, scenario, cell, seed):
        raise InputError("not today")
"""


def test_counts_add_up_over_processes() -> None:
    one, two = (
        Traffic(calls=2, attempts=3, retries=1, rate_limited=1, waited_s=0.5, cost=0.1),
        Traffic(calls=1, attempts=1),
    )
    summed = together([{"gpt-x": one}, {"gpt-x": two, "other": two}])
    assert summed == {"gpt-x": one + two, "other": two}
    assert (summed["gpt-x"].calls, summed["gpt-x"].attempts) == (3, 4)
    assert limiter_state(summed).startswith("gpt-x: 0 of 0 in flight, 1 retries")
    assert "other" not in limiter_state(summed)
    (line, _) = summary(summed)
    assert line == "gpt-x: 3 replies to 4 requests, 1 retries (1 times 429), 0.5 s of waiting, $0.1000"
    assert summary({"scripted/robust": one, "idle": Traffic()}) == []
