"""Structured replies: one JSON object that fits a form, with one repair."""

import json
import math
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import CallContext, ChatReply, ChatRequest, JsonObject, Message, Sampling, Usage
from dilemma_kernel.semantics import is_refusal
from scenario_factory.roles import Cost

T = TypeVar("T")
MAX_CHARS = 200_000
"""Longest reply that is read."""
REFUSED = "refused"
_LONGEST_NUMBER = 15
_SHOWN = 4_000
"""How much of a reply that did not fit is shown to its author again."""


@dataclass(frozen=True)
class Answer(Generic[T]):
    """What came of asking, the repair included."""

    value: T | None
    """None where neither reply fits."""
    problem: str
    """Why there is no value; ``refused`` where the model would not."""
    cost: Cost


class Misfit(ValueError):
    """A reply does not fit the form; the text says how, for its author to mend."""


@dataclass(frozen=True)
class Question(Generic[T]):
    """What is asked of a model, and how its reply is read."""

    messages: tuple[Message, ...]
    form: JsonObject
    """JSON Schema of the reply."""
    read: Callable[[JsonObject], T]
    """The value that an object holds; raises ``Misfit``."""
    sampling: Sampling
    context: CallContext
    seed: int


async def ask(model: ChatModel, question: Question[T]) -> Answer[T]:
    """Ask, and once more with the problem named where the reply does not fit.

    Raises:
        ModelError: as the model raises it.
    """
    messages, cost, problem = _with_form(model, question), Cost(), ""
    for attempt in (0, 1):
        request = ChatRequest(
            messages=messages,
            reply_schema=question.form if model.capabilities.schema_ == "native" else None,
            sampling=question.sampling,
            seed=question.seed + attempt,
            context=question.context.model_copy(update={"ask": attempt}),
        )
        reply = await model.complete(request)
        cost += Cost(reply.usage or Usage(), reply.cost)
        try:
            return Answer(question.read(_object(reply)), "", cost)
        except Misfit as misfit:
            problem = str(misfit)
        messages = (*messages, *_repair(reply, problem))
    return Answer(None, problem, cost)


def _with_form(model: ChatModel, question: Question[T]) -> tuple[Message, ...]:
    """The messages; where a model cannot be held to a form, the last one says it in words."""
    if model.capabilities.schema_ == "native":
        return question.messages
    form = json.dumps(question.form, ensure_ascii=False)
    last = question.messages[-1]
    words = f"{last.content}\n\nReply with one JSON object that obeys this JSON Schema, and nothing else:\n{form}"
    return (*question.messages[:-1], last.model_copy(update={"content": words}))


def _repair(reply: ChatReply, problem: str) -> tuple[Message, Message]:
    return (
        Message(role="assistant", content=reply.text[:_SHOWN]),
        Message(role="user", content=f"That does not fit: {problem}. Reply again with the whole JSON object alone."),
    )


def _object(reply: ChatReply) -> JsonObject:
    """The one JSON object of a reply, bare or in a fence.

    Raises:
        Misfit: the model refused, or there is no such object.
    """
    text = reply.text.strip()
    if reply.refusal or (not text.startswith("{") and is_refusal(text)):
        raise Misfit(REFUSED)
    if len(text) > MAX_CHARS:
        raise Misfit(f"it has {len(text):,} characters")
    if text.startswith("```"):
        text = text.strip("`").removeprefix("json").strip()
    try:
        found = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_short)
    except (ValueError, RecursionError):
        ending = " and was cut off" if reply.finish == "length" else ""
        raise Misfit(f"it is not one JSON object{ending}") from None
    if not isinstance(found, dict):
        raise Misfit("it is JSON, but no object")
    if not _storable(found):
        raise Misfit("it holds characters that are no text")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(name)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _short(text: str) -> int:
    return int(text) if len(text) <= _LONGEST_NUMBER else _no_number(text)


def _storable(value: Any) -> bool:
    """Whether every text within ``value`` is free of control characters and lone surrogates."""
    if isinstance(value, str):
        return all(c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"} for c in value)
    if isinstance(value, dict):
        return all(_storable(key) and _storable(below) for key, below in value.items())
    return all(map(_storable, value)) if isinstance(value, list) else True


def misfit(error: ValidationError) -> Misfit:
    """The first faults of a record, with their places, as a misfit."""
    faults = [f"{'.'.join(map(str, e['loc'])) or 'the object'}: {e['msg']}" for e in error.errors()[:4]]
    return Misfit("; ".join(faults)[:600])


def number(value: Any, lowest: float, highest: float) -> float | None:
    """``value`` where it is a number on the scale; None where it is not."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if lowest <= value <= highest else None


_LONGEST_STRING, _MOST_ITEMS = 900, 16


def bounded(form: Mapping[str, Any]) -> JsonObject:
    """``form`` with a bound on every text and list that has none: a small model does not stop by itself."""

    def walk(part: Any) -> Any:
        if isinstance(part, list):
            return [walk(below) for below in part]
        if not isinstance(part, dict):
            return part
        made = {key: walk(below) for key, below in part.items() if key != "default"}
        if made.get("type") == "string" and not {"enum", "pattern", "maxLength", "const"} & made.keys():
            made["maxLength"] = _LONGEST_STRING
        if made.get("type") == "array":
            made.setdefault("maxItems", _MOST_ITEMS)
        return made

    walked: JsonObject = walk(dict(form))
    return walked
