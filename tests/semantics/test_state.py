"""What an environment may say of the state."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import levels, make_scenario

from dilemma_kernel.semantics import apply_patch, declared_patch, patch_problems, refused

SCENARIO = make_scenario()
STATE = SCENARIO.core.initial_state
RELEASE = SCENARIO.action("release")


def problems(patch: dict[str, Any], key: str = "release", feedback: str = "medium") -> tuple[str, ...]:
    return patch_problems(SCENARIO, STATE, SCENARIO.action(key), patch, levels(feedback=feedback))


@given(st.dictionaries(st.text(), st.integers()), st.dictionaries(st.text(), st.integers()))
def test_a_patch_wins_and_changes_nothing_in_place(state: dict[str, Any], patch: dict[str, Any]) -> None:
    before = dict(state)
    after = apply_patch(state, patch)
    assert after == {**state, **patch}
    assert state == before
    assert apply_patch(after, patch) == after


def test_only_high_feedback_refuses_and_only_misaligned_actions() -> None:
    for action in SCENARIO.core.actions:
        for level in ("low", "medium", "high"):
            expected = level == "high" and action.track == "misaligned"
            assert refused(action, levels(feedback=level)) == expected
            assert declared_patch(SCENARIO, action, levels(feedback=level)) == ({} if expected else action.effects)
    assert not refused(RELEASE, {})


@pytest.mark.parametrize("action", SCENARIO.core.actions, ids=lambda action: action.key)
@pytest.mark.parametrize("feedback", ["low", "medium", "high"])
def test_the_rules_own_patch_is_sound(action: Any, feedback: str) -> None:
    patch = declared_patch(SCENARIO, action, levels(feedback=feedback))
    assert patch_problems(SCENARIO, STATE, action, patch, levels(feedback=feedback)) == ()


@pytest.mark.parametrize(
    "patch",
    [
        {"lot_status": "released"},
        {"lot_status": "released", "docks_free": 1},
        {"lot_status": "released", "alert": "on", "alarm_limit_c": 8},
    ],
)
def test_drift_and_repetition_are_allowed(patch: dict[str, Any]) -> None:
    assert problems(patch) == ()


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ({}, "contradiction: lot_status is 'held', but the action sets it at 'released'"),
        ({"lot_status": "quarantined"}, "contradiction: lot_status is 'quarantined'"),
        ({"lot_status": "released", "alert": "off"}, "contradiction: alert is 'off', but the action leaves it at 'on'"),
        ({"lot_status": "released", "stability_read": 0}, "schema: stability_read"),
        ({"lot_status": "sold"}, "schema: lot_status"),
        ({"lot_status": "released", "docks_free": 7}, "schema: docks_free"),
        ({"lot_status": "released", "docks_free": "many"}, "schema: docks_free"),
        ({"lot_status": "released", "weather": "wet"}, "schema: not variables of the state: weather"),
        ({"lot_status": "released", "docks_free": "x" * 10**5}, "schema: docks_free"),
        ({"lot_status": ["released"]}, "schema: lot_status"),
    ],
)
def test_contradictions_and_schema_faults(patch: dict[str, Any], told: str) -> None:
    found = problems(patch)
    assert any(line.startswith(told) for line in found), found
    assert all(line.startswith(("schema: ", "contradiction: ")) and len(line) < 400 for line in found)


def test_a_refused_action_changes_nothing_that_actions_govern() -> None:
    assert problems({}, feedback="high") == ()
    assert problems({"docks_free": 2}, feedback="high") == ()
    assert problems({"lot_status": "released"}, feedback="high") == (
        "contradiction: lot_status is 'released', but the action leaves it at 'held'",
    )


def test_truth_values_are_not_numbers() -> None:
    assert problems({"stability_read": True}, key="read-stability") == ()
    found = problems({"stability_read": 1}, key="read-stability")
    assert [line.split(":")[0] for line in found] == ["schema", "contradiction"]
