"""A study stops at the call that would pass its budget, resumes with a larger one, and shows what holds it up."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from loopback_server import Answer, LoopbackServer, Received, completion, status
from provider_kills import STUDY, Killer
from provider_studies import RUN, dilemma, environ, exported, played, settle

import dilemma as api
from dilemma_kernel.errors import BudgetExhausted
from trajectories import open_store

ARGUMENTS = ["simulate", "--agent", "gpt-x", "--environment", "rules", "--domain", "legal", "--study", "s"]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_calls_stop_at_the_bound_and_go_on_under_a_larger_one(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        stopped = dilemma(tmp_path, *ARGUMENTS, "--max-calls", "3")
        assert server.count == 3
        assert stopped.returncode == 3
        assert stopped.stderr.strip().splitlines()[-1].startswith("dilemma: the next call would pass the budget")
        api.run("gpt-x", study="s", store="dilemma.db", max_calls=1000, resume=True)
        whole = server.count
        api.run("gpt-x", "rules", domain="legal", study="s", store="unstopped.db")
        assert server.count == 2 * whole, "a reply was paid for twice"
    assert exported(tmp_path, "s") == exported(tmp_path, "s", "unstopped.db")


async def test_failed_requests_of_an_earlier_run_count_once_each(tmp_path: Path) -> None:
    options = {"domain": "legal", "study": "s", "store": "d.db"}
    with LoopbackServer(status(400)) as server:
        settle(tmp_path, server.url)
        await api.simulate("gpt-x", "rules", **options)
        assert server.count == 2, "each of two episodes crashes at its first request"
        with pytest.raises(BudgetExhausted):
            await api.simulate("gpt-x", **options, max_calls=3, resume=True, retry_crashed=True)
        assert server.count == 3
        with pytest.raises(BudgetExhausted):
            await api.simulate("gpt-x", **options, max_calls=3, resume=True, retry_crashed=True)
        assert server.count == 3
    async with open_store("d.db", read_only=True) as store:
        assert (await store.spent("s")).attempts == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning:multiprocessing")
@pytest.mark.parametrize("processes", [1, 2])
async def test_requests_in_flight_when_a_study_is_killed_count(processes: int, tmp_path: Path) -> None:
    killer = Killer(12)
    with LoopbackServer(killer) as server:
        settle(tmp_path, server.url)
        assert killer.run(tmp_path, max_calls=20, processes=processes) == -9
        async with open_store("d.db", read_only=True) as store:
            assert (await store.spent("s")).attempts >= 12
        with pytest.raises(BudgetExhausted):
            await api.simulate(**STUDY, resume=True, max_calls=20)
        assert 20 - STUDY["concurrency"] <= server.count <= 20


@pytest.mark.parametrize("processes", [1, 2])
async def test_every_attempt_counts_over_all_processes(processes: int, tmp_path: Path) -> None:
    def every_other(received: Received) -> Answer:
        return status(503) if received.number % 2 else played(received)

    with LoopbackServer(every_other) as server:
        settle(tmp_path, server.url)
        with pytest.raises(BudgetExhausted):
            await api.simulate("gpt-x", "rules", domain="coding", processes=processes, max_calls=5)
        assert server.count == 5


async def test_dollars_are_never_passed(tmp_path: Path) -> None:
    def costly(received: Received) -> Answer:
        usage = {"prompt_tokens": 500, "completion_tokens": 500, "total_tokens": 1000}
        return completion(**{**json.loads(played(received).body), "usage": usage})

    with LoopbackServer(costly) as server:
        settle(tmp_path, server.url, input_price=1000.0, output_price=1000.0)
        with pytest.raises(BudgetExhausted):
            await api.simulate("gpt-x", domain="legal", study="s", budget=8.0, store="d.db")
        assert server.count > 0
    async with open_store("d.db", read_only=True) as store:
        spent = await store.spent("s")
    assert 0 < spent.cost <= 8.0
    assert spent.attempts == server.count


def test_a_hundred_calls_under_heavy_429_show_what_holds_them_up(tmp_path: Path) -> None:
    def heavy(received: Received) -> Answer:
        return status(429, retry_after="0.3") if received.number % 3 == 0 else played(received).after(0.02)

    with LoopbackServer(heavy) as server:
        settle(tmp_path, server.url)
        shown, code = on_a_terminal(
            tmp_path, "simulate", "--agent", "gpt-x", "--domain", "coding", "--domain", "finance", "--episodes", "4"
        )
        assert server.count > 100
    assert code == 0, shown
    assert re.search(r"\d+ of \d+ in flight, \d+ retries, \d+ s waited", shown)
    assert re.search(r"first result after \d+\.\d s", shown)
    end = re.search(
        r"gpt-x: ([\d,]+) replies to ([\d,]+) requests, ([\d,]+) retries \(\3 times 429\), .* s of waiting, \$", shown
    )
    assert end, shown[-500:]
    replies, requests, retries = (int(number.replace(",", "")) for number in end.groups())
    assert requests == replies + retries == server.count


def on_a_terminal(folder: Path, *arguments: str) -> tuple[str, int]:
    """What a person sees of a command, without colours, and its exit code."""
    ours, theirs = pty.openpty()
    env = environ(folder, TERM="xterm", COLUMNS="200", LINES="50")
    process = subprocess.Popen([*RUN, *arguments], cwd=folder, env=env, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace")), process.wait(60)
