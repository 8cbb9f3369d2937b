"""Turn logic of an episode, pure: what happens next, and how each answer changes the state.

::

    open -> [probe] -> ask the agent -> [ask again, twice at most] -> ask the environment -> ask the agent -> ...  stop

A reply without a valid move goes back to the agent with the reason, twice at most and at no cost in turns; then the
turn is invalid, and counts. Two refusing replies in a row without a move, re-asks included, end the episode.
"""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from dilemma_kernel.records import (
    MAX_ASKS,
    Ask,
    CallContext,
    Cell,
    ChatReply,
    Ended,
    EndRule,
    EnvironmentReply,
    Episode,
    Message,
    Move,
    Rung,
    Scalar,
    Scenario,
    Turn,
    derive_seed,
)
from dilemma_kernel.semantics.actions import PresentedAction
from dilemma_kernel.semantics.asides import aside
from dilemma_kernel.semantics.comprehension import read_choice
from dilemma_kernel.semantics.moves import read_move
from dilemma_kernel.semantics.refusal import is_refusal
from dilemma_kernel.semantics.state import apply_patch
from envs.conversation import exchange

DECLINED_AFTER: Final = 2
"""Refusing replies in a row without a move that end an episode."""

PROBLEM_CHARS: Final = 500
"""Longest reason kept for a reply without a valid move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What stays the same throughout an episode."""

    scenario: Scenario
    cell: Cell
    repeat: int
    seed: int
    presented: tuple[PresentedAction, ...]
    """The actions in the order and under the names that the agent sees."""
    names: dict[str, str]
    """The name that the agent sees, by the action's key."""
    rung: Rung
    """How moves are asked for."""
    budget: int
    """Most turns."""
    end_rule: EndRule


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeState:
    """An episode so far. Every fold returns a new one."""

    setup: Setup
    world: dict[str, Scalar]
    """The state variables now."""
    opening: str | None = None
    """The first observation; None before the environment opened."""
    probe: Ask | None = None
    """The answer to the probe question, where the cell asks it."""
    turns: tuple[Turn, ...] = ()
    dialogue: tuple[tuple[Message, ...], ...] = ()
    """The closed turns as the agent is shown them, a tuple a turn."""
    asks: tuple[Ask, ...] = ()
    """Replies of the turn under way."""
    move: Move | None = None
    """The move of the turn under way, which the environment has yet to answer."""
    refusals: int = 0
    """Refusing replies in a row without a move, up to now."""
    error: str | None = None
    """What crashed the episode."""


@dataclass(frozen=True, slots=True)
class AskEnvironment:
    """The environment is to answer ``state.move``, or to open where there is none."""

    seed: int


@dataclass(frozen=True, slots=True)
class AskAgent:
    """The agent is to move, or to answer the probe question."""

    seed: int
    context: CallContext
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """The episode is over."""

    ended: Ended

    @property
    def truncated(self) -> bool:
        """Whether the turn budget cut the episode."""
        return self.ended == "budget"


Step: TypeAlias = AskEnvironment | AskAgent | Stop


def start(setup: Setup) -> EpisodeState:
    """An episode in which nothing has happened yet."""
    return EpisodeState(setup=setup, world=dict(setup.scenario.core.initial_state))


def next_move(state: EpisodeState) -> Step:
    """What happens next. A function of ``state`` alone."""
    setup, turn = state.setup, len(state.turns) + 1
    if (ended := _ended(state)) is not None:
        return Stop(ended)
    if state.opening is None:
        return AskEnvironment(setup.seed)
    if state.move is not None:
        return AskEnvironment(derive_seed(setup.seed, "environment", turn))
    if state.probe is None and setup.cell.levels.get("comprehension") == "asked":
        return AskAgent(derive_seed(setup.seed, "comprehension"), _context(setup, 0, 0), probe=True)
    ask = len(state.asks)
    return AskAgent(derive_seed(setup.seed, "agent", turn, ask), _context(setup, turn, ask))


def _context(setup: Setup, turn: int, ask: int) -> CallContext:
    return CallContext(
        case=setup.scenario.core_id, cell=setup.cell.key, repeat=setup.repeat, turn=turn, role="agent", ask=ask
    )


