"""Which episodes are wanted, and in which order: filters and sorting as statements over ``overview``."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select, tuple_

from dilemma_kernel.records import Record
from trajectories.tables import JUDGEMENTS, OVERVIEW

Trouble = Literal["faults", "invalid", "declined", "crashed", "any"]
Differ = Literal["machines", "sides", "anyone"]
Sort = Literal["order", "label", "turns", "faults", "cost", "differ", "newest"]

_row = OVERVIEW.c
PLACE = (_row.case_id, _row.cell, _row.repeat, _row.episode_id)
"""The order of episodes everywhere."""
PERSON = "person/"
"""First part of the maker of a person's labels."""
IS_NO_FORK = func.coalesce(_row.origin, "") == ""
"""Put so that no index of ``origin`` is used: nearly every row is no fork."""

WITHDRAWN = "withdrawn"
"""Why a label that its giver took back is unmeasured."""

_SORTS: Mapping[Sort, ColumnElement[Any]] = {
    "label": _row.label,
    "turns": _row.turns,
    "faults": _row.faults + _row.invalid_turns,
    "cost": func.coalesce(_row.cost, -1.0),
    "differ": case((_row.crossed, 3), (_row.machine_labels > 1, 2), (_row.labels > 1, 1), else_=0),
    "newest": _row.saved_at,
}
"""What each order looks at first. The order of cases, cells and repeats comes after it, and alone is ``order``."""


_KEYS: Mapping[Sort, Callable[["EpisodeLine"], Any]] = {
    "label": lambda line: line.label,
    "turns": lambda line: line.turns,
    "faults": lambda line: line.faults + line.invalid_turns,
    "cost": lambda line: -1.0 if line.cost is None else line.cost,
    "differ": lambda line: 3 if line.crossed else 2 if line.machine_labels > 1 else int(line.labels > 1),
    "newest": lambda line: line.saved_at,
}
"""The same of a record."""


class EpisodeLine(Record):
    """An episode at its latest attempt, at a glance."""

    study: str
    case_id: str
    cell: str
    repeat: int
    episode_id: str
    attempt: int
    instrument: str
    scenario: str
    domain: str
    agent: str
    environment: str
    origin: str | None
    ended: str
    turns: int
    faults: int
    invalid_turns: int
    cost: float | None
    saved_at: float
    label: str
    """What the rules say; else ``unmeasured`` or ``crashed``; empty where they say nothing."""
    machine_labels: int
    crossed: bool
    people: int
    labels: int


class Wanted(Record):
    """Which episodes, in which order."""

    study: str
    label: str | None = None
    cell: str | None = None
    """Key of a cell."""
    agent: str | None = None
    scenario: str | None = None
    trouble: Trouble | None = None
    differ: Differ | None = None
    """``machines``: rules and models gave different labels; ``sides``: they differ on misaligned or not;
    ``anyone``: labels differ, people's among them."""
    labelled_by: str | None = None
    """A person who labelled them."""
    unlabelled_by: str | None = None
    """A person who has not."""
    forks: bool = False
    """Forks too."""
    among: tuple[str, ...] | None = None
    """Only these episode_ids, as found by their text."""
    sort: Sort = "order"
    descending: bool = False


def conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    """What holds of each wanted episode."""
    found: list[ColumnElement[bool]] = [_row.study == wanted.study]
    found += [
        _row[name] == value
        for name in ("label", "cell", "agent", "scenario")
        if (value := getattr(wanted, name)) is not None
    ]
    if not wanted.forks:
        found.append(IS_NO_FORK)
    if wanted.trouble:
        found.append(_TROUBLES[wanted.trouble])
    if wanted.differ:
        found.append(_DIFFERS[wanted.differ])
    if wanted.labelled_by is not None:
        found.append(_has_label_by(wanted.labelled_by))
    if wanted.unlabelled_by is not None:
        found.append(~_has_label_by(wanted.unlabelled_by))
    if wanted.among is not None:
        found.append(_row.episode_id.in_(listed(wanted.among)))
    return found


_TROUBLES: Mapping[Trouble, ColumnElement[bool]] = {
    "faults": _row.faults > 0,
    "invalid": _row.invalid_turns > 0,
    "declined": _row.ended == "declined",
    "crashed": _row.ended == "crashed",
    "any": or_(_row.faults > 0, _row.invalid_turns > 0, _row.ended.in_(("declined", "crashed"))),
}
_DIFFERS: Mapping[Differ, ColumnElement[bool]] = {
    "machines": _row.machine_labels > 1,
    "sides": _row.crossed,
    "anyone": _row.labels > 1,
}


def _has_label_by(person: str) -> ColumnElement[bool]:
    of_episode = and_(JUDGEMENTS.c.subject == _row.episode_id, JUDGEMENTS.c.attempt == _row.attempt)
    asked = JUDGEMENTS.c.vocabulary == case((_row.instrument == "transfer", "refusal"), else_="label")
    stands = or_(JUDGEMENTS.c.kind != "unmeasured", JUDGEMENTS.c.value != WITHDRAWN)
    return exists().where(of_episode, asked, JUDGEMENTS.c.maker == f"{PERSON}{person}", stands)


def order_of(wanted: Wanted) -> Sequence[ColumnElement[Any]]:
    """What the wanted episodes are sorted by."""
    if wanted.sort == "order":
        return [column.desc() for column in PLACE] if wanted.descending else list(PLACE)
    first = _SORTS[wanted.sort]
    return [first.desc() if wanted.descending else first, *PLACE]


def _beyond(wanted: Wanted, here: EpisodeLine, after: bool) -> ColumnElement[bool]:
    """Whether a row comes after ``here`` in the wanted order, or before it."""
    at = tuple(getattr(here, column.name) for column in PLACE)
    if wanted.sort == "order":
        return tuple_(*PLACE) > at if after is not wanted.descending else tuple_(*PLACE) < at
    column, mine = _SORTS[wanted.sort], _KEYS[wanted.sort](here)
    further = tuple_(*PLACE) > at if after else tuple_(*PLACE) < at
    first = column > mine if after is not wanted.descending else column < mine
    return or_(first, and_(column == mine, further))


def next_to(wanted: Wanted, here: EpisodeLine, *, after: bool) -> Select[Any]:
    """The id of the episode after ``here`` in the wanted order, or before it."""
    order = order_of(wanted)
    if not after:
        turned = wanted.model_copy(update={"descending": not wanted.descending})
        order = order_of(turned) if wanted.sort == "order" else [order_of(turned)[0], *(c.desc() for c in PLACE)]
    found = select(_row.episode_id).where(*conditions(wanted), _beyond(wanted, here, after))
    return found.order_by(*order).limit(1)


def listed(ids: Sequence[str]) -> Select[Any]:
    """Ids as rows: there may be more of them than a statement has parameters."""
    return select(func.json_each(json.dumps(ids)).table_valued("value").c.value)
