"""Group commit: what waits is committed together, and a bad row hurts only itself."""

import asyncio
import os
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event
from trajectories_records import judgement, reply, request, trajectory

from dilemma_kernel.errors import StoreError
from trajectories import Store, open_store
from trajectories.opening import Engines, open_engines
from trajectories.rows import Row, call_row
from trajectories.writer import Writer


@pytest.fixture
def engines(path: Path) -> Iterator[Engines]:
    opened = open_engines(path, read_only=False)
    yield opened
    opened.dispose()


@pytest.fixture
async def writer(engines: Engines, path: Path) -> AsyncIterator[Writer]:
    made = Writer(engines.write, path)
    yield made
    await asyncio.to_thread(made.close)


def call(key: str) -> tuple[str, Row]:
    return "calls", call_row("a-study", key, request(), reply(), "gpt-x")


def stored(engines: Engines) -> list[str]:
    with engines.read.connect() as connection:
        return list(connection.exec_driver_sql("SELECT key FROM calls ORDER BY key").scalars())


async def waiting_together(writer: Writer, *units: Any) -> list[Any]:
    """Add each unit while the writer is held up, so that they meet in one batch; what each caller got."""
    go = threading.Event()
    held = asyncio.create_task(writer.run(lambda connection: go.wait(10)))
    await asyncio.sleep(0)
    adding = [asyncio.create_task(writer.add(unit)) for unit in units]
    await asyncio.sleep(0)
    go.set()
    assert await held is True
    return await asyncio.gather(*adding, return_exceptions=True)


async def test_what_waits_is_one_commit(writer: Writer, engines: Engines) -> None:
    commits: list[Connection] = []
    assert engines.write
    event.listen(engines.write, "commit", commits.append)
    assert await waiting_together(writer, *([call(f"{n:02}")] for n in range(50))) == [True] * 50
    assert len(commits) == 2  # the one that held it up, and one for all that waited
    assert stored(engines) == [f"{n:02}" for n in range(50)]


@pytest.mark.parametrize("bad", [object(), "\ud800", 2**70, None])
async def test_a_bad_row_hurts_only_itself(writer: Writer, engines: Engines, bad: Any) -> None:
    spoilt = {**call("b")[1], "model": bad}
    first, second, third = await waiting_together(writer, [call("a")], [("calls", spoilt)], [call("c")])
    assert (first, third) == (True, True)
    assert isinstance(second, StoreError)
    assert "\n" not in str(second)
    assert stored(engines) == ["a", "c"]


async def test_one_bad_row_of_a_unit_spoils_the_unit(writer: Writer, engines: Engines) -> None:
    spoilt = {**call("b")[1], "model": None}
    with pytest.raises(StoreError, match="NOT NULL"):
        await writer.add([call("a"), ("calls", spoilt)])
    assert stored(engines) == []


async def test_a_key_that_is_there_keeps_its_row(store: Store) -> None:
    log = store.call_log("a-study")
    await log.put("k", request(), reply("first"), "gpt-x")
    await log.put("k", request(), reply("second"), "gpt-x")
    assert await log.get("k") == reply("first")
    before, after = trajectory(), trajectory(cost=99.0)
    await store.save(before, [judgement(before.episode_id, "direct")])
    await store.save(after, [judgement(after.episode_id, "robust")])
    assert [t async for t in store.trajectories("a-study")] == [before]
    assert await store.judgements("a-study") == [judgement(before.episode_id, "direct")]


async def test_an_error_that_nobody_foresaw_reaches_every_caller_and_the_next_goes_on(
    writer: Writer, engines: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: Any) -> bool:
        raise LookupError("a table of another kind")

    with monkeypatch.context() as patch:
        patch.setattr(writer, "_add", breaks)
        failed = await asyncio.wait_for(waiting_together(writer, [call("a")], [call("b")]), 10)
    assert [type(one) for one in failed] == [LookupError, LookupError]
    assert await asyncio.wait_for(writer.add([call("c")]), 10)
    assert stored(engines) == ["c"]


