"""Finding one's way among many episodes: pages, tallies, neighbours, relatives, people's labels.

Everything here reads the table ``overview``, whose rows are narrow, and no record's JSON.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, inspect, select

from dilemma_kernel.records import Judgement, Record, Scenario, StudyRecord
from trajectories import queries
from trajectories.jsontext import loads
from trajectories.store import Store
from trajectories.tables import EPISODES, JUDGEMENTS, OVERVIEW, STUDIES
from trajectories.wanted import IS_NO_FORK, PERSON, PLACE, EpisodeLine, Wanted, conditions, listed, next_to, order_of

_row = OVERVIEW.c


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
        .where(IS_NO_FORK)
        .group_by(_row.study)
    )
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return {row.name: StudyLine.model_validate(row._mapping) for row in rows}


async def lines(store: Store, wanted: Wanted, *, offset: int = 0, limit: int = 50) -> list[EpisodeLine]:
    """A page of the wanted episodes, in their order."""
    return await _lines(store, _filtered(wanted).order_by(*order_of(wanted)).offset(offset).limit(limit))


async def tally(store: Store, wanted: Wanted) -> dict[str, int]:
    """Label -> how many of the wanted episodes have it. The sum is how many there are."""
    statement = select(_row.label, func.count()).where(*conditions(wanted)).group_by(_row.label)
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return {row[0]: row[1] for row in rows}


async def line(store: Store, episode_id: str) -> EpisodeLine | None:
    """One episode; None where there is none of this id."""
    found = await _lines(store, select(OVERVIEW).where(_row.episode_id == episode_id))
    return found[0] if found else None


async def neighbours(store: Store, wanted: Wanted, here: EpisodeLine) -> tuple[str | None, str | None]:
    """Ids of the wanted episodes before and after one in their order; None at an end."""

    def read(connection: Connection) -> tuple[str | None, str | None]:
        before: str | None = connection.scalar(next_to(wanted, here, after=False))
        after: str | None = connection.scalar(next_to(wanted, here, after=True))
        return before, after

    return await store.read(read)


async def relatives(store: Store, here: EpisodeLine) -> list[EpisodeLine]:
    """Episodes of the same case and repeat in the study, its forks among them, but not itself."""
    same = and_(_row.study == here.study, _row.case_id == here.case_id, _row.repeat == here.repeat)
    return await _lines(store, select(OVERVIEW).where(same, _row.episode_id != here.episode_id).order_by(*PLACE))


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
        .where(columns.subject.in_(listed(ids)), columns.vocabulary == vocabulary)
        .order_by(columns.subject, columns.maker, columns.version)
    )


def _with_family(ids: Sequence[str]) -> Select[Any]:
    """Overviews of episodes, with the family of each, in order."""
    of_row = and_(EPISODES.c.episode_id == _row.episode_id, EPISODES.c.attempt == _row.attempt)
    family = select(EPISODES.c.family).where(of_row).scalar_subquery().label("family")
    return select(OVERVIEW, family).where(_row.episode_id.in_(listed(ids))).order_by(*PLACE)


def _attempt(line: EpisodeLine) -> tuple[str, int]:
    return line.episode_id, line.attempt


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _of_people() -> ColumnElement[bool]:
    return and_(JUDGEMENTS.c.maker >= PERSON, JUDGEMENTS.c.maker < "person0")


async def _lines(store: Store, statement: Select[Any]) -> list[EpisodeLine]:
    rows = await store.read(lambda connection: connection.execute(statement).all())
    return [_line(row) for row in rows]


def _line(row: Row[Any]) -> EpisodeLine:
    return EpisodeLine.model_validate({name: row._mapping[name] for name in EpisodeLine.model_fields})


def _filtered(wanted: Wanted) -> Select[Any]:
    return select(OVERVIEW).where(*conditions(wanted))
