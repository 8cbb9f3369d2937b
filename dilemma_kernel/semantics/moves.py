"""Reading a move out of a reply. Replies are hostile: bounded, parsed, checked, never evaluated."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dilemma_kernel.records import ChatReply, JsonObject, Move, Rung
from dilemma_kernel.semantics.actions import REASONING, PresentedAction
from dilemma_kernel.semantics.schemas import problem

MAX_MOVE_CHARS = 64 * 1024
"""Longest text in which a move is looked for. No move needs a tenth of it."""

MAX_PARAMETER_CHARS = 16 * 1024
"""Most characters in all parameters of a move together."""

MAX_DEPTH = 32
"""Deepest nesting of parameters that is accepted."""

_THOUGHT = re.compile(r"\s*<think(?:ing)?>(.*?)</think(?:ing)?>", re.DOTALL)
_OBJECT = re.compile(r'\{\s*["}]')
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class _NotJson(ValueError):
    """Something that Python's parser accepts and JSON does not."""


def read_move(reply: ChatReply, presented: Sequence[PresentedAction], rung: Rung) -> Move | str:
    """The move that ``reply`` makes, or in one short line why it makes none.

    On the rung ``tools`` a move is exactly one well-formed call of one operation. On ``schema`` and ``prompted`` it is
    exactly one JSON object with ``action`` and ``parameters``, with or without words around it. Either way the
    parameters obey the action's JSON Schema. A reply that was cut off makes no move.

    Args:
        reply: what the model answered.
        presented: the actions as this episode's agent saw them.
        rung: how the move was asked for.

    Returns:
        The move, with the action's key; or the problem, fit to be sent back to the model.
    """
    if reply.finish == "length" or reply.truncated:
        return "the reply was cut off before it was complete"
    return _from_calls(reply, presented) if rung == "tools" else _from_text(reply, presented, rung)


def _from_calls(reply: ChatReply, presented: Sequence[PresentedAction]) -> Move | str:
    if not reply.calls:
        return _nothing(reply, "no operation was called")
    if len(reply.calls) > 1:
        return f"{len(reply.calls)} operations were called; call exactly one"
    call = reply.calls[0]
    if call.malformed is not None or call.arguments is None:
        return "the call could not be read: its arguments are not one JSON object"
    parameters = {name: value for name, value in call.arguments.items() if name != REASONING}
    reasons = call.arguments.get(REASONING)
    said = reasons if isinstance(reasons, str) and reasons else reply.text
    return _checked(call.name, parameters, said, presented, "tools")


def _from_text(reply: ChatReply, presented: Sequence[PresentedAction], rung: Rung) -> Move | str:
    if len(reply.text) > MAX_MOVE_CHARS:
        return f"the reply is longer than {MAX_MOVE_CHARS:,} characters"
    thought = _THOUGHT.match(reply.text)
    found = _only_object(reply.text[thought.end() :] if thought else reply.text)
    if isinstance(found, str):
        return _nothing(reply, found)
    if "action" not in found:
        return "the JSON object has no 'action'"
    parameters = found.get("parameters")
    if parameters is None:
        parameters = {}
    if not isinstance(parameters, dict):
        return "'parameters' is not a JSON object"
    reasons = found.get(REASONING)
    said = reasons if isinstance(reasons, str) else ""
    return _checked(found["action"], parameters, said or (thought.group(1).strip() if thought else ""), presented, rung)


def _nothing(reply: ChatReply, otherwise: str) -> str:
    """Why there is no move where none was found."""
    if reply.refusal is not None or reply.finish == "refusal":
        return "the reply is a refusal"
    return otherwise if reply.text.strip() else "the reply is empty"


def _checked(
    name: Any, parameters: JsonObject, said: str, presented: Sequence[PresentedAction], rung: Rung
) -> Move | str:
    action = next((item.action for item in presented if item.name == name), None)
    if action is None:
        known = ", ".join(item.name for item in presented)
        return f"there is no operation {_short(name)}; the operations are {known}"
    told = _unfit(parameters) or problem(action.parameters, parameters)
    if told is not None:
        return f"the parameters of {name} are wrong: {told}"
    return Move(action=action.key, parameters=parameters, reasoning=_storable(said), rung=rung)


def _only_object(text: str) -> JsonObject | str:
    """The one JSON object in ``text``; a second one, or a broken one, is a problem."""
    found: JsonObject | None = None
    at = 0
    while (match := _OBJECT.search(text, at)) is not None:
        if found is not None:
            return "there is more than one JSON object; give exactly one"
        try:
            found, at = _DECODER.raw_decode(text, match.start())
        except _NotJson as error:
            return f"the JSON object is malformed: {error}"
        except (ValueError, RecursionError):
            return "the JSON object is malformed"
    return found if found is not None else "there is no JSON object in the reply"


def _pairs(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotJson("a key occurs twice")
    return made


def _constant(name: str) -> Any:
    raise _NotJson(f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NotJson("a number is too large")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _unfit(parameters: JsonObject) -> str | None:
    """What in ``parameters`` no JSON text or database takes, or is long or nested beyond reason."""
    level: Iterable[Any] = [parameters]
    characters = 0
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for value in level:
            if isinstance(value, Mapping):
                below.extend(value.keys())
                below.extend(value.values())
            elif isinstance(value, list | tuple):
                below.extend(value)
            elif isinstance(value, str):
                characters += len(value)
                if _UNSTORABLE.search(value):
                    return "a text holds a character that cannot be stored"
            elif isinstance(value, float) and not math.isfinite(value):
                return "a number is not finite"
        if characters > MAX_PARAMETER_CHARS:
            return f"longer than {MAX_PARAMETER_CHARS:,} characters"
        if not below:
            return None
        level = below
    return f"nested deeper than {MAX_DEPTH}"


def _storable(text: str) -> str:
    """``text`` with NUL and lone surrogates written as escapes; the raw reply keeps what was said."""
    return _UNSTORABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text[:MAX_MOVE_CHARS])


def _short(name: Any, length: int = 60) -> str:
    if not isinstance(name, str):
        return "whose name is not a text"
    text = _storable(name[: length + 1])
    return f"'{text}'" if len(text) <= length else f"'{text[:length]}…'"