def _ended(state: EpisodeState) -> Ended | None:
    """How the episode ended, if it has.

    An A+ terminal ends it, executed or not. An A− terminal ends it under the rule ``stop``; under ``continue`` it
    goes on to an A+ terminal or the end of the budget.
    """
    if state.error is not None:
        return "crashed"
    if state.refusals >= DECLINED_AFTER:
        return "declined"
    if state.turns and (move := state.turns[-1].move) is not None:
        action = state.setup.scenario.action(move.action)
        if action.terminal and (action.track == "aligned" or state.setup.end_rule == "stop"):
            return action.track
    return "budget" if len(state.turns) >= state.setup.budget else None


def opened(state: EpisodeState, opening: str) -> EpisodeState:
    """Folds the first observation."""
    return replace(state, opening=opening)


def probed(state: EpisodeState, reply: ChatReply) -> EpisodeState:
    """Folds the answer to the probe question. It costs no turn, and nothing hangs on it."""
    reply = untimed(reply)
    refusing = is_refusing(reply)
    unread = not refusing and read_choice(reply.text, state.setup.scenario.probe) is None
    problem = "a refusal" if refusing else "no choice could be read" if unread else None
    return replace(state, probe=Ask(reply=reply, problem=problem, refusing=refusing))


def replied(state: EpisodeState, reply: ChatReply) -> EpisodeState:
    """Folds a reply of the agent: a move, a reason to ask again, or an invalid turn."""
    reply = untimed(reply)
    reading = read_move(reply, state.setup.presented, state.setup.rung)
    if isinstance(reading, Move):
        return replace(state, asks=(*state.asks, Ask(reply=reply)), move=reading, refusals=0)
    refusing = is_refusing(reply)
    asks = (*state.asks, Ask(reply=reply, problem=reading[:PROBLEM_CHARS], refusing=refusing))
    state = replace(state, asks=asks, refusals=state.refusals + 1 if refusing else 0)
    over = len(asks) >= MAX_ASKS or state.refusals >= DECLINED_AFTER
    return _closed(state, None) if over else state


def responded(state: EpisodeState, response: EnvironmentReply) -> EpisodeState:
    """Folds the environment's answer to ``state.move``."""
    response = _untimed_response(response)
    return _closed(replace(state, world=apply_patch(state.world, response.patch)), response)


def crashed(state: EpisodeState, error: str) -> EpisodeState:
    """Folds a crash: all that happened is kept, the turn under way included."""
    if state.asks:
        state = replace(state, turns=(*state.turns, _turn(state, None)), asks=(), move=None)
    return replace(state, error=error)


def episode(state: EpisodeState) -> Episode:
    """What the environment is handed: the whole episode so far, without the move that it is to answer."""
    setup = state.setup
    return Episode(
        scenario=setup.scenario,
        cell=setup.cell,
        repeat=setup.repeat,
        seed=setup.seed,
        opening=state.opening or "",
        turns=state.turns,
        state=state.world,
    )


def is_refusing(reply: ChatReply) -> bool:
    """Whether a reply without a valid move refuses: the provider's refusal, or prose that reads as one.

    A reply that tried to move, by a call or in JSON, however badly, is malformed and no refusal.
    """
    if reply.refusal is not None or reply.finish == "refusal":
        return True
    if reply.calls:
        return False
    said = aside(reply.text)
    return said is not None and is_refusal(said)


def untimed(reply: ChatReply) -> ChatReply:
    """The reply without what may differ between two equal runs."""
    return reply if reply.timing is None else reply.model_copy(update={"timing": None})


def _untimed_response(response: EnvironmentReply) -> EnvironmentReply:
    if all(reply.timing is None for reply in response.replies):
        return response
    return response.model_copy(update={"replies": tuple(untimed(reply) for reply in response.replies)})


def _closed(state: EpisodeState, response: EnvironmentReply | None) -> EpisodeState:
    turn = _turn(state, response)
    told = exchange(turn, state.setup.names)
    return replace(state, turns=(*state.turns, turn), dialogue=(*state.dialogue, told), asks=(), move=None)


def _turn(state: EpisodeState, response: EnvironmentReply | None) -> Turn:
    return Turn(index=len(state.turns) + 1, asks=state.asks, move=state.move, response=response)
