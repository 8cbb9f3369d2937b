"""Llama 3.1: ``{"name", "parameters"}``, alone or after ``<|python_tag|>``, several with semicolons between them."""

import re
from collections.abc import Collection

from dilemma_kernel.models.toolcalls.embedded import embedded_calls, without
from dilemma_kernel.models.toolcalls.reply import ParsedReply, malformed, parsed_reply
from dilemma_kernel.models.toolcalls.sequence import read_sequence
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.records import ToolCall

SHAPE = CallShape(name="name", arguments=("parameters", "arguments"))
_TAG = "<|python_tag|>"
_SPECIAL = re.compile(r"<\|(?:eot_id|eom_id|end_of_text|begin_of_text)\|>")
_HEADER = re.compile(r"\A\s*(?:<\|start_header_id\|>)?assistant(?:<\|end_header_id\|>)?\s*\n\n")


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``. Prose that holds such an object makes a call only to one of ``tools``."""
    rest = _HEADER.sub("", _SPECIAL.sub("", text))
    before, tag, after = rest.partition(_TAG)
    if tag:
        calls, left = _tagged(after)
        return parsed_reply([before, left], calls)
    begins_with_it = rest.lstrip().startswith("{")
    alone = [(0, read_sequence(rest, 0, SHAPE)[1])] if begins_with_it else []
    calls, spans = embedded_calls(rest, SHAPE, tools, alone=alone)
    return parsed_reply([without(rest, spans)], calls)


def _tagged(text: str) -> tuple[list[ToolCall], str]:
    calls, end = read_sequence(text, 0, SHAPE)
    if not calls:
        return [malformed(text.strip(), "no call follows the tag")], ""
    return calls, text[end:]
