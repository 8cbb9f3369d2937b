"""Qwen3: ``<tool_call>{"name", "arguments"}</tool_call>``, perhaps after a ``<think>`` block."""

import re
from collections.abc import Collection

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.embedded import is_quoted
from dilemma_kernel.models.toolcalls.reply import ParsedReply, malformed, parsed_reply
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.models.toolcalls.strict import NotJson, decode_at
from dilemma_kernel.models.toolcalls.thinking import without_thinking
from dilemma_kernel.records import ToolCall

SHAPE = CallShape(name="name", arguments=("arguments",), call_id="id")
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_AFTER = re.compile(r"\s*+(?:</tool_call>|(?=<tool_call>)|(?:(?:<\|im_end\|>|<\|endoftext\|>)\s*+)*+\Z)")
_SPACE = re.compile(r"\s*")
_STRAY = re.compile(r"</tool_call>|<\|im_end\|>|<\|endoftext\|>")
_BROKEN_END = re.compile(r"</tool_call>|(?=<tool_call>)|\Z")


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``. A tag that is never closed holds a call where its object is whole."""
    pieces: list[str] = []
    calls: list[ToolCall] = []
    rest = without_thinking(text)
    position = 0
    while (start := rest.find(_OPEN, position)) >= 0 and len(calls) <= MAX_CALLS:
        pieces.append(rest[position:start])
        if is_quoted(rest, start):
            pieces.append(_OPEN)
            position = start + len(_OPEN)
            continue
        call, position = _read(rest, start)
        calls.append(call)
        rest = rest[:position] + without_thinking(rest[position:])
    pieces.append(rest[position:])
    return parsed_reply((_STRAY.sub("", piece) for piece in pieces), calls)


def _read(text: str, start: int) -> tuple[ToolCall, int]:
    """The call whose tag opens at ``start``, and the position after it."""
    inside = start + len(_OPEN)
    space = _SPACE.match(text, inside)
    try:
        value, end = decode_at(text, space.end() if space else inside)
    except NotJson as error:
        return _broken(text, inside, f"it is not JSON: {error}")
    after = _AFTER.match(text, end)
    if after is None:
        return _broken(text, inside, "something follows the object")
    return SHAPE.read(value, text[inside:end].strip()), after.end()


def _broken(text: str, inside: int, why: str) -> tuple[ToolCall, int]:
    found = _BROKEN_END.search(text, inside)
    start, end = (found.start(), found.end()) if found else (len(text), len(text))
    return malformed(text[inside:start].strip(), why), end
