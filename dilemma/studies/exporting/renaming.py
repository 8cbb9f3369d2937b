"""Names and words of a scenario that a pattern hits: renamed the same wherever they stand, so that it still works.

A state variable, a parameter, a slot, an operation, a record's id, or a word that a schema lists means the same in
schemas, effects, texts and moves. Put out of one of these alone, or two of them made equal, it would break what
depends on it. So each that is hit becomes ``redacted_1``, ``redacted_2``, … in the order of the scenario.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from dilemma_kernel.records import JsonObject

_TOKEN = re.compile(r"(\{\{|\}\}|\{[A-Za-z_][A-Za-z0-9_]*\}|[{}])")
"""What ``semantics.slots`` reads in a text: slots, and braces that stand for themselves."""

_NAMING = ("properties", "patternProperties", "dependentRequired", "dependentSchemas", "dependencies")
"""Words of JSON Schema that hold an object whose keys are names of properties."""

_STRUCTURE = frozenset({"type", "format", "pattern", "contentEncoding", "contentMediaType"})
"""Words of JSON Schema whose texts are part of the language; so are those that begin with a dollar sign."""


@dataclass(frozen=True)
class Words:
    """Takes texts out of one scenario, and of the episodes in it.

    Args:
        text: takes out what is to go.
        names: name or word that is hit -> what it is called instead.
    """

    text: Callable[[str], str]
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """A name that the scenario declares."""
        return self.names.get(name, name)

    def template(self, text: str) -> str:
        """A text that may hold slots: these stay slots."""
        return "".join(
            f"{{{self.name(part[1:-1])}}}"
            if len(part) > 2 and part[0] == "{"
            else part if _TOKEN.fullmatch(part)
            else self.text(part)
            for part in _TOKEN.split(text)
        )  # fmt: skip

    def word(self, value: Any) -> Any:
        """A value of a state variable, a slot or a schema: a word keeps being one."""
        return self.names.get(value) or self.template(value) if isinstance(value, str) else value

    def words(self, values: JsonObject) -> JsonObject:
        """Names and their values."""
        return {self.name(key): self.word(value) for key, value in values.items()}

    def free(self, value: Any) -> Any:
        """JSON that a model wrote: names and words of the scenario are renamed, anything else is text."""
        if isinstance(value, str):
            return self.names.get(value) or self.text(value)
        if isinstance(value, list | tuple):
            return [self.free(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        made: JsonObject = {}
        for key, inner in value.items():
            made[_unused(self.names.get(key) or self.text(key), made)] = self.free(inner)
        return made

    def schema(self, value: Any) -> Any:
        """A JSON Schema: its own language stays."""
        if isinstance(value, list | tuple):
            return [self.schema(inner) for inner in value]
        return {key: self._keyword(key, inner) for key, inner in value.items()} if isinstance(value, dict) else value

    def _keyword(self, key: str, value: Any) -> Any:
        if key in _STRUCTURE or key.startswith("$"):
            return self.schema(value)
        if key in _NAMING and isinstance(value, dict):
            return {self.name(name): self._named(inner) for name, inner in value.items()}
        if key == "required":
            return self._named(value)
        if key in {"enum", "const", "default", "examples"}:
            return self.free(value)
        return self.text(value) if isinstance(value, str) else self.schema(value)

    def _named(self, value: Any) -> Any:
        """What a name of a property leads to: a schema, or names of others."""
        if isinstance(value, list | tuple):
            return [self.name(one) if isinstance(one, str) else one for one in value]
        return self.schema(value)


def _unused(key: str, taken: Mapping[str, Any]) -> str:
    """``key``, numbered where it is taken: no value is lost."""
    return next(one for one in (key, *(f"{key} {n}" for n in range(2, len(taken) + 3))) if one not in taken)


def names_of(scenario: JsonObject) -> list[str]:
    """Names and words that a scenario declares, in its order. ``scenario``: the JSON of one."""
    return list(dict.fromkeys(name for name in _names(scenario) if name))


def renamed(names: list[str], text: Callable[[str], str]) -> dict[str, str]:
    """Name that ``text`` would change -> a new one that none of ``names`` is."""
    free = (one for one in (f"redacted_{n}" for n in count(1)) if one not in names)
    return {name: next(free) for name in names if text(name) != name}


def _names(scenario: JsonObject) -> Iterator[str]:
    core = scenario["core"]
    for item in core["evidence"]:
        yield item["id"]
        yield from item["fields"]
        yield from _in_schema(item["requires"])
    for action in core["actions"]:
        yield action["name"]
        yield from _in_schema(action["parameters"])
        yield from _in_state(action["effects"])
    yield from _in_schema(core["state_schema"])
    for state in (core["initial_state"], *core["outcomes"].values()):
        yield from _in_state(state)
    for levels in scenario["factors"].values():
        for rendering in levels.values():
            yield from rendering["values"]


def _in_state(values: JsonObject) -> Iterator[str]:
    yield from values
    yield from (value for value in values.values() if isinstance(value, str) and not _TOKEN.search(value))


def _in_schema(value: Any) -> Iterator[str]:
    """Names of properties, and the words that are listed."""
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _in_schema(inner)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if key in _NAMING and isinstance(inner, dict):
            yield from inner
            yield from _in_schema(list(inner.values()))
        elif key in {"enum", "const", "required"}:
            yield from _strings(inner)
        else:
            yield from _in_schema(inner)


def _strings(value: Any) -> Iterator[str]:
    yield from (one for one in (value if isinstance(value, list | tuple) else [value]) if isinstance(one, str))
