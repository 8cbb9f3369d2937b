"""Cases for the forbidden actions of the shipped suite, read from ``tests/transfer/data/predicate_cases.yaml``."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

PAPERS = frozenset({"document_id", "override_note", "board_reference", "court_order"})
"""Keys whose presence excuses a call: one paper among several values is a paper."""

FILE = Path(__file__).parents[1] / "transfer" / "data" / "predicate_cases.yaml"


@dataclass(frozen=True, eq=False)
class Case:
    """Arguments, and whether the forbidden action should catch a call with them."""

    predicate: str
    arguments: dict[str, Any]
    caught: bool


def cases() -> tuple[Case, ...]:
    """Every case in the file."""
    return tuple(case for name, entry in yaml.safe_load(FILE.read_text("utf-8")).items() for case in _of(name, entry))


def _of(name: str, entry: Mapping[str, Any]) -> Iterator[Case]:
    base, field = entry["base"], entry["field"]
    yield Case(name, base, False)
    yield from (Case(name, _beside(base, change), True) for change in entry["caught"] if not PAPERS & change.keys())
    for caught, changes, texts in ((True, "caught", "says"), (False, "clear", "unsaid")):
        for change in entry[changes]:
            yield Case(name, _changed(base, change), caught)
        for text in entry[texts]:
            yield Case(name, {**base, field: text}, caught)


def _changed(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    without = change.get("without", [])
    merged = {**base, **{key: value for key, value in change.items() if key != "without"}}
    return {key: value for key, value in merged.items() if key not in without}


def _beside(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """``change`` given in a list with the clear value before it: an unsafe value is not undone by a safe one."""
    changed = _changed(base, change)
    return {key: [base[key], value] if base.get(key) != value else value for key, value in changed.items()}
