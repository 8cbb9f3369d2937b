"""The store of studies, trajectories, judgements and calls."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, inspect

from dilemma_kernel.errors import InputError, StoreError
from dilemma_kernel.records import Ended, Judgement, Record, Scenario, StudyRecord, Trajectory
from trajectories import queries
from trajectories.calllog import StudyCallLog
from trajectories.claiming import claimed
from trajectories.forwarding import Forward, ForwardingWriter
from trajectories.jsontext import loads
from trajectories.lineage import StoredLineage
from trajectories.location import store_path
from trajectories.opening import Engines, open_engines
from trajectories.reader import Reader
from trajectories.reading import call_from, summary_from, trajectory_from
from trajectories.rows import Row, episode_row, judgement_row
from trajectories.saving import begin_study, put_judgements
from trajectories.views import EpisodeSummary, Served, Spent, StoredCall, StudySummary
from trajectories.writer import Writer

R = TypeVar("R", bound=Record)
T = TypeVar("T")

_MOST_NAMED = 5
"""Episodes named when the start of an id fits several."""


@asynccontextmanager
async def open_store(url: str, *, read_only: bool = False, forward: Forward | None = None) -> AsyncIterator["Store"]:
    """A store, open as long as the ``async with`` lasts.

    Args:
        url: ``sqlite:///FILE.db``, or a bare path. The file is made where there is none; its folder is not.
        read_only: make nothing and write nothing.
        forward: takes the rows that are to be added, in a process whose parent writes; goes with ``read_only``.

    Raises:
        StoreVersionError: a newer version of this software wrote it.
        StoreError: it is no store, or cannot be made, read or written. Nothing is left half-written.
    """
    path = store_path(url)
    store = Store(path, await asyncio.to_thread(open_engines, path, read_only=read_only), forward)
    try:
        yield store
    finally:
        await store.aclose()


class Store:
    """Implements ``ports.TrajectoryStore``, and answers questions. ``open_store`` makes it.

    What was awaited is committed, and survives the death of the process at any instant from then on. Other
    processes can read and write meanwhile. Every method raises ``StoreError`` where the database fails it.

    Args:
        path: the file.
        engines: the ways into it, closed with the store.
        forward: takes the rows that are to be added; None where they are written here.
    """

    def __init__(self, path: Path, engines: Engines, forward: Forward | None = None) -> None:
        self.path = path
        self._engines = engines
        self._reader = Reader(engines.read, path)
        self._writer = ForwardingWriter(forward) if forward else Writer(engines.write, path)
        self._logs: dict[str, StudyCallLog] = {}

    async def aclose(self) -> None:
        """Commit what waits and close the file. May be called twice."""
        await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self._reader.close)
        await asyncio.to_thread(self._engines.dispose)

    async def read(self, read: Callable[[Connection], T]) -> T:
        """Do ``read`` on a reader's thread, in one transaction, which sees one moment of the store."""
        return await self._reader.run(read)

    @asynccontextmanager
    async def claim(self, study: str) -> AsyncIterator[None]:
        """Holds a study while it runs, so that no second run of it begins; freed by the death of the process too.

        Raises:
            StudyError: another run holds it.
        """
        with claimed(self.path, study):
            yield

    # writing

    async def save_study(self, study: StudyRecord, scenarios: Sequence[Scenario]) -> None:
        """Add a study with its scenarios. The same study again changes nothing.

        Raises:
            StudyError: a study of this name is there, with other settings.
        """
        now = time.time()
        await self._writer.run(lambda connection: begin_study(connection, study, scenarios, now))

    async def save(self, trajectory: Trajectory, judgements: Sequence[Judgement]) -> None:
        """Add an attempt at an episode with its judgements, all or nothing. The same again changes nothing."""
        rows = [("judgements", judgement_row(j, trajectory.study, trajectory.attempt)) for j in judgements]
        await self._writer.add([("episodes", episode_row(trajectory, time.time())), *rows])

    async def add_rows(self, rows: Sequence[tuple[str, Row]]) -> bool:
        """Add rows (table and row) that another process of ours made, all or none. Whether all of them were new."""
        return await self._writer.add(rows)

    async def add_judgements(self, judgements: Sequence[Judgement]) -> None:
        """Add judgements of episodes' latest attempts, all or none; one maker and version replaces its own.

        Raises:
            StoreError: an episode is not in the store.
        """
        await self._writer.run(lambda connection: put_judgements(connection, judgements))

    def call_log(self, study: str) -> StudyCallLog:
        """The call log scoped to ``study``: the same one each time."""
        return self._logs.setdefault(study, StudyCallLog(study, self._reader, self._writer))

    def lineage(self) -> StoredLineage:
        """Where the factory keeps what it tried."""
        if not isinstance(self._writer, Writer):
            raise StoreError("lineage is kept by the process that owns the store")
        return StoredLineage(self._reader, self._writer)

    # studies

    async def study(self, name: str) -> StudyRecord | None:
        """The settings of a study; None where there is none of this name."""
        rows = await self._reader.rows(queries.one_study(name))
        return loads(StudyRecord, rows[0].record) if rows else None

    async def studies(self) -> list[StudySummary]:
        """Every study, oldest first."""
        return [summary_from(row) for row in await self._reader.rows(queries.all_studies())]

    async def scenarios(self, study: str) -> list[Scenario]:
        """The scenarios of a study as it ran them, by name."""
        return await self._records(Scenario, queries.scenarios_of(study))

    async def finished(self, study: str) -> Mapping[str, tuple[int, Ended]]:
        """episode_id -> its latest attempt and how that ended, for every episode stored."""
        rows = await self._reader.rows(queries.finished(study))
        return {row.episode_id: (row.attempt, row.ended) for row in rows}

    # episodes

    async def episodes(self, study: str) -> list[EpisodeSummary]:
        """The columns of every episode at its latest attempt, by case, cell and repeat. Reads no JSON."""
        rows = await self._reader.rows(queries.summaries_of(study))
        return [EpisodeSummary.model_validate(row._mapping) for row in rows]

    async def trajectories(self, study: str, *, all_attempts: bool = False) -> AsyncIterator[Trajectory]:
        """Trajectories one by one, by case, cell and repeat, whatever the order in which they ended.

        Args:
            study: its name.
            all_attempts: yield also the attempts that were run again; else the latest only.
        """
        statement = queries.trajectories_of(study, latest=not all_attempts)
        async for trajectory in self._reader.paged(statement, queries.EPISODE_ORDER, trajectory_from):
            yield trajectory

    async def episode(self, beginning: str) -> Trajectory:
        """The latest attempt at the episode whose id is, or alone begins with, ``beginning``.

        Raises:
            InputError: none or several do.
        """
        rows = await self._reader.rows(queries.ids_beginning_with(beginning, _MOST_NAMED + 1))
        ids = [row.episode_id for row in rows]
        if not ids:
            raise InputError(f"no episode begins with {beginning!r} in {self.path}")
        if len(ids) > 1 and ids[0] != beginning:
            named = ", ".join(ids[:_MOST_NAMED]) + (", …" if len(ids) > _MOST_NAMED else "")
            raise InputError(f"several episodes begin with {beginning!r}: {named}")
        return trajectory_from((await self._reader.rows(queries.latest_attempt(ids[0])))[0])

    # judgements

    async def judgements(self, study: str, vocabulary: str | None = None) -> list[Judgement]:
        """Judgements of the latest attempts, in the order of the episodes; of one vocabulary, or of all."""
        return await self._records(Judgement, queries.judgements_of(study, vocabulary))

    async def judgements_on(self, trajectory: Trajectory) -> list[Judgement]:
        """Judgements of one attempt at an episode."""
        return await self._records(Judgement, queries.judgements_on(trajectory.episode_id, trajectory.attempt))

    # calls

    async def calls(self, study: str, *, case: str | None = None) -> AsyncIterator[StoredCall]:
        """Replies with what was asked, of one case or of all, by case, repeat, cell, turn and role."""
        statement = queries.calls_of(study, case)
        async for call in self._reader.paged(statement, queries.CALL_ORDER, call_from):
            yield call

    async def served(self, study: str) -> list[Served]:
        """What answered to the models' names in a study, by name."""
        rows = await self._reader.rows(queries.served_in(study))
        return [Served.model_validate(row._mapping) for row in rows]

    async def spent(self, study: str) -> Spent:
        """What the calls of a study have used so far, those that brought no reply included."""

        def read(connection: Connection) -> Spent:
            spent = Spent.model_validate(connection.execute(queries.spent_by(study)).one()._mapping)
            if not inspect(connection).has_table("unanswered"):  # a store of an older version, open for reading
                return spent
            unanswered = connection.scalar(queries.unanswered_of(study)) or 0
            return spent.model_copy(update={"attempts": spent.attempts + unanswered})

        return await self._reader.run(read)

    async def _records(self, kind: type[R], statement: Select[Any]) -> list[R]:
        return await self._reader.run(lambda connection: [loads(kind, text) for text in connection.scalars(statement)])
