"""An episode as the conversation that it was, whole replies included. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dilemma_kernel.records import ChatReply, Rung, Sampling, Scenario, ToolCall, Trajectory, Turn
from dilemma_kernel.semantics.actions import present
from dilemma_kernel.semantics.comprehension import probe_text
from envs.conversation import brief

NOT_A_MOVE = "No action was taken: {problem}."


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


def conversation(trajectory: Trajectory, scenario: Scenario | None) -> Iterator[Said]:
    """Every message in order: what the agent was told, its replies in full, what it met.

    Args:
        trajectory: the episode.
        scenario: None for an arm of refusal transfer, whose system text is its condition's and is not repeated here.
    """
    if scenario is not None:
        rung: Rung = next((turn.move.rung for turn in trajectory.turns if turn.move), "tools")
        presented = present(scenario, trajectory.cell.levels, trajectory.seed)
        briefing = brief(scenario, trajectory.cell.levels, presented, rung, Sampling(), None)
        yield Said(role="system", text=briefing.system.content, turn=0)
    asked = f"\n\n{probe_text(scenario.probe)}" if trajectory.probe and scenario else ""
    yield Said(role="user", text=trajectory.opening + asked, turn=0)
    if trajectory.probe:
        yield _reply(trajectory.probe.reply, 0, 0)
    for turn in trajectory.turns:
        yield from _turn(turn)


def _turn(turn: Turn) -> Iterator[Said]:
    for number, ask in enumerate(turn.asks):
        said = _reply(ask.reply, turn.index, number)
        yield said
        if ask.problem is not None:
            yield Said(role="user", text=NOT_A_MOVE.format(problem=ask.problem), turn=turn.index)
        elif turn.response is not None:
            by_call = turn.move is not None and turn.move.rung == "tools" and said.calls
            yield Said(
                role="tool" if by_call else "user",
                text=turn.response.observation,
                turn=turn.index,
                answers=said.calls[0][0] if by_call else None,
                function=said.calls[0][1].name if by_call else None,
            )


def _reply(reply: ChatReply, turn: int, number: int) -> Said:
    calls = tuple((f"call-{turn}-{number}-{place}", call) for place, call in enumerate(reply.calls))
    return Said(role="assistant", text=reply.refusal or reply.text, turn=turn, reply=reply, calls=calls)
