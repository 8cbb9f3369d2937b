"""The state machine of an episode: two LangGraph nodes around the pure turn logic.

The graph is compiled once a process and holds no checkpointer, for the call log is the checkpoint. Each node awaits
one port, folds the answer and says itself where to go (``Command``), which costs half of what conditional edges do.
"""

from collections.abc import Awaitable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias, TypedDict

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from dilemma_kernel.errors import BudgetExhausted, EnvironmentFailure, InputError, ModelError, StoreError
from dilemma_kernel.ports import ChatModel, Environment
from dilemma_kernel.records import MAX_ASKS, ChatReply, EnvironmentReply
from envs.contract import response_problems, storable
from envs.conversation import Briefing, agent_request, probe_request
from envs.turns import (
    AskAgent,
    AskEnvironment,
    EpisodeState,
    Step,
    Stop,
    crashed,
    episode,
    next_move,
    opened,
    probed,
    replied,
    responded,
)

STOPS_A_STUDY: Final = (BudgetExhausted, StoreError, InputError)
"""Errors that are no crash of one episode: they leave it, and stop the study that runs it."""

ERROR_CHARS: Final = 500
"""Longest error text kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Who is asked in an episode."""

    agent: ChatModel
    environment: Environment
    briefing: Briefing


@dataclass(frozen=True, slots=True)
class Position:
    """An episode so far, and what happens next."""

    state: EpisodeState
    step: Step


class _Channels(TypedDict):
    """The one channel of the graph."""

    at: Position


_Node: TypeAlias = Literal["agent", "environment", "__end__"]


async def play(state: EpisodeState, players: Players) -> tuple[EpisodeState, Stop]:
    """Runs an episode from ``state`` to its end.

    Raises:
        BudgetExhausted, StoreError, InputError: they stop a study; every other error becomes a crash of the episode.
    """
    step = next_move(state)
    if isinstance(step, Stop):
        return state, step
    limit = recursion_limit(state.setup.budget)
    values = await _compiled().ainvoke({"at": Position(state, step)}, {"recursion_limit": limit}, context=players)
    at: Position = values["at"]
    assert isinstance(at.step, Stop)
    return at.state, at.step


def recursion_limit(budget: int) -> int:
    """Steps that no episode of ``budget`` turns passes: opening, probe, then all asks and one answer a turn."""
    return 3 + budget * (MAX_ASKS + 1)


@cache
def _compiled() -> Any:
    graph = StateGraph(_Channels, context_schema=Players)
    graph.add_node("environment", _environment_node)
    graph.add_node("agent", _agent_node)
    graph.add_edge(START, "environment")
    return graph.compile(name="episode")


async def _environment_node(state: _Channels, *, runtime: Runtime[Players]) -> Command[_Node]:
    at = state["at"]
    assert isinstance(at.step, AskEnvironment)
    return _onward(await _guarded(at.state, _ask_environment(at.state, at.step, runtime.context)))


async def _agent_node(state: _Channels, *, runtime: Runtime[Players]) -> Command[_Node]:
    at = state["at"]
    assert isinstance(at.step, AskAgent)
    return _onward(await _guarded(at.state, _ask_agent(at.state, at.step, runtime.context)))


def _onward(state: EpisodeState) -> Command[_Node]:
    step = next_move(state)
    goto: _Node = "__end__" if isinstance(step, Stop) else "agent" if isinstance(step, AskAgent) else "environment"
    return Command(update={"at": Position(state, step)}, goto=goto)


async def _guarded(state: EpisodeState, folded: Awaitable[EpisodeState]) -> EpisodeState:
    """Whatever breaks, beside what stops a study, crashes this episode and no other."""
    try:
        return await folded
    except STOPS_A_STUDY:
        raise
    except Exception as error:
        return crashed(state, described(error))


async def _ask_environment(state: EpisodeState, step: AskEnvironment, players: Players) -> EpisodeState:
    setup, environment = state.setup, players.environment
    if state.move is None:
        text = await environment.open(setup.scenario, setup.cell, step.seed)
        if not isinstance(text, str) or not storable(text):
            raise EnvironmentFailure(f"open gave {type(text).__name__}, not a text that can be stored")
        return opened(state, text)
    response = await environment.respond(episode(state), state.move, step.seed)
    if not isinstance(response, EnvironmentReply):
        raise EnvironmentFailure(f"respond gave {type(response).__name__}, not an EnvironmentReply")
    problems = response_problems(setup.scenario, state.world, state.move, response, setup.cell.levels)
    if problems:
        raise EnvironmentFailure(f"the environment broke its contract: {'; '.join(problems)}")
    return responded(state, response)


async def _ask_agent(state: EpisodeState, step: AskAgent, players: Players) -> EpisodeState:
    briefing, opening = players.briefing, state.opening or ""
    if step.probe:
        request = probe_request(briefing, opening, step.seed, step.context)
    else:
        request = agent_request(
            briefing, opening, state.dialogue, state.asks, step.seed, step.context, probe=state.probe
        )
    reply = await players.agent.complete(request)
    if not isinstance(reply, ChatReply):
        raise ModelError(f"the model gave {type(reply).__name__}, not a ChatReply")
    return probed(state, reply) if step.probe else replied(state, reply)


def described(error: Exception) -> str:
    """One bounded line: the error's type and message. No traceback, whose frames may hold a key."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")[:ERROR_CHARS]
