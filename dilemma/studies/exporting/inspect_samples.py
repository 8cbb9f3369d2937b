"""An episode as a sample of an Inspect log. Pure."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from dilemma.studies.exporting.conversing import Said, conversation
from dilemma_kernel.records import ChatReply, JsonObject, Judgement, Measured, Scenario, Trajectory, content_hash
from trajectories.jsontext import plain
from trajectories.rows import outcome_text

_FINISH = {"stop": "stop", "length": "max_tokens", "tool_calls": "tool_calls", "refusal": "content_filter"}


def sample_of(
    trajectory: Trajectory, judgements: Sequence[Judgement], scenario: Scenario | None, system: str | None
) -> JsonObject:
    """An episode as a sample: messages, scores, usage, and in its metadata what has no place elsewhere.

    Args:
        trajectory: the episode.
        judgements: what is said of it.
        scenario: None for an arm of refusal transfer.
        system: the system text; None where it is not known, and the metadata says so.
    """
    said = list(conversation(trajectory, scenario, system))
    messages = [_message(trajectory, number, one) for number, one in enumerate(said)]
    last = next((m for m in reversed(messages) if m["role"] == "assistant"), None)
    name = trajectory.case if trajectory.instrument == "transfer" else trajectory.scenario
    fork = f"-fork-{trajectory.episode_id[:12]}" if trajectory.origin else ""
    usage = _usage_by_model(trajectory)
    output: JsonObject = {"model": plain(trajectory.cell.agent), "choices": [], "completion": ""}
    if last is not None:
        stop = next(one.reply.finish for one in reversed(said) if one.reply is not None)
        output["choices"] = [{"message": last, "stop_reason": _FINISH.get(stop, "unknown")}]
        output["completion"] = _words(last)
    return {
        "id": plain(f"{name}{fork}"),
        "epoch": trajectory.repeat + 1,
        "input": [message for message, one in zip(messages, said, strict=True) if one.turn == 0 and one.reply is None],
        "target": "",
        "messages": messages,
        "output": output,
        "scores": {f"{j.vocabulary} by {j.maker}": _score(j) for j in judgements},
        "metadata": {**_metadata(trajectory), **({"system_text": "not known"} if system is None else {})},
        "store": {},
        "events": [],
        "model_usage": usage,
        "uuid": content_hash([trajectory.episode_id, trajectory.attempt], 22),
        **({"error": _error(trajectory.error)} if trajectory.error else {}),
        "attachments": {},
    }


def _message(trajectory: Trajectory, number: int, one: Said) -> JsonObject:
    message: JsonObject = {
        "id": content_hash([trajectory.episode_id, trajectory.attempt, number], 22),
        "content": _content(one),
        "role": one.role,
        "metadata": {"turn": one.turn},
    }
    if one.role == "assistant":
        message |= {"source": "generate", "model": trajectory.cell.agent}
        if one.calls:
            message["tool_calls"] = [
                {
                    "id": name,
                    "function": call.name or "?",
                    "arguments": call.arguments or {},
                    "type": "function",
                    **({"parse_error": f"{call.malformed}: {call.raw}"} if call.malformed is not None else {}),
                }
                for name, call in one.calls
            ]
    if one.role == "tool":
        message |= {"tool_call_id": one.answers, "function": one.function or "?"}
    return message


def _content(one: Said) -> str | list[JsonObject]:
    """A text, or a text after its reasoning."""
    if one.reply is None or not one.reply.reasoning:
        return one.text
    return [{"type": "reasoning", "reasoning": one.reply.reasoning}, {"type": "text", "text": one.text}]


def _words(message: JsonObject) -> str:
    content = message["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


def _score(judgement: Judgement) -> JsonObject:
    outcome = judgement.outcome
    measured = isinstance(outcome, Measured)
    value = _value(outcome.value) if isinstance(outcome, Measured) else math.nan
    return {
        "value": value,
        "explanation": judgement.note,
        **({} if measured else {"reason": f"{outcome.kind}: {outcome_text(judgement)}"}),
        "metadata": {
            "maker": judgement.maker,
            "version": judgement.version,
            "cites": list(judgement.cites),
            "kind": outcome.kind,
            **({} if judgement.probability is None else {"probability": judgement.probability}),
        },
        "history": [],
    }


def _value(value: Any) -> str | int | float | bool:
    return value if isinstance(value, str | int | float | bool) else json.dumps(value, sort_keys=True)


def _metadata(trajectory: Trajectory) -> JsonObject:
    kept = trajectory.model_dump(
        mode="json",
        exclude={"turns", "opening", "probe", "usage", "error"},
    )
    turns = [
        {
            "turn": turn.index,
            "action": turn.move.action if turn.move else None,
            "problems": [ask.problem for ask in turn.asks if ask.problem is not None],
            "executed": turn.response.executed if turn.response else None,
            "patch": turn.response.patch if turn.response else {},
            "faults": [fault.model_dump() for fault in turn.response.faults] if turn.response else [],
        }
        for turn in trajectory.turns
    ]
    return {**kept, "turns": turns}


def _usage_by_model(trajectory: Trajectory) -> JsonObject:
    used: dict[str, list[int]] = {}
    for model, reply in _replies(trajectory):
        if reply.usage is not None:
            total = used.setdefault(model, [0, 0])
            total[0] += reply.usage.prompt_tokens
            total[1] += reply.usage.completion_tokens
    return {model: usage_of(*tokens) for model, tokens in used.items()}


def _replies(trajectory: Trajectory) -> Iterator[tuple[str, ChatReply]]:
    """Every reply with the name of who gave it."""
    agent, world = plain(trajectory.cell.agent), plain(trajectory.cell.environment)
    if trajectory.probe:
        yield agent, trajectory.probe.reply
    for turn in trajectory.turns:
        yield from ((agent, ask.reply) for ask in turn.asks)
        yield from ((world, reply) for reply in (turn.response.replies if turn.response else ()))


def usage_of(prompt: int, completion: int) -> JsonObject:
    """Tokens as Inspect counts them."""
    return {"input_tokens": prompt, "output_tokens": completion, "total_tokens": prompt + completion}


def _error(text: str) -> JsonObject:
    return {"message": text, "traceback": text, "traceback_ansi": text}
