"""An episode while it runs, and the trajectory that it leaves."""

from typing import Literal

from dilemma_kernel.records.base import JsonObject, Record, Scalar, content_hash
from dilemma_kernel.records.chat import ChatReply, Rung, Usage
from dilemma_kernel.records.design import Cell
from dilemma_kernel.records.scenario import Scenario

Ended = Literal["aligned", "misaligned", "budget", "declined", "crashed", "answered"]
"""``answered`` is the end of a benchmark's arm, which is one reply; the others are those of an episode."""
EndRule = Literal["stop", "continue"]
"""What the first attempted A− terminal does: end the episode, or let it go on."""

MAX_ASKS = 3
"""Replies of the agent in one turn at most: the first, and two re-asks."""


class Move(Record):
    """One valid action of the agent."""

    action: str
    """Key of the action."""
    parameters: JsonObject
    reasoning: str = ""
    """What the agent said of its reasons, beside or inside the call."""
    rung: Rung
    """How the move was given."""


class Ask(Record):
    """One reply of the agent, and what was wrong with it."""

    reply: ChatReply
    problem: str | None = None
    """Why it is no valid move; None for the reply that the move was read from."""
    refusing: bool = False
    """Whether it was a refusal: the provider's, or prose that the rule-based judge calls one."""


class Fault(Record):
    """Something that an environment got wrong."""

    kind: Literal["schema", "contradiction", "unreadable", "empty", "refusal"]
    detail: str
    mended: Literal["repaired", "replaced"]
    """``repaired`` by asking again, or ``replaced`` by the rules' own answer."""


class EnvironmentReply(Record):
    """What the environment answers to a move."""

    observation: str
    patch: dict[str, Scalar] = {}
    """State variables that changed, and their new values."""
    executed: bool = True
    """Whether the attempted action took effect."""
    faults: tuple[Fault, ...] = ()
    replies: tuple[ChatReply, ...] = ()
    """Raw replies of an environment model, the faulty ones too."""


class Turn(Record):
    """One turn: what the agent said, the move read from it, what the environment answered."""

    index: int
    """From 1."""
    asks: tuple[Ask, ...]
    move: Move | None
    """None for an invalid turn."""
    response: EnvironmentReply | None
    """None where the environment was not asked, or crashed in answering."""


class Episode(Record):
    """What an environment sees: the whole episode so far."""

    scenario: Scenario
    cell: Cell
    repeat: int
    seed: int
    opening: str
    turns: tuple[Turn, ...] = ()
    state: dict[str, Scalar]
    """The state now: the initial state with every patch applied."""


def episode_id(study: str, cell: Cell, case: str, repeat: int) -> str:
    """The id of an episode or of a benchmark's arm: a hash of where in its study it belongs.

    Args:
        study: the study's name.
        cell: the cell.
        case: core_id, or a triple's id.
        repeat: number of the repeat, from 0.
    """
    return content_hash([study, cell.key, case, repeat])


class Trajectory(Record):
    """What an episode leaves. Judgements are stored beside it, not in it."""

    episode_id: str
    study: str
    instrument: Literal["dilemma", "transfer"] = "dilemma"
    case: str
    """core_id, or a triple's id."""
    scenario: str
    """Readable name of the scenario."""
    scenario_id: str
    family: str | None = None
    domain: str
    cell: Cell
    repeat: int
    seed: int
    attempt: int = 0
    """0, and one more for each time that a crashed episode was run again."""
    origin: str | None = None
    """For a fork, the episode that it came from. Forks never enter rates."""
    end_rule: EndRule = "stop"
    budget: int
    """Most turns."""
    opening: str
    order: tuple[str, ...]
    """Keys of the actions in the order in which the agent saw them."""
    initial_state: dict[str, Scalar]
    probe: Ask | None = None
    """The answer to the scenario's probe question, where it was asked before the first move."""
    turns: tuple[Turn, ...]
    ended: Ended
    truncated: bool
    """Whether the turn budget cut the episode."""
    error: str | None = None
    """What crashed it."""
    usage: Usage = Usage()
    cost: float | None = None
    """US dollars over all replies; None where a price is unknown."""
    versions: dict[str, str] = {}
    """Versions of what made it, by name."""
