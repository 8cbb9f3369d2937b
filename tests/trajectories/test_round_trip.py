"""A round trip through the store is the identity."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import make_scenario
from trajectories_records import judgement, reply, request, study
from trajectories_strategies import JSON, JUDGEMENTS, REPLIES, REQUESTS, TRAJECTORIES

from dilemma_kernel.errors import StoreError
from dilemma_kernel.records import ChatReply, Judgement, Measured, Move, ToolCall, Trajectory
from trajectories import Store, open_store
from trajectories.jsontext import dumps, loads

FEW = settings(max_examples=25, deadline=None)


@FEW
@given(
    st.lists(TRAJECTORIES, max_size=3, unique_by=lambda t: (t.episode_id, t.attempt)),
    st.lists(JUDGEMENTS, max_size=3, unique_by=lambda j: (j.vocabulary, j.maker, j.version)),
)
def test_trajectories_and_judgements(trajectories: list[Trajectory], judgements: list[Judgement]) -> None:
    async def there_and_back(store: Store) -> None:
        for trajectory in trajectories:
            of_it = [j.model_copy(update={"subject": trajectory.episode_id}) for j in judgements]
            await store.save(trajectory, of_it)
            assert _by_key(await store.judgements_on(trajectory)) == _by_key(of_it)
        found = [t async for t in store.trajectories("a-study", all_attempts=True)]
        assert _same(found, sorted(trajectories, key=_place))

    _in_a_store(there_and_back)


@FEW
@given(st.lists(st.tuples(REQUESTS, REPLIES), max_size=4))
def test_calls(calls: list[Any]) -> None:
    async def there_and_back(store: Store) -> None:
        log = store.call_log("a-study")
        for index, (asked, answered) in enumerate(calls):
            await log.put(f"key {index}", asked, answered, "gpt-x")
            assert _same(await log.get(f"key {index}"), answered)
        found = sorted([(c.key, c.request, c.reply) async for c in store.calls("a-study")], key=lambda call: call[0])
        assert _same(found, [(f"key {index}", *call) for index, call in enumerate(calls)])

    _in_a_store(there_and_back)


async def test_studies_and_scenarios(store: Store) -> None:
    record, cold_chain = study(history=3, versions={"label": "1"}), make_scenario()
    await store.save_study(record, [cold_chain])
    assert await store.study("a-study") == record
    assert await store.scenarios("a-study") == [cold_chain]
    assert (await store.scenarios("a-study"))[0].scenario_id == cold_chain.scenario_id
    assert await store.study("another") is None
    assert await store.scenarios("another") == []


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_json_text_is_utf8_and_reads_back(value: Any) -> None:
    move = Move(action="a", parameters={"value": value}, rung="tools")
    text = dumps(move)
    text.encode()
    assert "\0" not in text
    assert _same(loads(Move, text), move)


def test_keys_that_are_no_text_stay_apart() -> None:
    """A lone surrogate is not what stands for the unreadable."""
    surrogate, unreadable = chr(0xD800), chr(0xFFFD)
    move = Move(action="a", parameters={surrogate: 1, unreadable: 2, "a\0b": 3}, rung="tools")
    assert loads(Move, dumps(move)) == move


def test_a_number_beyond_what_int_reads() -> None:
    move = Move(action="a", parameters={"n": 10**5000}, rung="tools")
    assert loads(Move, dumps(move)) == move


async def test_what_json_cannot_hold_hurts_only_itself(store: Store) -> None:
    log = store.call_log("a-study")
    bad = ChatReply(calls=(ToolCall(name="act", arguments={"lot": object()}, raw="{}"),))
    results = await asyncio.gather(
        log.put("good", request(), reply(), "m"), log.put("bad", request(), bad, "m"), return_exceptions=True
    )
    assert results[0] == reply()
    assert isinstance(results[1], StoreError)
    assert await log.get("good") == reply()
    assert await log.get("bad") is None


def test_a_row_that_is_no_record_is_named() -> None:
    with pytest.raises(StoreError, match=r"a stored Judgement cannot be read: .*subject"):
        loads(Judgement, '{"no": "judgement"}')
    with pytest.raises(StoreError, match="a stored Judgement cannot be read"):
        loads(Judgement, dumps(judgement("e"))[:-5])


def test_a_judgement_of_any_value_has_a_text() -> None:
    for version, value in enumerate(["direct", 0.5, None, ["a"], {"b": 1}]):
        made = judgement("e", version=str(version), outcome=Measured(value=value))
        assert loads(Judgement, dumps(made)) == made


def _in_a_store(check: Any) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            async with open_store(str(Path(folder) / "x.db")) as store:
                await check(store)

    asyncio.run(run())


def _place(trajectory: Trajectory) -> Any:
    return trajectory.case, _column(trajectory.cell.key), trajectory.repeat, trajectory.episode_id, trajectory.attempt


def _column(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _by_key(judgements: list[Judgement]) -> Any:
    return {(j.vocabulary, j.maker, j.version): repr(j) for j in judgements}


def _same(one: Any, other: Any) -> bool:
    """Equal, and of equal types throughout: 1, 1.0 and True are three values."""
    return one == other and repr(one) == repr(other)
