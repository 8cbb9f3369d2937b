"""Studies, episodes, judgements and calls, asked for in every way there is."""

import asyncio
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from scenarios import make_scenario
from trajectories_records import CELL, cell, judgement, reply, request, study, trajectory

from dilemma_kernel.errors import InputError, StoreError, StudyError
from dilemma_kernel.records import Ask, Crashed, Measured, Trajectory, Turn, Unmeasured
from trajectories import Store, open_store
from trajectories.claiming import claimed
from trajectories.reader import PAGE
from trajectories.rows import count_whole_turns


async def listed(store: Store, name: str = "a-study", **options: Any) -> list[Trajectory]:
    return [t async for t in store.trajectories(name, **options)]


async def test_the_same_study_again_changes_nothing(store: Store) -> None:
    await store.save_study(study(), [make_scenario()])
    started = (await store.studies())[0].started
    await store.save_study(study(), [make_scenario()])
    assert [summary.started for summary in await store.studies()] == [started]
    assert len(await store.scenarios("a-study")) == 1


async def test_a_study_with_other_settings_is_refused(store: Store) -> None:
    await store.save_study(study(), [])
    with pytest.raises(StudyError, match="other settings"):
        await store.save_study(study(seed=1), [])
    assert await store.study("a-study") == study()


async def test_studies_that_differ_in_a_scenario_keep_their_own(store: Store) -> None:
    """``scenario_id`` covers neither the probe nor the control text."""
    one = make_scenario()
    other = one.model_copy(update={"no_dilemma": "Nothing is at stake."})
    assert one.scenario_id == other.scenario_id
    await store.save_study(study("one"), [one])
    await store.save_study(study("other"), [other])
    assert await store.scenarios("one") == [one]
    assert await store.scenarios("other") == [other]


async def test_a_study_at_a_glance(store: Store) -> None:
    other = cell("gpt-x")
    await store.save_study(study(cells=(CELL, other)), [])
    await store.save_study(study("later"), [])
    await store.save(trajectory(repeat=0, ended="crashed"), [])
    await store.save(trajectory(repeat=0, attempt=1), [])
    await store.save(trajectory(repeat=1, ended="crashed", cost=0.5), [])
    await store.save(trajectory(repeat=2, cell=other), [])
    await store.save(trajectory(origin="elsewhere", episode_id="fork"), [])
    first, later = await store.studies()
    assert (first.name, later.name) == ("a-study", "later")
    assert (first.agents, first.environments) == (("scripted/direct", "gpt-x"), ("rules",))
    assert (first.planned, first.episodes, first.crashed) == (6, 3, 1)
    assert first.cost == 1.0
    assert (later.episodes, later.crashed, later.cost) == (0, 0, 0.0)


async def test_an_unknown_price_makes_an_unknown_cost(store: Store) -> None:
    await store.save_study(study(), [])
    await store.save(trajectory(repeat=0), [])
    await store.save(trajectory(repeat=1, cost=None), [])
    assert (await store.studies())[0].cost is None


async def test_order_knows_nothing_of_when_an_episode_ended(tmp_path: Path) -> None:
    other = cell("a")
    made = [
        trajectory(case="core-1", cell=other),
        trajectory(case="core-1", repeat=0),
        trajectory(case="core-1", repeat=2),
        trajectory(case="core-1", repeat=10),
        trajectory(case="core-2", cell=other),
    ]
    for number, saved in enumerate(list(permutations(made))[::17]):
        async with open_store(str(tmp_path / f"{number}.db")) as store:
            for one in saved:
                await store.save(one, [judgement(one.episode_id)])
            assert await listed(store) == made
            assert [j.subject for j in await store.judgements("a-study")] == [t.episode_id for t in made]
            assert [e.episode_id for e in await store.episodes("a-study")] == [t.episode_id for t in made]


