"""Calls that stand one after the other, in a list or without one, where nothing but calls is due."""

import re
from itertools import islice

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.reply import malformed
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.models.toolcalls.strict import NotJson, decode_at, end_of_object, last_before
from dilemma_kernel.records import ToolCall

_SEPARATORS = re.compile(r"[\s,;]*")
_SPACE = re.compile(r"\s*")
_NEXT_IN_LIST = re.compile(r"[{\]]")


def read_sequence(text: str, start: int, shape: CallShape) -> tuple[list[ToolCall], int]:
    """The calls from ``start`` on, and the position after them.

    In a list they end with its bracket, and whatever in it is no call is malformed; without a list they end before the
    first thing that is no object. A call that cannot be read ends at its own brace or, where that is missing, before
    the next object that is a whole call.
    """
    position = _skip(_SPACE, text, start)
    in_list = text[position : position + 1] == "["
    position += in_list
    calls: list[ToolCall] = []
    while len(calls) <= MAX_CALLS:
        position = _skip(_SEPARATORS, text, position)
        if position >= len(text):
            break
        if text[position] == "]" and in_list:
            return calls, position + 1
        if text[position] == "{":
            call, position = _read_one(text, position, shape)
        elif in_list:
            call, position = _junk(text, position)
        else:
            break
        calls.append(call)
    return calls, position


def _read_one(text: str, start: int, shape: CallShape) -> tuple[ToolCall, int]:
    try:
        value, end = decode_at(text, start)
    except NotJson as error:
        end = _end_of_broken(text, start, shape)
        return malformed(text[start:end], f"it is not JSON: {error}"), end
    return shape.read(value, text[start:end]), end


def _end_of_broken(text: str, start: int, shape: CallShape) -> int:
    own = end_of_object(text, start) or len(text)
    for found in islice(shape.begins().finditer(text, start + 1, own), MAX_CALLS):
        try:
            value, _ = decode_at(text, found.start())
        except NotJson:
            continue
        if shape.is_call(value) and last_before(text, found.start()) in {",", ";", "}", "]"}:
            return found.start()
    return own


def _junk(text: str, start: int) -> tuple[ToolCall, int]:
    found = _NEXT_IN_LIST.search(text, start)
    end = found.start() if found else len(text)
    return malformed(text[start:end], "it is not an object"), end


def _skip(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start
