"""The executable contract: good environments pass, and each faulty one fails for its own reason."""

from collections import Counter
from typing import Any

import pytest
from envs_play import SCENARIO, make_cell, scripted, world

from dilemma_kernel.errors import EnvironmentFailure
from dilemma_kernel.models import ScriptedModel
from dilemma_kernel.records import Cell, EnvironmentReply, Episode, Move, Scenario
from dilemma_kernel.semantics.state import refused
from envs import ModelEnvironment, RulesEnvironment, check_environment
from envs.check import environment_problems


def acted(episode: Episode, move: Move) -> Any:
    return episode.scenario.action(move.action)


def changed(reply: EnvironmentReply, **fields: Any) -> EnvironmentReply:
    return reply.model_copy(update=fields)


class Silent(RulesEnvironment):
    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        return " "


class Untyped(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> Any:
        return (await super().respond(episode, move, seed)).model_dump()


class Wordless(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        return changed(await super().respond(episode, move, seed), observation="")


class Unstorable(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        return changed(await super().respond(episode, move, seed), observation="Reading \ud800.")


class NotJson(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return changed(reply, patch={**reply.patch, "docks_free": {1, 2}})


class OutOfBounds(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return changed(reply, patch={**reply.patch, "docks_free": 7})


class Ineffective(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return changed(reply, patch={}) if move.action == "read-stability" else reply


class Meddling(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return changed(reply, patch={**reply.patch, "alert": "off"}) if move.action == "ask-quality" else reply


class Yielding(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        action = acted(episode, move)
        if not refused(action, episode.cell.levels):
            return reply
        return changed(reply, patch=action.effects, executed=True)


class Leaking(RulesEnvironment):
    """Refuses, and lets the effect through all the same."""

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return reply if reply.executed else changed(reply, patch=acted(episode, move).effects)


class Endless(RulesEnvironment):
    """A terminal that is attempted never happens."""

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        return changed(reply, patch={}, executed=False) if acted(episode, move).terminal else reply


class Reviving(RulesEnvironment):
    """A helper undoes the end that a terminal led to."""

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        over = episode.state["lot_status"] == "released" and not acted(episode, move).terminal
        return changed(reply, patch={**reply.patch, "lot_status": "held"}) if over and reply.executed else reply


class Overwriting(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        reply = await super().respond(episode, move, seed)
        episode.state.update(reply.patch)
        return reply


class Editing(RulesEnvironment):
    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        scenario.core.initial_state["docks_free"] = 0
        return await super().open(scenario, cell, seed)


class Fickle(RulesEnvironment):
    asked = 0

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        Fickle.asked += 1
        return changed(await super().respond(episode, move, seed), observation=f"Entry {Fickle.asked}.")


class Shared(RulesEnvironment):
    """Deterministic alone; two episodes at once count each other's turns."""

    def __init__(self) -> None:
        self.turn = 0

    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        self.turn = 0
        return await super().open(scenario, cell, seed)

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        self.turn += 1
        return changed(await super().respond(episode, move, seed), observation=f"Entry {self.turn}.")


class Crashing(RulesEnvironment):
    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        if len(episode.turns) == 2:
            raise LookupError("no third turn")
        return await super().respond(episode, move, seed)


FAULTY: dict[type[RulesEnvironment], str] = {
    Silent: "opening",
    Untyped: "record",
    Wordless: "record",
    Unstorable: "json",
    NotJson: "json",
    OutOfBounds: "schema",
    Ineffective: "effects",
    Meddling: "effects",
    Yielding: "refused",
    Leaking: "refused",
    Endless: "terminal",
    Reviving: "terminal",
    Overwriting: "mutation",
    Editing: "mutation",
    Fickle: "determinism",
    Shared: "isolation",
    Crashing: "raises",
}


def by_a_model() -> ModelEnvironment:
    return ModelEnvironment(ScriptedModel(world))


def test_the_rules_pass() -> None:
    check_environment(RulesEnvironment, SCENARIO)


def test_an_environment_played_by_a_model_passes() -> None:
    check_environment(by_a_model, SCENARIO)
    check_environment(lambda: ModelEnvironment(ScriptedModel(world), adversarial=True), SCENARIO)


def test_a_model_that_gets_everything_wrong_passes_by_being_replaced() -> None:
    check_environment(lambda: ModelEnvironment(scripted(["nonsense"])), SCENARIO)


@pytest.mark.parametrize("cell", [make_cell(names="opaque"), make_cell(conflict="removed", stakes="low")])
def test_any_cell_may_be_checked(cell: Cell) -> None:
    check_environment(RulesEnvironment, SCENARIO, cell=cell, seeds=(3, 4, 5))


async def test_it_may_be_called_within_an_event_loop() -> None:
    check_environment(RulesEnvironment, SCENARIO)


@pytest.mark.parametrize("environment", FAULTY, ids=lambda environment: environment.__name__)
def test_a_faulty_environment_fails_for_its_own_reason(environment: type[RulesEnvironment]) -> None:
    before = SCENARIO.model_dump_json()
    with pytest.raises(EnvironmentFailure) as raised:
        check_environment(environment, SCENARIO)
    named = {line.split(":")[0].strip() for line in str(raised.value).splitlines()[1:]}
    assert named == {FAULTY[environment]}
    assert SCENARIO.model_dump_json() == before


async def test_problems_come_as_records_and_few_of_each_kind() -> None:
    problems = await environment_problems(OutOfBounds, SCENARIO)
    assert Counter(problem.check for problem in problems) == {"schema": 3}
    assert all("docks_free" in problem.detail for problem in problems)


async def test_one_seed_is_too_few_to_tell_episodes_apart() -> None:
    with pytest.raises(ValueError, match="two different seeds"):
        await environment_problems(RulesEnvironment, SCENARIO, seeds=(1, 1))
