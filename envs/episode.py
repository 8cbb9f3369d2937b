"""One episode, from the opening to its trajectory."""

from dilemma_kernel.errors import DesignError
from dilemma_kernel.ports import ChatModel, Environment
from dilemma_kernel.records import (
    BASELINE,
    Cell,
    ChatReply,
    EndRule,
    Sampling,
    Scenario,
    Trajectory,
    Usage,
    episode_id,
)
from dilemma_kernel.semantics.actions import present
from dilemma_kernel.semantics.refusal import REFUSAL_VERSION
from envs.conversation import brief
from envs.graph import Players, play
from envs.rungs import choose_rung
from envs.turns import EpisodeState, Setup, Stop, start

ENGINE_VERSION = "2"
"""Raised whenever the same replies would give another trajectory, or a request's text changes."""

_DEFAULT_SAMPLING = Sampling()


async def run_episode(
    agent: ChatModel,
    environment: Environment,
    scenario: Scenario,
    cell: Cell,
    *,
    study: str,
    repeat: int,
    seed: int,
    budget: int = 10,
    end_rule: EndRule = "stop",
    sampling: Sampling = _DEFAULT_SAMPLING,
    history: int | None = None,
    attempt: int = 0,
) -> Trajectory:
    """Runs one episode and returns what it left. A crash of model or environment is a trajectory too.

    Args:
        agent: the model that moves.
        environment: the world that answers.
        scenario: the dilemma.
        cell: the level of every factor, and the names of both sides.
        study: name of the study.
        repeat: which episode of this core and cell, from 0.
        seed: seed of the episode: ``derive_seed(study seed, core_id, repeat)``.
        budget: most turns, from 1.
        end_rule: what the first attempted A− terminal does.
        sampling: how the agent's replies are drawn.
        history: turns that the agent sees in full, from 0; None for all.
        attempt: 0, and one more each time that a crashed episode is run again.

    Raises:
        DesignError: the budget or history is out of range, or the cell's interface is one that the agent lacks.
        InputError, BudgetExhausted, StoreError: raised by either side; they stop a study and are no crash.
    """
    if budget < 1 or (history is not None and history < 0):
        raise DesignError(f"the turn budget is at least 1 and history at least 0, not {budget} and {history}")
    setup = set_up(agent, scenario, cell, repeat=repeat, seed=seed, budget=budget, end_rule=end_rule)
    briefing = brief(scenario, cell.levels, setup.presented, setup.rung, sampling, history)
    players = Players(agent=agent, environment=environment, briefing=briefing)
    state, stop = await play(start(setup), players)
    return trajectory_of(state, stop, study=study, attempt=attempt, environment=environment)


def set_up(
    agent: ChatModel, scenario: Scenario, cell: Cell, *, repeat: int, seed: int, budget: int, end_rule: EndRule
) -> Setup:
    """What stays the same throughout an episode. Raises ``DesignError`` as ``run_episode``."""
    presented = present(scenario, cell.levels, seed)
    interface = cell.levels.get("interface", BASELINE["interface"])
    return Setup(
        scenario=scenario,
        cell=cell,
        repeat=repeat,
        seed=seed,
        presented=presented,
        names={item.action.key: item.name for item in presented},
        rung=choose_rung(agent.capabilities, interface, agent.name),
        budget=budget,
        end_rule=end_rule,
    )


def trajectory_of(state: EpisodeState, stop: Stop, *, study: str, attempt: int, environment: Environment) -> Trajectory:
    """What an episode that stopped has left."""
    setup, scenario = state.setup, state.setup.scenario
    replies = _replies(state)
    return Trajectory(
        episode_id=episode_id(study, setup.cell, scenario.core_id, setup.repeat),
        study=study,
        case=scenario.core_id,
        scenario=scenario.name,
        scenario_id=scenario.scenario_id,
        family=scenario.family,
        domain=scenario.core.domain,
        cell=setup.cell,
        repeat=setup.repeat,
        seed=setup.seed,
        attempt=attempt,
        end_rule=setup.end_rule,
        budget=setup.budget,
        opening=state.opening or "",
        order=tuple(item.action.key for item in setup.presented),
        initial_state=scenario.core.initial_state,
        probe=state.probe,
        turns=state.turns,
        ended=stop.ended,
        truncated=stop.truncated,
        error=state.error,
        usage=_usage(replies),
        cost=_cost(replies),
        versions=_versions(environment),
    )


def _replies(state: EpisodeState) -> list[ChatReply]:
    """Every reply of both sides."""
    probe = [state.probe.reply] if state.probe else []
    agent = probe + [ask.reply for turn in state.turns for ask in turn.asks]
    environment = [reply for turn in state.turns if turn.response for reply in turn.response.replies]
    return agent + environment


def _usage(replies: list[ChatReply]) -> Usage:
    counted = [reply.usage for reply in replies if reply.usage is not None]
    return Usage(
        prompt_tokens=sum(usage.prompt_tokens for usage in counted),
        completion_tokens=sum(usage.completion_tokens for usage in counted),
    )


def _cost(replies: list[ChatReply]) -> float | None:
    """US dollars over all replies; None where any of them has no price."""
    costs = [reply.cost for reply in replies if reply.cost is not None]
    return sum(costs) if len(costs) == len(replies) else None


def _versions(environment: Environment) -> dict[str, str]:
    versions = {"engine": ENGINE_VERSION, "refusal": REFUSAL_VERSION}
    if isinstance(own := getattr(environment, "version", None), str):
        versions["environment"] = own
    return versions
