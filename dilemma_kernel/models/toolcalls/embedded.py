"""Calls among prose: JSON objects that name a tool that was offered."""

import re
from collections.abc import Collection

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.reply import malformed
from dilemma_kernel.models.toolcalls.shapes import CallShape, mentions, names_a_tool
from dilemma_kernel.models.toolcalls.strict import NotJson, decode_at, end_of_object, last_before
from dilemma_kernel.records import ToolCall

Span = tuple[int, int]
_QUOTES = frozenset("`'\"‘“«")
_LONGEST_QUOTE_MARK = 200
_OBJECT = re.compile(r"\{\s*+\"")
"""What an object begins with, and a brace in prose does not."""
_WORK_PER_CHAR = 4
_LEAST_WORK = 1_000_000
_ERRORS_COST = 64
"""An error of the decoder counts the lines before it: this many characters cost as much as reading one."""


def embedded_calls(
    text: str, shape: CallShape, tools: Collection[str], *, alone: Collection[Span] = ()
) -> tuple[list[ToolCall], list[Span]]:
    """The calls in ``text``, and the spans in which they stand.

    An object is a call where it has the shape of one and names one of ``tools``; within one of the ``alone`` spans
    (a fence, or the whole reply) it need not name a tool that is known. An object that cannot be read, or that wraps a
    call in some other form, is malformed where it names a known tool. What is quoted is no call.
    """
    calls: list[ToolCall] = []
    spans: list[Span] = []
    work = _LEAST_WORK + _WORK_PER_CHAR * len(text)
    position = 0
    while len(calls) <= MAX_CALLS and (begins := _OBJECT.search(text, position)):
        position = begins.start()
        if work <= 0:
            return [*calls, malformed(text[position:], "too tangled to read")], [*spans, (position, len(text))]
        call, end, cost = _read_at(text, position, shape, tools, any(a <= position < b for a, b in alone))
        work -= cost
        if call is not None:
            calls.append(call)
            spans.append((position, end))
        position = end
    return calls, spans


def _read_at(
    text: str, start: int, shape: CallShape, tools: Collection[str], alone: bool
) -> tuple[ToolCall | None, int, int]:
    """(the call at ``start`` or None, where to go on, characters read)."""
    try:
        value, end = decode_at(text, start)
    except NotJson as error:
        return _broken(text, start, shape, tools, alone, error)
    raw = text[start:end]
    if is_quoted(text, start):
        return None, end, end - start
    if shape.is_call(value) and (alone or value[shape.name].strip() in tools):
        return shape.read(value, raw), end, end - start
    if names_a_tool(value, tools):
        return malformed(raw, "it is a call in another form"), end, end - start
    return None, end, end - start


def _broken(
    text: str, start: int, shape: CallShape, tools: Collection[str], alone: bool, error: NotJson
) -> tuple[ToolCall | None, int, int]:
    reading = error.reached - start + error.reached // _ERRORS_COST
    if is_quoted(text, start):
        return None, start + 1, reading
    end = end_of_object(text, start) or len(text)
    following = shape.begins().search(text, start + 1, end)
    apart = following is not None and last_before(text, following.start()) not in {":", "["}
    stop = following.start() if following and apart else end
    cost = reading + end - start
    if mentions(text[start:stop], tools) or (alone and shape.begins().match(text, start)):
        return malformed(text[start:stop], f"it is not JSON: {error}"), stop, cost
    return None, start + 1, cost


def is_quoted(text: str, start: int) -> bool:
    """Whether what begins at ``start`` is quoted: inline code, quotation marks, or a line that begins with ``>``."""
    before = text[max(0, start - 3) : start].rstrip("[ ")
    if before[-1:] in _QUOTES and not before.endswith("```"):
        return True
    nearest = max(0, start - _LONGEST_QUOTE_MARK)
    line_break = text.rfind("\n", nearest, start)
    if line_break < 0 < nearest:
        return False
    return text[line_break + 1 if line_break >= 0 else nearest : start].lstrip()[:1] == ">"


def without(text: str, spans: Collection[Span]) -> str:
    """``text`` with ``spans`` cut out, and the brackets, commas and fences that held them."""
    hole = next((mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in text), "\0")
    pieces, position = [], 0
    for start, end in sorted(spans):
        pieces.append(text[position:start])
        position = end
    pieces.append(text[position:])
    holes = rf"{hole}(?:[\s,;]*+{hole})*+"
    holder = rf"```\w*\s*+\[?\s*+{holes}\s*+\]?\s*+(?:```|\Z)|\[\s*+{holes}\s*+(?:\]|\Z)|{holes}"
    return re.sub(holder, "", hole.join(pieces))
