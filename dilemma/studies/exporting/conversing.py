"""An episode as the conversation that it was, whole replies included. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dilemma_kernel.records import ChatReply, Scenario, ToolCall, Trajectory, Turn
from dilemma_kernel.semantics.comprehension import GO_ON, probe_text
from envs.conversation import told_again


@dataclass(frozen=True, kw_only=True)
class Said:
    """One message."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    turn: int
    """0 before the first turn."""
    reply: ChatReply | None = None
    """Of an assistant message: the reply that it is."""
    calls: tuple[tuple[str, ToolCall], ...] = ()
    """Of an assistant message: its calls, each with an id made from its place."""
    answers: str | None = None
    """Of a tool message: id of the call that it answers."""
    function: str | None = None


def conversation(trajectory: Trajectory, scenario: Scenario | None, system: str | None) -> Iterator[Said]:
    """Every message in order: what the agent was sent, its replies in full, what it met.

    A last reply without a valid move has no answer: nothing was sent after it.

    Args:
        trajectory: the episode.
        scenario: None for an arm of refusal transfer.
        system: the system text; None where it is not known.
    """
    if system is not None:
        yield Said(role="system", text=system, turn=0)
    asked = f"\n\n{probe_text(scenario.probe)}" if trajectory.probe and scenario else ""
    yield Said(role="user", text=trajectory.opening + asked, turn=0)
    if trajectory.probe:
        yield _reply(trajectory.probe.reply, 0, 0)
        if trajectory.turns:
            yield Said(role="user", text=GO_ON, turn=1)
    for turn in trajectory.turns:
        is_last = turn is trajectory.turns[-1] and trajectory.ended != "crashed"
        yield from _turn(turn, is_last=is_last)


def _turn(turn: Turn, *, is_last: bool) -> Iterator[Said]:
    for number, ask in enumerate(turn.asks, start=1):
        said = _reply(ask.reply, turn.index, number)
        yield said
        if ask.problem is not None:
            ends = number == len(turn.asks)
            if not (ends and is_last):
                passed = ends and turn.move is None
                yield Said(role="user", text=told_again(ask.problem, passed=passed), turn=turn.index)
        elif turn.response is not None:
            yield _met(turn, turn.response.observation, said)


def _met(turn: Turn, observation: str, said: Said) -> Said:
    """What the environment answered: the result of the first call, or in words."""
    if turn.move is None or turn.move.rung != "tools" or not said.calls:
        return Said(role="user", text=observation, turn=turn.index)
    name, call = said.calls[0]
    return Said(role="tool", text=observation, turn=turn.index, answers=name, function=call.name)


def _reply(reply: ChatReply, turn: int, number: int) -> Said:
    calls = tuple((f"call-{turn}-{number}-{place}", call) for place, call in enumerate(reply.calls))
    text = "\n".join(part for part in (reply.refusal, reply.text) if part)
    return Said(role="assistant", text=text, turn=turn, reply=reply, calls=calls)
