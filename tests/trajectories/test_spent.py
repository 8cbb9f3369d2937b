"""What the calls of a study have used: each request once, whatever came of it."""

import sqlite3
from pathlib import Path

from trajectories_records import reply, request

from trajectories import Spent, Store, open_store


async def test_what_was_spent(store: Store) -> None:
    log = store.call_log("a-study")
    assert await store.spent("a-study") == Spent(calls=0, attempts=0, cost=0.0, unpriced=0)
    await log.put("a", request(), reply(cost=0.25), "gpt-x")
    await log.put("b", request(), reply(cost=0.5), "gpt-x")
    await log.put("c", request(), reply().model_copy(update={"timing": None}), "gpt-x")
    assert await store.spent("a-study") == Spent(calls=3, attempts=5, cost=0.75, unpriced=1)


async def test_requests_without_a_reply_are_spent_too(store: Store) -> None:
    log = store.call_log("a-study")
    await log.lost(8)
    assert (await store.spent("a-study")).attempts == 8
    await log.put("a", request(), reply(), "gpt-x")
    answered = (await store.spent("a-study")).attempts
    assert answered > 8
    assert (await store.spent("another")).attempts == 0


async def test_a_request_that_is_counted_before_it_is_sent_counts_once(store: Store) -> None:
    log = store.call_log("a-study")
    log.counts_ahead = True
    sent = reply()
    assert sent.timing is not None
    for _ in range(sent.timing.attempts):
        await log.sending(1)
    assert (await store.spent("a-study")).attempts == sent.timing.attempts
    await log.put("a", request(), sent, "gpt-x")
    assert (await store.spent("a-study")).attempts == sent.timing.attempts
    await log.sending(1)
    await log.lost(1)
    assert (await store.spent("a-study")).attempts == sent.timing.attempts + 1


async def test_a_store_from_before_these_were_counted_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "d.db"
    async with open_store(str(path)) as store:
        await store.call_log("a-study").put("a", request(), reply(), "gpt-x")
        spent = await store.spent("a-study")
    connection = sqlite3.connect(path)
    connection.executescript("DROP TABLE unanswered; UPDATE store_version SET version_num = '0002'")
    connection.close()
    async with open_store(str(path), read_only=True) as store:
        assert await store.spent("a-study") == spent
    async with open_store(str(path)) as store:
        assert await store.spent("a-study") == spent
        await store.call_log("a-study").lost(1)
        assert (await store.spent("a-study")).attempts == spent.attempts + 1