async def test_an_error_of_our_own_passes_and_rolls_back(writer: Writer, engines: Engines) -> None:
    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("DELETE FROM store_version")
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        await writer.run(fail)
    with engines.read.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM store_version").scalar() == 1


async def test_a_caller_that_gave_up_does_no_harm(writer: Writer, engines: Engines) -> None:
    impatient = asyncio.create_task(writer.add([call("a")]))
    await asyncio.sleep(0)
    impatient.cancel()
    await writer.add([call("b")])
    assert stored(engines) == ["a", "b"]


async def test_closing_commits_what_waits(path: Path) -> None:
    async with open_store(str(path)) as store:
        pending = [asyncio.create_task(store.call_log("s").put(f"{n}", request(), reply(), "m")) for n in range(20)]
        await asyncio.sleep(0)
    await asyncio.gather(*pending)
    async with open_store(str(path)) as store:
        assert (await store.spent("s")).calls == 20


async def test_a_closed_store_says_so(path: Path) -> None:
    async with open_store(str(path)) as store:
        pass
    with pytest.raises(StoreError, match="is closed"):
        await store.save(trajectory(), [])
    with pytest.raises(StoreError, match="is closed"):
        await store.studies()
    await store.aclose()


async def test_a_store_for_reading_takes_nothing(path: Path) -> None:
    async with open_store(str(path)) as store:
        await store.save(trajectory(), [])
    async with open_store(str(path), read_only=True) as store:
        with pytest.raises(StoreError, match="opened for reading only"):
            await store.call_log("s").put("k", request(), reply(), "m")
        with pytest.raises(StoreError, match="cannot be written"):
            await store.read(lambda connection: connection.exec_driver_sql("DELETE FROM episodes"))
        assert len(await store.finished("a-study")) == 1


async def test_a_full_disk_loses_nothing_acknowledged(writer: Writer, engines: Engines) -> None:
    """SQLite's own limit of pages gives the same error as a disk without room."""
    await writer.run(lambda connection: connection.exec_driver_sql("PRAGMA max_page_count=40").scalar())
    acknowledged = await _fill(writer.add)
    assert stored(engines) == acknowledged
    await writer.run(lambda connection: connection.exec_driver_sql("PRAGMA max_page_count=100000").scalar())
    await writer.add([call("later")])
    assert stored(engines) == [*acknowledged, "later"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root alone")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def test_a_disk_that_fills_up(small_disk: Path) -> None:
    path, filler = small_disk / "x.db", small_disk / "filler"
    filler.write_bytes(b"." * 400_000)
    async with open_store(str(path)) as store:
        log = store.call_log("a-study")
        acknowledged = await _fill(lambda rows: log.put(rows[0][1]["key"], request("x" * 5_000), reply(), "m"))
        assert all([await log.get(key) == reply() for key in acknowledged])
    async with open_store(str(path), read_only=True) as store:
        assert sorted([call.key async for call in store.calls("a-study")]) == acknowledged
    filler.unlink()
    async with open_store(str(path)) as store:
        await store.call_log("a-study").put("later", request(), reply(), "m")
        assert sorted([call.key async for call in store.calls("a-study")]) == [*acknowledged, "later"]


async def test_no_store_is_made_on_a_disk_without_room(small_disk: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        (small_disk / "filler").write_bytes(b"." * 2_000_000)
    with pytest.raises(StoreError, match="full"):
        async with open_store(str(small_disk / "x.db")):
            pass
    assert os.listdir(small_disk) == ["filler"]


async def _fill(add: Any) -> list[str]:
    """Add calls until there is no room; the keys that were acknowledged."""
    acknowledged: list[str] = []

    async def fill() -> None:
        for number in range(2_000):
            await add([call(f"{number:04}")])
            acknowledged.append(f"{number:04}")

    with pytest.raises(StoreError, match="is full"):
        await fill()
    return acknowledged
