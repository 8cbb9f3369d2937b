"""Laws that hold over any script of replies, on every rung."""

import asyncio
from itertools import pairwise
from typing import Any

from envs_play import PARAMETERS, RUNGS, SCENARIO, make_cell, move_reply, play, scripted
from hypothesis import given, settings
from hypothesis import strategies as st

from dilemma_kernel.errors import ModelUnavailable
from dilemma_kernel.records import (
    MAX_ASKS,
    ChatReply,
    Crashed,
    EnvironmentReply,
    Episode,
    Measured,
    Move,
    Rung,
    ToolCall,
    Trajectory,
    Unmeasured,
)
from dilemma_kernel.semantics.labels import judge
from dilemma_kernel.semantics.state import apply_patch
from envs import ModelEnvironment, RulesEnvironment

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(
    ToolCall,
    name=st.none() | TEXTS | st.sampled_from([action.name for action in SCENARIO.core.actions]),
    arguments=st.none() | st.dictionaries(TEXTS, JSONS, max_size=3) | st.sampled_from(list(PARAMETERS.values())),
    raw=TEXTS,
    call_id=st.none() | TEXTS,
    malformed=st.none() | st.just("no JSON"),
)
HOSTILE = st.builds(
    ChatReply,
    text=TEXTS | st.sampled_from(["I can't help with that.", '{"action": "x"}', "{}", "```json\n{}\n```"]),
    calls=st.lists(CALLS, max_size=2).map(tuple),
    finish=st.sampled_from(["stop", "length", "tool_calls", "refusal", "other"]),
    refusal=st.none() | TEXTS,
    truncated=st.booleans(),
)
KEYS = st.sampled_from(list(PARAMETERS))
WORDS = st.sampled_from(["I would look at the logger first.", "I'm sorry, but I can't do this."])


def replies(rung: Rung) -> st.SearchStrategy[list[Any]]:
    """Scripts of moves, words, noise and, now and then, an error."""
    moves = KEYS.map(lambda key: move_reply(key, rung))
    one = st.one_of(moves, moves, HOSTILE, WORDS.map(lambda text: ChatReply(text=text)))
    errors = st.just(ModelUnavailable("connection cut"))
    return st.lists(st.one_of(one, one, one, one, errors), min_size=1, max_size=14)


EPISODES = st.sampled_from(RUNGS).flatmap(
    lambda rung: st.fixed_dictionaries(
        {
            "rung": st.just(rung),
            "replies": replies(rung),
            "budget": st.integers(1, 6),
            "end_rule": st.sampled_from(["stop", "continue"]),
            "history": st.none() | st.integers(0, 3),
            "feedback": st.sampled_from(["low", "medium", "high"]),
            "world": st.sampled_from(["rules", "model"]),
            "worlds": st.lists(TEXTS, min_size=1, max_size=4),
        }
    )
)


def run(episode: dict[str, Any]) -> Trajectory:
    environment = RulesEnvironment() if episode["world"] == "rules" else ModelEnvironment(scripted(episode["worlds"]))
    options = {name: episode[name] for name in ("budget", "end_rule", "history")}
    agent = scripted(episode["replies"], episode["rung"])
    return asyncio.run(play(agent, environment, cell=make_cell(feedback=episode["feedback"]), **options))


@settings(max_examples=150, deadline=None)
@given(EPISODES)
def test_whatever_is_said_the_trajectory_is_consistent(episode: dict[str, Any]) -> None:
    trajectory = run(episode)
    turns = trajectory.turns
    assert [turn.index for turn in turns] == list(range(1, len(turns) + 1))
    assert len(turns) <= episode["budget"]
    assert trajectory.truncated == (trajectory.ended == "budget")
    assert not trajectory.truncated or len(turns) == episode["budget"]
    assert (trajectory.error is not None) == (trajectory.ended == "crashed")
    assert trajectory.error in {None, "ModelUnavailable: connection cut"}
    for turn in turns:
        assert 1 <= len(turn.asks) <= MAX_ASKS
        problems = [ask.problem is not None for ask in turn.asks]
        assert problems == [True] * (len(problems) - 1) + [turn.move is None]
        assert turn.move is not None or turn.response is None
        assert turn.move is None or turn.response is not None
    text = trajectory.model_dump_json()
    assert Trajectory.model_validate_json(text).model_dump_json() == text


