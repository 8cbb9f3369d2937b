"""Any model that was asked in words: JSON objects ``{"name", "arguments"}``, fenced or bare, with text around them."""

import re
from collections.abc import Collection

from dilemma_kernel.models.toolcalls.embedded import Span, embedded_calls, without
from dilemma_kernel.models.toolcalls.reply import ParsedReply, parsed_reply
from dilemma_kernel.models.toolcalls.sequence import read_sequence
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.models.toolcalls.thinking import without_thinking

SHAPE = CallShape(name="name", arguments=("arguments",))
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json|tool_call|tool_calls)?[ \t]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.M)


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``. Only in a fence, or where the reply begins with it, may an object name an unknown tool."""
    rest = without_thinking(text)
    alone: list[Span] = [found.span(1) for found in _FENCE.finditer(rest)]
    if rest.lstrip()[:1] in ("{", "["):
        alone.append((0, read_sequence(rest, 0, SHAPE)[1]))
    calls, spans = embedded_calls(rest, SHAPE, tools, alone=alone)
    return parsed_reply([without(rest, spans)], calls)
