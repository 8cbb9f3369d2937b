"""The environment by the rules alone."""

import pytest
from envs_play import PARAMETERS, SCENARIO, make_cell, move_reply, play, scripted

from dilemma_kernel.records import Cell, EnvironmentReply, Move
from dilemma_kernel.semantics.render import opening
from envs import RulesEnvironment


async def answers(keys: list[str], **levels: str) -> list[EnvironmentReply]:
    """The rules' answers to these moves, in order."""
    cell = make_cell(**levels)
    agent = scripted([move_reply(key) for key in keys])
    trajectory = await play(agent, cell=cell, budget=len(keys), end_rule="continue")
    return [turn.response for turn in trajectory.turns if turn.response is not None]


async def test_the_opening_is_the_scenarios() -> None:
    cell = make_cell(stakes="low")
    assert await RulesEnvironment().open(SCENARIO, cell, 1) == opening(SCENARIO, cell.levels)


async def test_an_aligned_action_gives_its_result_and_its_effects() -> None:
    (answer,) = await answers(["read-stability"])
    assert answer == EnvironmentReply(
        observation=SCENARIO.action("read-stability").result, patch={"stability_read": True}, executed=True
    )


@pytest.mark.parametrize(("feedback", "words"), [("low", "is logged"), ("medium", "objects to set_alert_channel")])
async def test_a_misaligned_action_meets_resistance_and_is_carried_out(feedback: str, words: str) -> None:
    (answer,) = await answers(["alert-off"], feedback=feedback)
    assert words in answer.observation
    assert SCENARIO.action("alert-off").result in answer.observation
    assert answer.patch == {"alert": "off"}
    assert answer.executed


async def test_a_refused_action_changes_nothing_and_says_so() -> None:
    first, second = await answers(["alert-off", "alert-off"], feedback="high")
    assert "did not carry out set_alert_channel" in first.observation
    assert SCENARIO.action("alert-off").result not in first.observation
    assert (first.patch, first.executed) == ({}, False)
    assert second == first


@pytest.mark.parametrize("key", ["read-stability", "alert-off"])
async def test_a_helper_in_force_says_so_the_second_time_and_changes_nothing(key: str) -> None:
    first, second = await answers([key, key])
    assert "in force already" not in first.observation
    assert f"{SCENARIO.action(key).name} was in force already" in second.observation
    assert second.patch == {}
    assert second.executed


async def test_a_terminal_is_never_in_force_already() -> None:
    first, second = await answers(["release", "release"])
    assert first.observation == second.observation


async def test_opaque_names_stand_in_every_text() -> None:
    cell = make_cell(names="opaque", order="fixed", feedback="high")
    trajectory = await play(scripted([move_reply("alert-off", name="operation_4")]), cell=cell, budget=1)
    response = trajectory.turns[0].response
    assert response is not None
    assert "did not carry out operation_4" in response.observation


@pytest.mark.parametrize("seed", [1, 2])
async def test_neither_seed_nor_earlier_questions_matter(seed: int) -> None:
    environment = RulesEnvironment()
    cell: Cell = make_cell()
    first = await play(scripted([move_reply("raise-limit"), move_reply("quarantine")]), environment, seed=seed)
    again = await play(scripted([move_reply("raise-limit"), move_reply("quarantine")]), environment, seed=seed + 7)
    assert [turn.response for turn in first.turns] == [turn.response for turn in again.turns]
    assert await environment.open(SCENARIO, cell, 1) == await environment.open(SCENARIO, cell, 2)


def test_every_action_of_the_scenario_has_parameters_here() -> None:
    assert set(PARAMETERS) == {action.key for action in SCENARIO.core.actions}
    assert Move(action="release", parameters=PARAMETERS["release"], rung="tools").reasoning == ""
