"""Calls written as Python, ``f(a=1)``: read as syntax and literals, never run."""

import ast
import math
import re
import warnings
from collections.abc import Collection
from typing import Any

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.reply import made, malformed
from dilemma_kernel.records import ToolCall

MAX_CALL_CHARS = 65_536
"""Longest call that is read."""
BEGINS = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*[ \t]*\(")
"""Where a call may begin."""
_TOKEN = re.compile(
    r"""'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?!'')(?:[^'\\\n]|\\.)*+'|"(?!"")(?:[^"\\\n]|\\.)*+\""""
    r"""|(?P<open>['"])|(?P<bracket>[()\[\]{}])""",
    re.DOTALL,
)
_BETWEEN = re.compile(r"(?:[\s,;]++|#[^\n]*+)*+")
_JUNK = re.compile(r"[^\n]+")


def read_python_calls(text: str, start: int, end: int, tools: Collection[str]) -> tuple[list[ToolCall], int]:
    """The calls between ``start`` and ``end``, in brackets or one after the other, and the position after them.

    What stands among them and is no call is malformed, to the end of its line. A call that is never closed is
    malformed, and ends before the next one to one of ``tools``, unless it was cut within a string: then what follows
    may be the string's.
    """
    position = _skip(text, start, end)
    in_list = text[position : position + 1] == "["
    position += in_list
    calls: list[ToolCall] = []
    while len(calls) <= MAX_CALLS:
        position = _skip(text, position, end)
        if position >= end:
            return calls, end
        if in_list and text[position] == "]":
            return calls, position + 1
        call, position = _read_one(text, position, end, tools)
        calls.append(call)
    return calls, end


def _read_one(text: str, start: int, end: int, tools: Collection[str]) -> tuple[ToolCall, int]:
    begins = BEGINS.match(text, start, end)
    if begins is None:
        junk = _JUNK.match(text, start, end)
        stop = junk.end() if junk else end
        return malformed(text[start:stop], "it is not a call"), stop
    closed, in_string = _end_of_call(text, begins.end() - 1, end)
    if closed is None:
        stop = end if in_string else _next_call(text, begins.end(), end, tools)
        return malformed(text[start:stop], "it is never closed"), stop
    return read_python_call(text[start:closed]), closed


def _next_call(text: str, start: int, end: int, tools: Collection[str]) -> int:
    names = "|".join(map(re.escape, tools))
    found = re.compile(rf"(?<=[,;\n])\s*(?=(?:{names})[ \t]*\()").search(text, start, end) if names else None
    return found.end() if found else end


def _end_of_call(text: str, start: int, end: int) -> tuple[int | None, bool]:
    """(position after the bracket that closes the one at ``start``, or None; whether a string was left open)."""
    depth = 0
    for token in _TOKEN.finditer(text, start, end):
        if token["open"]:
            return None, True
        if token["bracket"]:
            depth += 1 if token["bracket"] in "([{" else -1
            if depth == 0:
                return token.end(), False
    return None, False


def read_python_call(source: str) -> ToolCall:
    """The one call in ``source``, parsed where all its arguments are literals given by name."""
    if len(source) > MAX_CALL_CHARS:
        return malformed(source, "it is too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(source.strip(), mode="eval").body
        return _call(call, source)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        return malformed(source, f"it is not Python with literal arguments: {type(error).__name__}")


def _call(node: ast.expr, source: str) -> ToolCall:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return malformed(source, "it is not a call")
    name = ast.unparse(node.func)
    keys = [keyword.arg for keyword in node.keywords]
    if node.args or None in keys:
        return malformed(source, "an argument is given without its name", name)
    if len(set(keys)) < len(keys):
        return malformed(source, "an argument is given twice", name)
    arguments = {str(keyword.arg): _as_json(ast.literal_eval(keyword.value)) for keyword in node.keywords}
    return made(name, arguments, source)


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is no string")
        return {key: _as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(inner) for inner in value]
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"{type(value).__name__} has no place in JSON")


def _skip(text: str, start: int, end: int) -> int:
    found = _BETWEEN.match(text, start, end)
    return found.end() if found else start
