"""A fork: an episode that goes on from a stored one's state, with another agent or at other levels."""

from collections.abc import Iterable

from dilemma_kernel.errors import DesignError
from dilemma_kernel.ports import ChatModel, Environment
from dilemma_kernel.records import (
    Cell,
    Rung,
    Sampling,
    Scalar,
    Scenario,
    ToolCall,
    Trajectory,
    Turn,
    canonical_json,
    content_hash,
)
from dilemma_kernel.semantics.state import apply_patch
from envs.conversation import brief, exchange
from envs.episode import set_up, trajectory_of
from envs.graph import Players, play
from envs.turns import EpisodeState, Setup, Stop, next_move, start

KEPT_FACTORS = ("names", "interface", "comprehension")
"""Factors that a fork cannot change: the turns before were taken under their levels, and would not fit."""


async def fork_episode(
    agent: ChatModel,
    environment: Environment,
    origin: Trajectory,
    scenario: Scenario,
    cell: Cell,
    *,
    at_turn: int,
    sampling: Sampling,
    history: int | None = None,
) -> Trajectory:
    """Goes on from the state after turn ``at_turn`` of ``origin``; the turns up to it stay as they were.

    The opening is that of ``cell``, and turns given in one form (a call, or JSON) are told to the agent in its own.

    Args:
        agent: the model that moves from now on.
        environment: the world that answers.
        origin: the episode that is forked.
        scenario: its dilemma.
        cell: the fork's agent, environment and levels.
        at_turn: the last turn that is kept; 0 for none.
        sampling: how the agent's replies are drawn.
        history: turns that the agent sees in full; None for all.

    Returns:
        A trajectory whose ``origin`` is the episode's id.

    Raises:
        DesignError: there is no such turn, the episode was over after it, or a level cannot be changed.
    """
    _check(origin, cell, at_turn)
    setup = set_up(
        agent, scenario, cell, repeat=origin.repeat, seed=origin.seed, budget=origin.budget, end_rule=origin.end_rule
    )
    state = _begun(setup, origin, origin.turns[:at_turn])
    if isinstance(next_move(state), Stop):
        raise DesignError(f"episode {origin.episode_id} was over after turn {at_turn}: fork it at an earlier one")
    briefing = brief(scenario, cell.levels, setup.presented, setup.rung, sampling, history)
    state, stop = await play(state, Players(agent=agent, environment=environment, briefing=briefing))
    made = trajectory_of(state, stop, study=origin.study, attempt=0, environment=environment)
    identity = ["fork", origin.episode_id, origin.attempt, at_turn, cell.key]
    return made.model_copy(update={"episode_id": content_hash(identity), "origin": origin.episode_id})


def _check(origin: Trajectory, cell: Cell, at_turn: int) -> None:
    if not 0 <= at_turn <= len(origin.turns):
        raise DesignError(f"episode {origin.episode_id} has {len(origin.turns)} turns: no turn {at_turn} to fork at")
    for name in KEPT_FACTORS:
        if cell.levels.get(name) != origin.cell.levels.get(name):
            raise DesignError(f"a fork cannot change {name}: the turns before were taken under the other level")


def _begun(setup: Setup, origin: Trajectory, turns: tuple[Turn, ...]) -> EpisodeState:
    """The state after these turns, as the agent of ``setup`` would have been shown it."""
    begun = start(setup)
    world: dict[str, Scalar] = dict(begun.world)
    for turn in turns:
        world = apply_patch(world, turn.response.patch if turn.response else {})
    return EpisodeState(
        setup=setup,
        world=world,
        probe=origin.probe,
        turns=turns,
        dialogue=tuple(exchange(_in_form(turn, setup), setup.names) for turn in turns),
        refusals=_refusals(turns),
    )


def _refusals(turns: Iterable[Turn]) -> int:
    """Refusing replies in a row up to now."""
    count = 0
    for ask in (ask for turn in turns for ask in turn.asks):
        count = count + 1 if ask.refusing else 0
    return count


def _in_form(turn: Turn, setup: Setup) -> Turn:
    """The turn with its move in the form of the agent's rung; only for telling, never stored."""
    if turn.move is None or _form(turn.move.rung) == _form(setup.rung):
        return turn
    last, move = turn.asks[-1], turn.move
    name = setup.names[move.action]
    if _form(setup.rung) == "calls":
        arguments = {**move.parameters, "reasoning": move.reasoning}
        call = ToolCall(name=name, arguments=arguments, raw=canonical_json(arguments))
        changes: dict[str, object] = {"text": "", "calls": (call,), "finish": "tool_calls"}
    else:
        said = {"reasoning": move.reasoning, "action": name, "parameters": move.parameters}
        changes = {"text": canonical_json(said), "calls": (), "finish": "stop"}
    retold = last.model_copy(update={"reply": last.reply.model_copy(update=changes)})
    told = move.model_copy(update={"rung": setup.rung})
    return turn.model_copy(update={"asks": (*turn.asks[:-1], retold), "move": told})


def _form(rung: Rung) -> str:
    return "calls" if rung == "tools" else "text"
