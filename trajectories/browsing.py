"""Finding one's way among many episodes: filters, sorting, pages, neighbours, relatives.

Everything here reads the table ``overview``, whose rows are narrow, and no record's JSON.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, exists, func, inspect, or_, select, tuple_

from dilemma_kernel.records import Judgement, Record, Scenario, StudyRecord
from trajectories import queries
from trajectories.jsontext import loads
from trajectories.store import Store
from trajectories.tables import EPISODES, JUDGEMENTS, OVERVIEW, STUDIES

Trouble = Literal["faults", "invalid", "declined", "crashed", "any"]
Differ = Literal["machines", "sides", "anyone"]
Sort = Literal["order", "label", "turns", "faults", "cost", "differ", "newest"]

_row = OVERVIEW.c
_PLACE = (_row.case_id, _row.cell, _row.repeat, _row.episode_id)
_PERSON = "person/"
_IS_NO_FORK = func.coalesce(_row.origin, "") == ""
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


class LabelledEpisode(Record):
    """An episode that a person labelled."""

    line: EpisodeLine
    family: str | None
    judgements: tuple[Judgement, ...]
    """What everyone says of it in the vocabulary that was asked for, each maker's versions in order."""

    @property
    def core_id(self) -> str:
        """With ``family``, the unit that it belongs to."""
        return self.line.case_id


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


class StudyLine(Record):
    """A study at a glance. Counts are of latest attempts, forks left out."""

    name: str
    episodes: int
    crashed: int
    labelled: int
    """Episodes that a person labelled."""


async def can_browse(store: Store) -> bool:
    """Whether the store has what this module reads. One that an older version wrote has it once it is written again."""
    return await store.read(lambda connection: inspect(connection).has_table(OVERVIEW.name))


async def study_lines(store: Store) -> dict[str, StudyLine]:
    """Study -> its counts, of every study with an episode."""
    statement = (
        select(
            _row.study.label("name"),
            func.count().label("episodes"),
            _count(_row.ended == "crashed").label("crashed"),
            _count(_row.people > 0).label("labelled"),
        )
        .where(_IS_NO_FORK)
        .group_by(_row.study)
    )
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return {row.name: StudyLine.model_validate(row._mapping) for row in rows}


async def lines(store: Store, wanted: Wanted, *, offset: int = 0, limit: int = 50) -> list[EpisodeLine]:
    """A page of the wanted episodes, in their order."""
    return await _lines(store, _filtered(wanted).order_by(*_order(wanted)).offset(offset).limit(limit))


async def tally(store: Store, wanted: Wanted) -> dict[str, int]:
    """Label -> how many of the wanted episodes have it. The sum is how many there are."""
    statement = select(_row.label, func.count()).where(*_conditions(wanted)).group_by(_row.label)
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return {row[0]: row[1] for row in rows}


async def line(store: Store, episode_id: str) -> EpisodeLine | None:
    """One episode; None where there is none of this id."""
    found = await _lines(store, select(OVERVIEW).where(_row.episode_id == episode_id))
    return found[0] if found else None


async def neighbours(store: Store, wanted: Wanted, here: EpisodeLine) -> tuple[str | None, str | None]:
    """Ids of the wanted episodes before and after one in their order; None at an end."""

    def read(connection: Connection) -> tuple[str | None, str | None]:
        before: str | None = connection.scalar(_next_to(wanted, here, after=False))
        after: str | None = connection.scalar(_next_to(wanted, here, after=True))
        return before, after

    return await store.read(read)


async def relatives(store: Store, here: EpisodeLine) -> list[EpisodeLine]:
    """Episodes of the same case and repeat in the study, its forks among them, but not itself."""
    same = and_(_row.study == here.study, _row.case_id == here.case_id, _row.repeat == here.repeat)
    return await _lines(store, select(OVERVIEW).where(same, _row.episode_id != here.episode_id).order_by(*_PLACE))


async def labelled_by_people(store: Store, study: str, vocabulary: str) -> list[LabelledEpisode]:
    """The episodes that a person labelled, forks left out, each with what everyone says in this vocabulary."""
    by_person = and_(JUDGEMENTS.c.study == study, JUDGEMENTS.c.vocabulary == vocabulary, _of_people())
    subjects = select(JUDGEMENTS.c.subject).distinct().where(by_person)

    def read(connection: Connection) -> list[LabelledEpisode]:
        ids = connection.scalars(subjects).all()
        by_attempt: dict[tuple[str, int], list[Judgement]] = {}
        for row in connection.execute(_said_of(ids, vocabulary)):
            by_attempt.setdefault((row.subject, row.attempt), []).append(loads(Judgement, row.record))
        return [
            LabelledEpisode(line=line, family=row.family, judgements=tuple(by_attempt.get(_attempt(line), ())))
            for row in connection.execute(_with_family(ids))
            if (line := _line(row)).study == study and line.origin is None
        ]

    return await store.read(read)