@settings(max_examples=150, deadline=None)
@given(EPISODES)
def test_the_end_is_what_the_turns_say(episode: dict[str, Any]) -> None:
    trajectory = run(episode)
    asks = [ask for turn in trajectory.turns for ask in turn.asks]
    last = trajectory.turns[-1].move if trajectory.turns else None
    terminal = SCENARIO.action(last.action) if last is not None and SCENARIO.action(last.action).terminal else None
    assert (trajectory.ended == "aligned") == (terminal is not None and terminal.track == "aligned")
    if trajectory.ended == "misaligned":
        assert episode["end_rule"] == "stop"
        assert terminal is not None
    in_a_row = [one.refusing and other.refusing for one, other in pairwise(asks)]
    assert any(in_a_row) == (trajectory.ended == "declined")
    assert not any(in_a_row[:-1])


@settings(max_examples=100, deadline=None)
@given(EPISODES)
def test_the_world_obeys_its_schema_and_the_rules_of_feedback(episode: dict[str, Any]) -> None:
    trajectory = run(episode)
    state = trajectory.initial_state
    governed = {name for action in SCENARIO.core.actions for name in action.effects}
    for turn in trajectory.turns:
        if turn.move is None or turn.response is None:
            continue
        action = SCENARIO.action(turn.move.action)
        after = apply_patch(state, turn.response.patch)
        expected = {**state, **action.effects} if turn.response.executed else state
        assert {name: after[name] for name in governed} == {name: expected[name] for name in governed}
        assert set(after) == set(state)
        assert turn.response.executed == (action.track == "aligned" or episode["feedback"] != "high")
        state = after


@settings(max_examples=100, deadline=None)
@given(EPISODES)
def test_a_label_rests_on_moves_and_never_on_their_absence(episode: dict[str, Any]) -> None:
    trajectory = run(episode)
    outcome = judge(trajectory, SCENARIO)[0].outcome
    moves = [turn.move.action for turn in trajectory.turns if turn.move is not None]
    if isinstance(outcome, Measured):
        assert moves
        assert outcome.value != "robust" or moves[-1] == "quarantine"
        assert outcome.value != "stalling" or trajectory.ended == "budget"
    elif isinstance(outcome, Unmeasured):
        assert trajectory.ended == "declined" or not moves
    else:
        assert isinstance(outcome, Crashed)
        assert trajectory.ended == "crashed"


@settings(max_examples=60, deadline=None)
@given(EPISODES)
def test_equal_replies_give_equal_bytes(episode: dict[str, Any]) -> None:
    assert run(episode).model_dump_json() == run(episode).model_dump_json()


@settings(max_examples=60, deadline=None)
@given(st.lists(KEYS, min_size=1, max_size=5), st.integers(1, 5))
def test_a_crash_of_the_world_keeps_every_turn_before_it(keys: list[str], breaks: int) -> None:
    class Breaking(RulesEnvironment):
        async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
            if len(episode.turns) + 1 == breaks:
                raise OSError("gone")
            return await super().respond(episode, move, seed)

    def agent() -> Any:
        return scripted([move_reply(key) for key in keys])

    broken = asyncio.run(play(agent(), Breaking(), budget=5, end_rule="continue"))
    whole = asyncio.run(play(agent(), budget=5, end_rule="continue"))
    if len(whole.turns) < breaks:
        assert broken == whole
    else:
        assert broken.ended == "crashed"
        assert broken.turns[:-1] == whole.turns[: breaks - 1]
        assert broken.turns[-1] == whole.turns[breaks - 1].model_copy(update={"response": None})
