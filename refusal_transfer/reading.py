"""The arguments of one tool call, read the way a careful clerk would: whatever the spelling, type or nesting."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from refusal_transfer.folding import clauses, compact, fold, squash

MAX_LEAVES = 10_000
"""Most values read from one call; a call with more is not a call that anyone meant."""

_YES = frozenset({"true", "yes", "y", "on", "t", "enabled"})
_EMPTY = frozenset({"", "none", "null", "nil", "na", "nan", "notavailable", "notapplicable", "tbd", "tba", "missing"})
_NEGATIONS = frozenset({"no", "not", "non", "without", "never", "nor", "isn", "wasn", "aren", "weren", "doesn", "didn"})
_NEGATION_REACH = 3
_DAY_FORMATS = ("%d %B %Y", "%B %d %Y", "%d %b %Y", "%b %d %Y", "%Y %m %d", "%Y%m%d")
_AMOUNT = re.compile(r"[^\d+\-.]*([+-]?\d*\.?\d+(?:e[+-]?\d+)?)\D*", re.IGNORECASE)
_GROUPING = str.maketrans("", "", ",_'\u2019")
_LONGEST_VALUE = 64
"""Characters of a value that are read as a number or a date."""


class TooManyValues(ValueError):
    """A call holds more values than ``MAX_LEAVES``."""


class Reading:
    """One call, normalised once, with the questions that predicates ask of it.

    Args:
        tool: name of the tool as the model wrote it.
        arguments: the parsed arguments; nothing in them is trusted or changed.

    A key is looked for at any depth and in any spelling that ``squash`` makes equal; a list or an object where one
    value was due counts as each of its values. Raises ``TooManyValues``.
    """

    def __init__(self, tool: str, arguments: Mapping[str, Any]) -> None:
        self._tool = squash(tool)
        self._leaves = tuple(_leaves(arguments))

    def to(self, tool: str) -> bool:
        """Whether the call is to ``tool``."""
        return self._tool == squash(tool)

    def values(self, key: str) -> tuple[Any, ...]:
        """Every scalar that stands anywhere below ``key``."""
        wanted = squash(key)
        return tuple(value for path, value in self._leaves if wanted in path)

    def word(self, key: str, *options: str) -> bool:
        """Whether a value of ``key`` is one of ``options``, in any spelling; a null is none of them."""
        wanted = {squash(option) for option in options}
        return any(value is not None and squash(str(value)) in wanted for value in self.values(key))

    def only(self, key: str, *options: str) -> bool:
        """Whether ``key`` has a value and every value is one of ``options``: for what excuses a call."""
        wanted = {squash(option) for option in options}
        values = self.values(key)
        return bool(values) and all(value is not None and squash(str(value)) in wanted for value in values)

    def flag(self, key: str) -> bool:
        """Whether a value of ``key`` is a yes: true, 1, "True", "yes", "on"."""
        return any(_is_yes(value) for value in self.values(key))

    def surely(self, key: str) -> bool:
        """Whether ``key`` has a value and every value is a yes: for what excuses a call."""
        values = self.values(key)
        return bool(values) and all(_is_yes(value) for value in values)

    def lacks(self, key: str) -> bool:
        """Whether ``key`` is absent or holds nothing but blanks, nulls and "n/a"."""
        return all(value is None or squash(str(value)) in _EMPTY for value in self.values(key))

    def numbers(self, key: str) -> tuple[float, ...]:
        """The finite numbers among the values of ``key``, "1e4" and "$10,000" included; booleans are none."""
        found = (_number(value) for value in self.values(key))
        return tuple(number for number in found if number is not None)

    def days(self, key: str) -> tuple[date, ...]:
        """The dates among the values of ``key``, written as ISO dates or moments, or with the month in words."""
        found = (_day(value) for value in self.values(key))
        return tuple(day for day in found if day is not None)

    def says(self, *phrases: str) -> bool:
        """Whether a text among the arguments says one of ``phrases``, and does not negate it.

        A phrase begins and ends at a word's edge; spaces within it are free, so that ``non public``, ``non-public``
        and ``n o n p u b l i c`` are one. It is negated by a word such as "not" at most three words before it in the
        same clause.
        """
        pattern = _any_of(phrases)
        return any(_asserted(pattern, clause) for clause in self._clauses())

    def _clauses(self) -> Iterator[str]:
        for _, value in self._leaves:
            if isinstance(value, str):
                yield from clauses(value)


def _leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(keys on the way, squashed; scalar) for each scalar, without recursion: depth is the model's to choose."""
    count = 0
    waiting: list[tuple[tuple[str, ...], Any]] = [((), arguments)]
    while waiting:
        path, value = waiting.pop()
        value = _unwrapped(value)
        if isinstance(value, Mapping):
            waiting.extend(((*path, squash(str(key))), inner) for key, inner in reversed(list(value.items())))
        elif isinstance(value, list | tuple):
            waiting.extend((path, inner) for inner in reversed(value))
        else:
            count += 1
            if count > MAX_LEAVES:
                raise TooManyValues(f"more than {MAX_LEAVES} values in one call")
            yield path, value


def _unwrapped(value: Any) -> Any:
    """The object or list that a string holds as JSON, else ``value`` itself."""
    if not (isinstance(value, str) and value.lstrip()[:1] in ("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _is_yes(value: Any) -> bool:
    if isinstance(value, bool | int | float):
        return value == 1
    text = str(value)[:_LONGEST_VALUE]
    try:
        return float(compact(text)) == 1
    except ValueError:
        return squash(text) in _YES


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    text = compact(value[:_LONGEST_VALUE]).translate(_GROUPING) if isinstance(value, str) else str(value)
    match = _AMOUNT.fullmatch(text)
    number = float(match[1]) if match else math.nan
    return number if math.isfinite(number) else None


def _day(value: Any) -> date | None:
    text = str(value)[:_LONGEST_VALUE]
    try:
        return datetime.fromisoformat(compact(text)).date()
    except ValueError:
        pass
    folded = fold(text)
    for form in _DAY_FORMATS:
        try:
            return datetime.strptime(folded, form).date()
        except ValueError:
            continue
    return None


@lru_cache(maxsize=256)
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    loose = (r" ?".join(re.escape(ch) for ch in squash(phrase)) for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{'|'.join(loose)})(?!\w)")


def _asserted(pattern: re.Pattern[str], clause: str) -> bool:
    for match in pattern.finditer(clause):
        before = clause[: match.start()].split()[-_NEGATION_REACH:]
        if not _NEGATIONS.intersection(before):
            return True
    return False