async def test_pages_meet_without_gap_or_overlap(store: Store) -> None:
    made = [trajectory(case=f"core-{number % 3}", repeat=number // 3) for number in range(2 * PAGE)]
    await asyncio.gather(*(store.save(one, []) for one in reversed(made)))
    expected = sorted(made, key=lambda t: (t.case, t.repeat))
    assert await listed(store) == expected
    await store.save(trajectory(case="core-9"), [])
    assert await listed(store) == [*expected, trajectory(case="core-9")]
    assert await listed(store, "another") == []


async def test_the_latest_attempt_counts_and_earlier_ones_are_kept(store: Store) -> None:
    crashed, again, once = trajectory(ended="crashed", error="boom"), trajectory(attempt=1), trajectory(repeat=1)
    broke = judgement(crashed.episode_id, outcome=Crashed(error="boom"))
    went_well = judgement(crashed.episode_id, "robust")
    await store.save(crashed, [broke])
    assert await store.finished("a-study") == {crashed.episode_id: (0, "crashed")}
    await store.save(again, [went_well])
    await store.save(once, [])
    assert await store.finished("a-study") == {once.episode_id: (0, "budget"), again.episode_id: (1, "budget")}
    assert await listed(store) == [again, once]
    assert await listed(store, all_attempts=True) == [crashed, again, once]
    assert await store.judgements("a-study") == [went_well]
    assert await store.judgements_on(crashed) == [broke]
    assert await store.episode(crashed.episode_id) == again
    assert [(e.attempt, e.ended) for e in await store.episodes("a-study")] == [(1, "budget"), (0, "budget")]


async def test_the_columns_of_an_episode(store: Store) -> None:
    await store.save(trajectory(family="f", repeat=2), [])
    (found,) = await store.episodes("a-study")
    assert found.model_dump() == {
        "episode_id": trajectory(repeat=2).episode_id,
        "attempt": 0,
        "instrument": "dilemma",
        "case_id": "core-1",
        "scenario": "cold-chain",
        "scenario_id": "s" * 16,
        "family": "f",
        "domain": "healthcare",
        "agent": "scripted/direct",
        "environment": "rules",
        "cell": CELL.key,
        "repeat": 2,
        "origin": None,
        "ended": "budget",
        "truncated": True,
        "turns": 2,
        "whole_turns": 2,
        "faults": 1,
        "invalid_turns": 1,
        "cost": 0.25,
    }


HM = Ask(reply=reply("hm"), problem="prose")


@pytest.mark.parametrize(
    ("ended", "asks", "moved", "invalid", "whole"),
    [
        ("budget", 3, False, 1, 2),
        ("declined", 2, False, 0, 1),
        ("declined", 3, False, 0, 1),
        ("crashed", 1, False, 0, 1),
        ("crashed", 2, True, 0, 1),
        ("crashed", 3, True, 0, 1),
        ("crashed", 3, False, 1, 2),
    ],
)
async def test_a_turn_cut_short_is_neither_invalid_nor_a_turn(
    store: Store, ended: str, asks: int, moved: bool, invalid: int, whole: int
) -> None:
    first = trajectory().turns[0]
    move = first.move if moved else None
    last = Turn(index=2, asks=(HM,) * asks, move=move, response=None)
    await store.save(trajectory(ended=ended, turns=(first, last)), [])
    (found,) = await store.episodes("a-study")
    assert (found.turns, found.invalid_turns, found.whole_turns) == (2, invalid, whole)


@pytest.mark.parametrize("ended", ["crashed", "declined", "budget"])
@pytest.mark.parametrize("turns", [0, 1])
async def test_the_turns_that_passed_are_counted_in_the_store_as_in_python(
    store: Store, ended: str, turns: int
) -> None:
    made = trajectory(ended=ended, turns=trajectory().turns[:turns])
    await store.save(made, [])
    assert [e.whole_turns for e in await store.episodes("a-study")] == [count_whole_turns(made)]


async def test_an_episode_by_the_start_of_its_id(store: Store) -> None:
    for episode_id in ("abc", "abcd", "abde", "x%_", "é"):
        await store.save(trajectory(episode_id=episode_id), [])
    for beginning, episode_id in {"abc": "abc", "abcd": "abcd", "abd": "abde", "x": "x%_", "é": "é"}.items():
        assert (await store.episode(beginning)).episode_id == episode_id
    with pytest.raises(InputError, match=r"several episodes begin with 'ab': abc, abcd, abde$"):
        await store.episode("ab")
    for beginning in ("zz", "%", "ABC", "abcde"):
        with pytest.raises(InputError, match="no episode begins with"):
            await store.episode(beginning)
    for number in range(9):
        await store.save(trajectory(episode_id=f"many{number}"), [])
    with pytest.raises(InputError, match=r"many4, …$"):
        await store.episode("many")


async def test_judgements_by_vocabulary(store: Store) -> None:
    one = trajectory()
    label, executed = judgement(one.episode_id), judgement(one.episode_id, "robust", "executed_label")
    await store.save(one, [label, executed])
    assert await store.judgements("a-study", "label") == [label]
    assert await store.judgements("a-study", vocabulary="executed_label") == [executed]
    assert await store.judgements("a-study") == [executed, label]
    assert await store.judgements("another") == []


async def test_judgements_added_later_belong_to_the_latest_attempt(store: Store) -> None:
    crashed, again = trajectory(ended="crashed"), trajectory(attempt=1)
    await store.save(crashed, [])
    await store.save(again, [judgement(again.episode_id)])
    by_person = judgement(again.episode_id, "failed", maker="ada", cites=(1,))
    await store.add_judgements([by_person])
    assert await store.judgements_on(crashed) == []
    assert await store.judgements_on(again) == [by_person, judgement(again.episode_id)]


async def test_a_maker_changes_its_mind(store: Store) -> None:
    one = trajectory()
    await store.save(one, [judgement(one.episode_id)])
    await store.add_judgements([judgement(one.episode_id, "failed", maker="ada")])
    changed = judgement(one.episode_id, maker="ada", outcome=Unmeasured(why="unsure"))
    await store.add_judgements([changed])
    assert await store.judgements_on(one) == [changed, judgement(one.episode_id)]


async def test_judgements_of_an_unknown_episode_are_refused_together(store: Store) -> None:
    one = trajectory()
    await store.save(one, [])
    with pytest.raises(StoreError, match="no episode 'nowhere'"):
        await store.add_judgements([judgement(one.episode_id), judgement("nowhere")])
    assert await store.judgements("a-study") == []


async def test_what_people_filter_judgements_on(store: Store) -> None:
    one = trajectory()
    outcomes = [Measured(value="direct"), Measured(value=0.5), Unmeasured(why="declined"), Crashed(error="a\0\ud800")]
    made = [judgement(one.episode_id, version=str(v), outcome=outcome) for v, outcome in enumerate(outcomes)]
    await store.save(one, made)
    columns = "SELECT kind, value FROM judgements ORDER BY version"
    assert [tuple(row) for row in await store.read(lambda c: c.exec_driver_sql(columns).all())] == [
        ("measured", "direct"),
        ("measured", "0.5"),
        ("unmeasured", "declined"),
        ("crashed", "a\\0\\ud800"),
    ]
    assert await store.judgements("a-study") == made


async def test_calls_are_scoped_to_a_study(store: Store) -> None:
    one, other = store.call_log("one"), store.call_log("other")
    await one.put("k", request(), reply("one"), "gpt-x")
    assert await other.get("k") is None
    await other.put("k", request(), reply("other"), "gpt-x")
    assert await one.get("k") == reply("one")
    assert await store.call_log("one").get("k") == reply("one")


async def test_a_reply_stored_before_is_found(path: Path) -> None:
    async with open_store(str(path)) as store:
        await store.call_log("a-study").put("k", request(), reply(), "gpt-x")
    async with open_store(str(path)) as store:
        log = store.call_log("a-study")
        await log.put("before the first get", request(), reply("early"), "gpt-x")
        assert await log.get("k") == reply()
        assert await log.get("before the first get") == reply("early")
        assert await log.get("no such key") is None


async def test_calls_of_a_case(store: Store) -> None:
    log = store.call_log("a-study")
    for case, turn in (("b", 1), ("a", 2), ("a", 1)):
        await log.put(f"{case}{turn}", request(case, case=case, turn=turn), reply(case), "gpt-x")
    assert [call.key async for call in store.calls("a-study")] == ["a1", "a2", "b1"]
    (found,) = [call async for call in store.calls("a-study", case="b")]
    assert (found.key, found.model, found.reply) == ("b1", "gpt-x", reply("b"))
    assert found.request == request("b", case="b", turn=1)


@pytest.mark.parametrize("forwarded", [False, True])
async def test_what_another_process_stored_first_is_handed_back(tmp_path: Path, forwarded: bool) -> None:
    path = f"{tmp_path}/d.db"
    async with open_store(path) as store, open_store(path) as other:
        theirs, ours = reply("theirs"), reply("ours")
        log = store.call_log("a-study")
        assert await log.get("a") is None
        assert await other.call_log("a-study").put("a", request(), theirs, "gpt-x") == theirs
        if forwarded:
            async with open_store(path, read_only=True, forward=store.add_rows) as member:
                assert await member.call_log("a-study").put("a", request(), ours, "gpt-x") == theirs
                assert await member.call_log("a-study").put("b", request(), ours, "gpt-x") == ours
        else:
            assert await log.put("a", request(), ours, "gpt-x") == theirs
            assert await log.put("b", request(), ours, "gpt-x") == ours
            assert await log.get("a") == theirs


async def test_a_study_runs_once_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "d.db"
    async with open_store(str(path)) as store, open_store(str(path)) as other:
        async with store.claim("a-study"), other.claim("another"):
            with pytest.raises(StudyError, match="'a-study' is running in another process"):
                async with other.claim("a-study"):
                    pass
        async with other.claim("a-study"):
            pass
    assert not list(tmp_path.glob("*.lock"))


async def test_a_run_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom trajectories.claiming import claimed\n"
        "with claimed(Path(sys.argv[1]), 'a-study'):\n print('held', flush=True); sys.stdin.read()"
    )
    path = tmp_path / "d.db"
    child = subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(StudyError, match="is running"), claimed(path, "a-study"):
            pass
        child.kill()
    with claimed(path, "a-study"):
        assert len(list(tmp_path.glob("*.lock"))) == 1


def test_where_no_lock_can_be_made_the_study_runs(tmp_path: Path) -> None:
    with claimed(tmp_path / "nowhere" / "d.db", "a-study"):
        assert not list(tmp_path.iterdir())
