"""What a model wrote, made fit to keep: bounded, and free of what neither JSON nor a database takes.

NUL and lone surrogates are written as ``␛`` and four hex digits (``␛0000``, ``␛D800``), and ``␛`` itself (U+241B) is
doubled, so that ``unescape_text`` gives back what the model wrote. Any other text stays as it is.
"""

import json
import math
import re
from typing import Any

from dilemma_kernel.records import MAX_REPLY_CHARS, JsonObject, ToolCall

_UNFIT = re.compile("[\0\ud800-\udfff␛]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile("␛(␛|[0-9A-F]{4})")
MAX_DEPTH = 64
"""Deepest nesting of arguments that counts as parsed."""
MAX_BITS = 14_000
"""Largest whole number that is kept, in bits: what Python writes in decimal digits."""
MAX_CALLS = 64
"""Most calls of one reply that are kept."""
MAX_NAME_CHARS = 1024
"""Longest name, id or fingerprint that is kept."""


def escape_text(text: str) -> str:
    """``text`` with NUL, lone surrogates and ``␛`` escaped; see the module."""
    return _UNFIT.sub(lambda found: "␛␛" if found[0] == "␛" else f"␛{ord(found[0]):04X}", text)


def unescape_text(text: str) -> str:
    """The text that ``escape_text`` was given."""
    return _ESCAPE.sub(lambda found: "␛" if found[1] == "␛" else chr(int(found[1], 16)), text)


def sendable(text: str) -> str:
    """``text`` with lone surrogates escaped, for no endpoint takes them. What was escaped before stays as it is."""
    return text if text.isascii() else _SURROGATE.sub(lambda found: f"␛{ord(found[0]):04X}", text)


def kept(text: object, limit: int = MAX_REPLY_CHARS) -> str:
    """The first ``limit`` characters of what a model wrote, escaped; empty where it wrote no text."""
    return escape_text(text[:limit]) if isinstance(text, str) else ""


def kept_name(text: object) -> str | None:
    """A name, id or fingerprint that came with a reply; None where there is none."""
    return kept(text, MAX_NAME_CHARS) or None


def read_call(name: object, arguments: object, call_id: object = None) -> ToolCall:
    """A native tool call, parsed or malformed.

    Args:
        name: the tool named.
        arguments: JSON text, or an object that a library parsed already, or nothing.
        call_id: the provider's id of the call.
    """
    raw = arguments if isinstance(arguments, str) else "" if arguments is None else json.dumps(arguments, default=str)
    parsed: JsonObject | None = None
    problem = "it names no tool" if not kept_name(name) else None
    if problem is None:
        try:
            parsed = parse_arguments(raw)
        except ValueError as error:
            problem = str(error)
    return ToolCall(
        name=kept_name(name), arguments=parsed, raw=kept(raw), call_id=kept_name(call_id), malformed=problem
    )


def parse_arguments(raw: str) -> JsonObject:
    """The JSON object in ``raw``, with its texts escaped.

    Raises:
        ValueError: it is none, or too long, too deep or not finite; the message says which.
    """
    if not raw.strip():
        raise ValueError("there are no arguments")
    if len(raw) > MAX_REPLY_CHARS:
        raise ValueError("the arguments are too long")
    try:
        value = json.loads(raw, parse_constant=_not_json)
    except (ValueError, RecursionError) as error:
        raise ValueError("the arguments are not JSON") from error
    if not isinstance(value, dict):
        raise ValueError("the arguments are not an object")
    return fitting_arguments(value)


def fitting_arguments(value: object) -> JsonObject:
    """Arguments that are objects already, with their texts escaped.

    Raises:
        ValueError: they are no JSON object, too deep or not finite; the message says which.
    """
    fitting = _fit(value, 0)
    if not isinstance(fitting, dict):
        raise ValueError("the arguments are not an object")
    return fitting


def _not_json(constant: str) -> float:
    raise ValueError(constant)


def _fit(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return escape_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("the arguments hold a number that is not finite")
    if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
        raise ValueError("the arguments are nested too deep")
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {escape_text(key): _fit(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_fit(inner, depth + 1) for inner in value]
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError("the arguments hold a number that is too large")
    if value is not None and not isinstance(value, int | float):
        raise ValueError(f"the arguments hold a {type(value).__name__}, which is no JSON")
    return value
