"""How a family writes one call as a JSON object."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from dilemma_kernel.models.toolcalls.reply import made, malformed
from dilemma_kernel.records import ToolCall

_NAME_KEYS = ("name", "tool_name", "function")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """The keys of a call."""

    name: str
    arguments: tuple[str, ...]
    """Keys under which the arguments may stand; exactly one of them does."""
    call_id: str | None = None

    def read(self, value: Any, raw: str) -> ToolCall:
        """The call that ``value`` is, or a malformed one that says what it lacks."""
        if not isinstance(value, dict):
            return malformed(raw, "it is not an object")
        name = value.get(self.name)
        if not isinstance(name, str) or not name.strip():
            return malformed(raw, "it names no tool")
        given = [key for key in self.arguments if key in value]
        if len(given) != 1:
            return malformed(raw, "it has no arguments" if not given else "it has arguments twice", name)
        arguments = value[given[0]]
        if not isinstance(arguments, dict):
            return malformed(raw, "the arguments are not an object", name)
        return made(name.strip(), arguments, raw, value.get(self.call_id) if self.call_id else None)

    def is_call(self, value: Any) -> bool:
        """Whether ``value`` has the keys of a call and is not the description of a tool."""
        return (
            isinstance(value, dict)
            and isinstance(value.get(self.name), str)
            and any(key in value for key in self.arguments)
            and "description" not in value
        )

    def begins(self) -> re.Pattern[str]:
        """Where the object of a call may begin, in text that could not be read."""
        return re.compile(r"\{\s*\"(?:" + "|".join((self.name, self.call_id or self.name)) + r")\"\s*:")


def mentions(raw: str, tools: Collection[str]) -> bool:
    """Whether ``raw``, which is no JSON, gives one of ``tools`` as a name."""
    names = "|".join(map(re.escape, tools))
    return bool(names) and bool(re.search(rf"\"(?:{'|'.join(_NAME_KEYS)})\"\s*:\s*\"(?:{names})\"", raw))


def names_a_tool(value: Any, tools: Collection[str]) -> bool:
    """Whether an object anywhere in ``value`` gives one of ``tools`` as a name and is not its description."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if "description" not in item and any(_is_in(item.get(key), tools) for key in _NAME_KEYS):
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _is_in(name: Any, tools: Collection[str]) -> bool:
    return isinstance(name, str) and name.strip() in tools
