"""The agent's side of the conversation: what it is told before it moves, and how its turns are told back to it.

A reply that holds no valid move is never replayed as it came: broken arguments would be refused by a provider. Its
first characters stand as assistant text, and the reason follows as a user message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dilemma_kernel.records import (
    Ask,
    CallContext,
    ChatReply,
    ChatRequest,
    JsonObject,
    Message,
    Move,
    Rung,
    Sampling,
    Scenario,
    ToolSpec,
    Turn,
    canonical_json,
)
from dilemma_kernel.semantics.actions import PresentedAction, prompted_instructions, reply_schema, tool_specs
from dilemma_kernel.semantics.comprehension import GO_ON, probe_schema, probe_text
from dilemma_kernel.semantics.render import agent_system

EXCERPT_CHARS: Final = 2_000
"""Most characters of a reply without a valid move that the agent is shown again."""

REPLAY_CHARS: Final = 20_000
"""Longest valid reply that is replayed as it came; a longer one is cut to the move and the start of its reasoning."""

_ASK_AGAIN: Final = "Give exactly one action, in the form asked for."
_INVALID_TURN: Final = "This turn has passed without an action. Take your next action now."


@dataclass(frozen=True, slots=True, kw_only=True)
class Briefing:
    """What is the same in every request of an episode."""

    system: Message
    tools: tuple[ToolSpec, ...]
    reply_schema: JsonObject | None
    sampling: Sampling
    history: int | None
    """Turns that the agent sees in full; None for all. System text, opening and probe always stay."""
    question: str | None = None
    """The probe question, where it is asked before the first move."""
    question_schema: JsonObject | None = None


def brief(
    scenario: Scenario,
    levels: Mapping[str, str],
    presented: tuple[PresentedAction, ...],
    rung: Rung,
    sampling: Sampling,
    history: int | None,
) -> Briefing:
    """What an agent on ``rung`` is told once.

    On the rungs ``schema`` and ``prompted`` the system text lists the actions, for a schema only constrains a reply
    and many servers never show it to the model. On ``tools`` the provider shows the tools itself.
    """
    text = agent_system(scenario, levels)
    if rung != "tools":
        text = f"{text}\n\n{prompted_instructions(presented)}"
    asked = levels.get("comprehension") == "asked"
    return Briefing(
        question=probe_text(scenario.probe) if asked else None,
        question_schema=probe_schema(scenario.probe) if asked and rung == "schema" else None,
        system=Message(role="system", content=text),
        tools=tool_specs(presented) if rung == "tools" else (),
        reply_schema=reply_schema(presented, sampling.max_tokens) if rung == "schema" else None,
        sampling=sampling,
        history=history,
    )


def agent_request(
    briefing: Briefing,
    opening: str,
    dialogue: Sequence[tuple[Message, ...]],
    asks: Sequence[Ask],
    seed: int,
    context: CallContext,
    probe: Ask | None = None,
) -> ChatRequest:
    """The request for one reply of the agent.

    Tool choice is ``auto``, so that a model can refuse in words; ``required`` would force an act out of it.

    Args:
        briefing: what is the same in every request.
        opening: the first observation.
        dialogue: messages of the turns so far, a tuple a turn.
        asks: replies of this turn that held no valid move.
        seed: seed of this reply.
        context: where the call belongs.
        probe: the answer to the probe question, where it was asked.
    """
    first = 0 if briefing.history is None else max(0, len(dialogue) - briefing.history)
    told = [message for turn in dialogue[first:] for message in turn]
    return ChatRequest(
        messages=(briefing.system, *_begun(briefing, opening, probe), *told, *_asked_again(asks)),
        tools=briefing.tools,
        reply_schema=briefing.reply_schema,
        sampling=briefing.sampling,
        seed=seed,
        context=context,
    )


def probe_request(briefing: Briefing, opening: str, seed: int, context: CallContext) -> ChatRequest:
    """The request for the answer to the probe question: no tools, for nothing is to be done yet."""
    return ChatRequest(
        messages=(briefing.system, *_begun(briefing, opening, None)),
        reply_schema=briefing.question_schema,
        sampling=briefing.sampling,
        seed=seed,
        context=context,
    )


def _begun(briefing: Briefing, opening: str, probe: Ask | None) -> tuple[Message, ...]:
    """The opening; where the probe is asked, with its question, and then the answer and a word to go on."""
    if briefing.question is None:
        return (Message(role="user", content=opening),)
    asked = Message(role="user", content=f"{opening}\n\n{briefing.question}")
    if probe is None:
        return (asked,)
    answer = Message(role="assistant", content=_excerpt(probe.reply))
    return (asked, answer, Message(role="user", content=GO_ON))


def exchange(turn: Turn, names: Mapping[str, str]) -> tuple[Message, ...]:
    """One closed turn as messages: what the agent said, and what it met.

    Roles alternate whatever happened. A native call without an id gets one made from the turn's index.

    Args:
        turn: a turn that the environment answered, or an invalid one.
        names: the name that the agent sees, by the action's key.
    """
    if turn.move is None or turn.response is None:
        return _asked_again(turn.asks, passed=True)
    reply, observation = turn.asks[-1].reply, turn.response.observation
    malformed = _asked_again(turn.asks[:-1])
    if turn.move.rung != "tools":
        return (*malformed, _said(reply, turn.move, names), Message(role="user", content=observation))
    call_id = reply.calls[0].call_id or f"call{turn.index:05d}"
    return (*malformed, _called(reply, turn.move, call_id), Message(role="tool", content=observation, call_id=call_id))


def told_again(problem: str | None, *, passed: bool) -> str:
    """What the agent is told of a reply that held no valid move; ``passed`` where its turn is lost with it."""
    return f"No action was taken: {problem}. {_INVALID_TURN if passed else _ASK_AGAIN}"


def _asked_again(asks: Sequence[Ask], *, passed: bool = False) -> tuple[Message, ...]:
    messages: list[Message] = []
    for position, ask in enumerate(asks, start=1):
        reason = told_again(ask.problem, passed=passed and position == len(asks))
        messages += (Message(role="assistant", content=_excerpt(ask.reply)), Message(role="user", content=reason))
    return tuple(messages)


def _excerpt(reply: ChatReply) -> str:
    """The start of whatever the reply holds; never empty, for some providers refuse an empty message."""
    calls = "\n".join(f"{call.name or ''} {call.raw[:EXCERPT_CHARS]}" for call in reply.calls[:8])
    parts = (reply.text[:EXCERPT_CHARS], reply.refusal or "", calls)
    return "\n".join(part for part in parts if part.strip())[:EXCERPT_CHARS] or "(an empty reply)"


def _said(reply: ChatReply, move: Move, names: Mapping[str, str]) -> Message:
    if len(reply.text) <= REPLAY_CHARS:
        return Message(role="assistant", content=reply.text)
    cut = {"reasoning": move.reasoning[:EXCERPT_CHARS], "action": names[move.action], "parameters": move.parameters}
    return Message(role="assistant", content=canonical_json(cut))


def _called(reply: ChatReply, move: Move, call_id: str) -> Message:
    call = reply.calls[0].model_copy(update={"call_id": call_id})
    if len(call.raw) > REPLAY_CHARS:
        arguments = {**move.parameters, "reasoning": move.reasoning[:EXCERPT_CHARS]}
        call = call.model_copy(update={"arguments": arguments, "raw": canonical_json(arguments)})
    return Message(role="assistant", content=reply.text[:REPLAY_CHARS], calls=(call,))
