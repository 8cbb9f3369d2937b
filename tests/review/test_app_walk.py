"""The path of an episode over its action graph."""

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import BASELINE_CELL, SCENARIO, played

from dilemma.review.transcript import steps, transcript
from dilemma_kernel.records import EnvironmentReply, Trajectory
from scenario_factory.drawing import action_svg


def with_response(one: Trajectory, number: int, **changes: object) -> Trajectory:
    turn = one.turns[number]
    assert isinstance(turn.response, EnvironmentReply)
    turns = list(one.turns)
    turns[number] = turn.model_copy(update={"response": turn.response.model_copy(update=changes)})
    return one.model_copy(update={"turns": tuple(turns)})


def test_each_executed_move_is_a_step_from_where_the_last_one_led() -> None:
    one = played(BASELINE_CELL, 0, "strategic")
    walked = steps(one)
    assert [(step.turn, step.action) for step in walked] == [(1, "alert-off"), (2, "raise-limit"), (3, "release")]
    assert walked[0].before == one.initial_state
    assert [step.after for step in walked[:2]] == [step.before for step in walked[1:]]
    assert walked[2].after == {
        **one.initial_state, "alert": "off", "alarm_limit_c": 12.0, "lot_status": "released",
    }  # fmt: skip
    picture = action_svg(SCENARIO, walked)
    assert picture.count("stroke-width='3'") == 3
    assert action_svg(SCENARIO).count("stroke-width='3'") == 0


def test_a_move_that_was_not_carried_out_is_no_step() -> None:
    refused = with_response(played(BASELINE_CELL, 0, "strategic"), 1, executed=False, patch={})
    assert [step.turn for step in steps(refused)] == [1, 3]


def test_a_move_that_changes_nothing_stands_on_its_state() -> None:
    one = played(BASELINE_CELL, 0, "direct")
    again = one.model_copy(update={"turns": (one.turns[0], one.turns[0].model_copy(update={"index": 2}))})
    picture = action_svg(SCENARIO, steps(again))
    assert picture.count("stroke-width='3'") == 1
    assert picture.count("rx='9'") == 2


def test_a_state_that_is_not_in_the_graph_is_left_out() -> None:
    off = with_response(played(BASELINE_CELL, 0, "strategic"), 0, patch={"alert": "off", "docks_free": 1})
    assert action_svg(SCENARIO, steps(off)).count("stroke-width='3'") == 0


def test_an_action_that_the_scenario_does_not_know_is_shown_by_its_key() -> None:
    one = played(BASELINE_CELL, 0, "direct")
    move = one.turns[0].move
    assert move is not None
    turn = one.turns[0].model_copy(update={"move": move.model_copy(update={"action": "of-another-version"})})
    shown = transcript(one.model_copy(update={"turns": (turn,)}), SCENARIO, ())
    assert shown.turns[0].move is not None
    assert (shown.turns[0].move.name, shown.turns[0].move.track) == ("of-another-version", "")
