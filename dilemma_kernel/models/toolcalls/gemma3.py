"""Gemma 3: Python calls, ``[f(a=1)]``, or in a fence ``tool_code``."""

import re
from collections.abc import Collection, Iterator

from dilemma_kernel.models.toolcalls.embedded import is_quoted
from dilemma_kernel.models.toolcalls.python_calls import BEGINS, read_python_calls
from dilemma_kernel.models.toolcalls.reply import ParsedReply, malformed, parsed_reply
from dilemma_kernel.records import ToolCall

_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?P<language>tool_code|python)[ \t]*\n(?P<code>.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.M
)
_LIST = re.compile(r"\[\s*(?P<name>[A-Za-z_][\w.]*)[ \t]*\(")
_SPECIAL = re.compile(r"<end_of_turn>|<eos>|<start_of_turn>model\n?")


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``.

    In a fence ``tool_code`` everything is due to be a call; a fence ``python`` counts where it calls one of ``tools``.
    A list in brackets counts where the reply begins with it or it calls one of ``tools``; calls without brackets,
    where the reply is nothing but them.
    """
    rest = _SPECIAL.sub("", text).strip()
    bare = _bare(rest, tools)
    if bare is not None:
        return parsed_reply([], bare)
    pieces: list[str] = []
    calls: list[ToolCall] = []
    position = 0
    for start, inside, code_end, end in _regions(rest, tools):
        if start < position:
            continue
        found, stop = read_python_calls(rest, inside, code_end, tools)
        pieces.append(rest[position:start])
        calls += found or [malformed(rest[inside:code_end], "the fence holds no call")]
        position = end if end is not None else stop
    pieces.append(rest[position:])
    return parsed_reply(pieces, calls)


def _bare(text: str, tools: Collection[str]) -> list[ToolCall] | None:
    begins = BEGINS.match(text)
    if begins is None or begins[0].rstrip("( \t") not in tools:
        return None
    calls, _ = read_python_calls(text, 0, len(text), tools)
    prose = any(call.malformed == "it is not a call" for call in calls)
    return None if prose else calls


def _regions(text: str, tools: Collection[str]) -> Iterator[tuple[int, int, int, int | None]]:
    """(start, start of the code, end of the code, end or None where the calls say it), in order of their starts."""
    found: list[tuple[int, int, int, int | None]] = [
        (fence.start(), *fence.span("code"), fence.end())
        for fence in _FENCE.finditer(text)
        if fence["language"] == "tool_code" or _calls_one_of(fence["code"], tools)
    ]
    for opening in _LIST.finditer(text):
        alone = opening.start() == 0
        if (alone or opening["name"] in tools) and not is_quoted(text, opening.start()):
            found.append((opening.start(), opening.start(), len(text), None))
    return iter(sorted(found, key=lambda region: region[:2]))


def _calls_one_of(code: str, tools: Collection[str]) -> bool:
    return any(begins[0].rstrip("( \t") in tools for begins in BEGINS.finditer(code))
