"""What was acknowledged survives SIGKILL, and several processes share a store."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trajectories_child as child
from trajectories_records import reply, trajectory

from trajectories import export_jsonl, open_store

ROOT = Path(__file__).parents[2]
EPISODES = 24


@contextmanager
def filling(path: Path, study: str) -> Iterator[subprocess.Popen[str]]:
    script = ROOT / "tests" / "support" / "trajectories_child.py"
    command = [sys.executable, str(script), str(path), study, str(EPISODES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(ROOT)}) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until_killed(path: Path, study: str, after: int) -> list[str]:
    """What a process acknowledged until it was killed, at its ``after``-th line at the earliest."""
    with filling(path, study) as process:
        assert process.stdout
        seen = [next(process.stdout) for _ in range(after)]
        process.kill()
        return [line for line in (*seen, *process.stdout) if line.endswith("\n")]


async def exported(path: Path, study: str, out: Path) -> dict[str, bytes]:
    async with open_store(str(path), read_only=True) as store:
        await export_jsonl(store, study, out)
    return {file.name: file.read_bytes() for file in out.iterdir() if file.name != "timing.jsonl"}


async def test_five_kills_lose_nothing_and_export_the_same_bytes(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.db", tmp_path / "whole.db"
    acknowledged: list[str] = []
    for after in (1, 3, 10, 25, 40):
        acknowledged += await asyncio.to_thread(lines_until_killed, killed, "a-study", after)
        await _all_there(killed, acknowledged)
    assert len(set(acknowledged)) == len(acknowledged), "a stored reply or episode was asked for again"
    await child.fill(str(killed), "a-study", EPISODES)
    await child.fill(str(whole), "a-study", EPISODES)
    after_kills = await exported(killed, "a-study", tmp_path / "one")
    assert after_kills == await exported(whole, "a-study", tmp_path / "other")
    assert after_kills["trajectories.jsonl"].count(b"\n") == EPISODES


async def _all_there(path: Path, acknowledged: list[str]) -> None:
    async with open_store(str(path)) as store:
        log, finished = store.call_log("a-study"), await store.finished("a-study")
        for kind, name in map(str.split, acknowledged):
            if kind == "call":
                assert await log.get(name) == reply(name.replace("/", "."))
            else:
                assert name in finished
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


async def test_two_processes_write_while_a_third_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with filling(path, "one") as first, filling(path, "two") as second:
        assert first.stdout
        await asyncio.to_thread(first.stdout.readline)
        async with open_store(str(path), read_only=True) as store:
            while first.poll() is None or second.poll() is None:
                assert [t async for t in store.trajectories("one") if t != trajectory("one", t.case)] == []
            assert (first.returncode, second.returncode) == (0, 0)
            for study in ("one", "two"):
                assert len(await store.finished(study)) == EPISODES
                assert (await store.spent(study)).calls == EPISODES * child.TURNS


async def test_processes_that_make_a_store_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    studies = [f"study-{index}" for index in range(4)]
    processes = [filling(path, study) for study in studies]
    running = [process.__enter__() for process in processes]
    for process in running:
        await asyncio.to_thread(process.communicate)
    for process in processes:
        process.__exit__(None, None, None)
    assert [process.returncode for process in running] == [0] * len(studies)
    async with open_store(str(path), read_only=True) as store:
        assert [summary.episodes for summary in await store.studies()] == [EPISODES] * len(studies)
