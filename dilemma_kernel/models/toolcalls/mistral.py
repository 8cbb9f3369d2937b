"""Mistral 7B v0.3: ``[TOOL_CALLS] [{"name", "arguments"}]``; decoding may have stripped the marker."""

import re
from collections.abc import Collection

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.embedded import embedded_calls, without
from dilemma_kernel.models.toolcalls.reply import ParsedReply, malformed, parsed_reply
from dilemma_kernel.models.toolcalls.sequence import read_sequence
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.records import ToolCall

SHAPE = CallShape(name="name", arguments=("arguments",), call_id="id")
_MARKER = "[TOOL_CALLS]"
_BARE_LIST = re.compile(r"\s*\[\s*\{")


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``: those behind a marker, and without one those in a list or naming one of ``tools``."""
    rest = text.replace("</s>", "")
    if _MARKER in rest:
        return _marked(rest)
    calls, spans = embedded_calls(rest, SHAPE, tools, alone=[(0, len(rest))] if _BARE_LIST.match(rest) else [])
    return parsed_reply([without(rest, spans)], calls)


def _marked(text: str) -> ParsedReply:
    pieces: list[str] = []
    calls: list[ToolCall] = []
    position = 0
    while (start := text.find(_MARKER, position)) >= 0 and len(calls) <= MAX_CALLS:
        pieces.append(text[position:start])
        inside = start + len(_MARKER)
        found, end = read_sequence(text, inside, SHAPE)
        if not found:
            end = text.find(_MARKER, inside)
            end = len(text) if end < 0 else end
            found = [malformed(text[inside:end].strip(), "no list of calls follows the marker")]
        calls += found
        position = end
    pieces.append(text[position:])
    return parsed_reply(pieces, calls)
