"""The environment ``rules``: deterministic, from the scenario's own effects and the feedback level."""

from collections.abc import Mapping, Sequence

from dilemma_kernel.records import BASELINE, Action, Cell, EnvironmentReply, Episode, Move, Scalar, Scenario, Turn
from dilemma_kernel.semantics.actions import present, presented_name
from dilemma_kernel.semantics.render import observation, opening
from dilemma_kernel.semantics.state import declared_patch, refused, same


class RulesEnvironment:
    """The world by the rules alone. It needs no model, holds no state, and uses no randomness."""

    name = "rules"

    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        """The scenario's opening at the cell's levels."""
        return opening(scenario, cell.levels)

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        """What the move meets, and the declared effects that are not yet in the state."""
        return rules_reply(episode, move)


def rules_reply(episode: Episode, move: Move) -> EnvironmentReply:
    """The rules' answer to ``move``.

    An A+ action gives its result; an A− action meets the feedback's words, then gives its result unless the level
    refuses it. A helper whose effects are in force already says so.
    """
    scenario, levels = episode.scenario, episode.cell.levels
    action = scenario.action(move.action)
    name = shown_names(episode)[action.key]
    text = observation(scenario, action, name, levels)
    if refused(action, levels):
        return EnvironmentReply(observation=text, executed=False)
    if in_force(episode.turns, episode.state, action):
        text = f"{text}\n\n{name} was in force already; nothing further has changed."
    patch = declared_patch(scenario, action, levels)
    return EnvironmentReply(observation=text, patch=changes(episode.state, patch))


def shown_names(episode: Episode) -> dict[str, str]:
    """The name under which this episode's agent sees each action, by the action's key, in the file's order."""
    scenario, levels = episode.scenario, episode.cell.levels
    if levels.get("names", BASELINE["names"]) == "neutral":  # then neither order nor seed matters
        return {action.key: action.name for action in scenario.core.actions}
    presented = present(scenario, levels, episode.seed)
    return {action.key: presented_name(presented, action.key) for action in scenario.core.actions}


def in_force(turns: Sequence[Turn], state: dict[str, Scalar], action: Action) -> bool:
    """Whether a helper was executed before and its effects still hold."""
    if action.terminal or any(not same(state.get(name), value) for name, value in action.effects.items()):
        return False
    return any(
        turn.move.action == action.key and turn.response.executed for turn in turns if turn.move and turn.response
    )


def changes(state: Mapping[str, Scalar], patch: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The part of ``patch`` that differs from ``state``."""
    return {name: value for name, value in patch.items() if name not in state or not same(state[name], value)}