async def study_records(store: Store) -> list[tuple[StudyRecord, float]]:
    """Every study with when it was first saved, in seconds since the epoch; oldest first."""
    statement = select(STUDIES.c.record, STUDIES.c.saved_at).order_by(STUDIES.c.saved_at, STUDIES.c.name)
    return await store.read(
        lambda connection: [(loads(StudyRecord, row.record), row.saved_at) for row in connection.execute(statement)]
    )


async def one_scenario(store: Store, study: str, name: str) -> Scenario | None:
    """A scenario of a study by its name; None where it has none."""
    statement = queries.one_scenario(study, name)

    def read(connection: Connection) -> Scenario | None:
        text = connection.scalar(statement)
        return None if text is None else loads(Scenario, text)

    return await store.read(read)


def _said_of(ids: Sequence[str], vocabulary: str) -> Select[Any]:
    columns = JUDGEMENTS.c
    return (
        select(columns.subject, columns.attempt, columns.record)
        .where(columns.subject.in_(_listed(ids)), columns.vocabulary == vocabulary)
        .order_by(columns.subject, columns.maker, columns.version)
    )


def _with_family(ids: Sequence[str]) -> Select[Any]:
    """Overviews of episodes, with the family of each, in order."""
    of_row = and_(EPISODES.c.episode_id == _row.episode_id, EPISODES.c.attempt == _row.attempt)
    family = select(EPISODES.c.family).where(of_row).scalar_subquery().label("family")
    return select(OVERVIEW, family).where(_row.episode_id.in_(_listed(ids))).order_by(*_PLACE)


def _listed(ids: Sequence[str]) -> Select[Any]:
    """Ids as rows: there may be more of them than a statement has parameters."""
    return select(func.json_each(json.dumps(ids)).table_valued("value").c.value)


def _attempt(line: EpisodeLine) -> tuple[str, int]:
    return line.episode_id, line.attempt


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _of_people() -> ColumnElement[bool]:
    return and_(JUDGEMENTS.c.maker >= _PERSON, JUDGEMENTS.c.maker < "person0")


async def _lines(store: Store, statement: Select[Any]) -> list[EpisodeLine]:
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return [_line(row) for row in rows]


def _line(row: Row[Any]) -> EpisodeLine:
    return EpisodeLine.model_validate({name: row._mapping[name] for name in EpisodeLine.model_fields})


def _filtered(wanted: Wanted) -> Select[Any]:
    return select(OVERVIEW).where(*_conditions(wanted))


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [_row.study == wanted.study]
    found += [
        _row[name] == value
        for name in ("label", "cell", "agent", "scenario")
        if (value := getattr(wanted, name)) is not None
    ]
    if not wanted.forks:
        found.append(_IS_NO_FORK)
    if wanted.trouble:
        found.append(_TROUBLES[wanted.trouble])
    if wanted.differ:
        found.append(_DIFFERS[wanted.differ])
    if wanted.labelled_by is not None:
        found.append(_has_label_by(wanted.labelled_by))
    if wanted.unlabelled_by is not None:
        found.append(~_has_label_by(wanted.unlabelled_by))
    if wanted.among is not None:
        found.append(_row.episode_id.in_(_listed(wanted.among)))
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
    return exists().where(of_episode, asked, JUDGEMENTS.c.maker == f"{_PERSON}{person}", stands)


def _order(wanted: Wanted) -> Sequence[ColumnElement[Any]]:
    if wanted.sort == "order":
        return [column.desc() for column in _PLACE] if wanted.descending else list(_PLACE)
    first = _SORTS[wanted.sort]
    return [first.desc() if wanted.descending else first, *_PLACE]


def _beyond(wanted: Wanted, here: EpisodeLine, after: bool) -> ColumnElement[bool]:
    """Whether a row comes after ``here`` in the wanted order, or before it."""
    at = tuple(getattr(here, column.name) for column in _PLACE)
    if wanted.sort == "order":
        return tuple_(*_PLACE) > at if after is not wanted.descending else tuple_(*_PLACE) < at
    column, mine = _SORTS[wanted.sort], _KEYS[wanted.sort](here)
    further = tuple_(*_PLACE) > at if after else tuple_(*_PLACE) < at
    first = column > mine if after is not wanted.descending else column < mine
    return or_(first, and_(column == mine, further))


def _next_to(wanted: Wanted, here: EpisodeLine, *, after: bool) -> Select[Any]:
    order = _order(wanted)
    if not after:
        turned = wanted.model_copy(update={"descending": not wanted.descending})
        order = _order(turned) if wanted.sort == "order" else [_order(turned)[0], *(c.desc() for c in _PLACE)]
    found = select(_row.episode_id).where(*_conditions(wanted), _beyond(wanted, here, after))
    return found.order_by(*order).limit(1)
