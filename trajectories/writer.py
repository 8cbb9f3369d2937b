"""The only thread that writes. It commits whatever waits as soon as it is free: group commit, and no timer."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Engine, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from dilemma_kernel.errors import StoreError
from trajectories.faults import DATABASE_FAULTS, is_busy, store_error
from trajectories.rows import Row
from trajectories.tables import METADATA

T = TypeVar("T")

_COUNTING = {"preserve_rowcount": True}
"""Lets a statement say how many rows it added."""


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    """What one caller waits for: rows to add, or a piece of work."""

    future: asyncio.Future[T | None]
    rows: Sequence[tuple[str, Row]] = ()
    """Table and row: all are added or none."""
    work: Callable[[Connection], T] | None = None
    result: T | None = None
    is_new: bool = False
    """Whether every row of the transaction was new."""
    error: Exception | None = None


class Writer:
    """Adds rows to a store. A row whose key is there already changes nothing.

    Args:
        engine: of one connection, the writer's own from now on; None where nothing may be written.
        path: the file, for messages.
    """

    def __init__(self, engine: Engine | None, path: Path) -> None:
        self._path = path
        self._queue: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._closed_because = "" if engine else f"the store {path} was opened for reading only"
        self._thread = threading.Thread(target=self._write, args=(engine,), name="store writer", daemon=True)
        if engine:
            self._inserts = {name: _insert(table, engine.dialect.name) for name, table in METADATA.tables.items()}
            self._thread.start()

    async def add(self, rows: Sequence[tuple[str, Row]]) -> bool:
        """Add ``rows`` (table and row), all or none; returns once they are committed.

        Returns:
            True where all of them are known to be new; False where any row that was committed with them was there.

        Raises:
            StoreError: they are not stored.
        """
        job = _Job[None](asyncio.get_running_loop().create_future(), rows=rows)
        await self._submit(job)
        return job.is_new

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` on the writer's thread, in a transaction of its own; returns once it is committed.

        Raises:
            StoreError: the database failed it, and nothing of it is stored. Errors of our own pass through.
        """
        job = _Job[T](asyncio.get_running_loop().create_future(), work=work)
        await self._submit(job)
        return job.result  # type: ignore[return-value]  # no error, so ``work`` returned it

    async def _submit(self, job: _Job[Any]) -> None:
        if self._closed_because:
            raise StoreError(self._closed_because)
        self._queue.put(job)
        await job.future

    def close(self) -> None:
        """Write what waits, and stop. Blocks until then; may be called twice."""
        if not self._closed_because:
            self._closed_because = f"the store {self._path} is closed"
            self._queue.put(None)
            self._thread.join()

    def _write(self, engine: Engine) -> None:
        with ExitStack() as held:
            connection: Connection | None = None
            for jobs in self._batches():
                try:
                    connection = connection or held.enter_context(engine.connect())
                    self._commit(connection, jobs)
                except Exception as error:
                    for job in jobs:
                        job.error = store_error(error, self._path)
                _settle(jobs)

    def _batches(self) -> Iterator[list[_Job[Any]]]:
        """Whatever waits, each time that something does, until the writer is closed."""
        while (first := self._queue.get()) is not None:
            batch = [first]
            with suppress(Empty):
                while (job := self._queue.get_nowait()) is not None:
                    batch.append(job)
                self._queue.put(None)
            yield batch

    def _commit(self, connection: Connection, jobs: Iterable[_Job[Any]]) -> None:
        adding = [job for job in jobs if job.work is None]
        if adding and not self._commit_together(connection, adding):
            for job in adding:
                self._commit_alone(connection, job)
        for job in jobs:
            if job.work is not None:
                self._commit_alone(connection, job)

    def _commit_together(self, connection: Connection, jobs: Sequence[_Job[Any]]) -> bool:
        """Whether the jobs are done with: committed, or given up where trying each alone is no use."""
        try:
            with connection.begin():
                is_new = self._add(connection, [row for job in jobs for row in job.rows])
        except Exception as error:  # whatever it is, nobody waits for ever
            if len(jobs) > 1 and not is_busy(error):
                return False
            for job in jobs:
                job.error = store_error(error, self._path)
        else:
            for job in jobs:
                job.is_new = is_new
        return True

    def _commit_alone(self, connection: Connection, job: _Job[Any]) -> None:
        try:
            with connection.begin():
                if job.work:
                    job.result = job.work(connection)
                else:
                    job.is_new = self._add(connection, job.rows)
        except DATABASE_FAULTS as error:
            job.error = store_error(error, self._path)
        except Exception as error:
            job.error = error

    def _add(self, connection: Connection, rows: Iterable[tuple[str, Row]]) -> bool:
        """Whether all rows were new."""
        by_table: dict[str, list[Row]] = {}
        for table, row in rows:
            by_table.setdefault(table, []).append(row)
        added = 0
        for table, several in by_table.items():
            added += connection.execute(self._inserts[table], several, execution_options=_COUNTING).rowcount
        return added == sum(map(len, by_table.values()))


def _insert(table: Table, dialect: str) -> Insert:
    """A statement that adds a row, unless its key is there."""
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def _settle(jobs: Iterable[_Job[Any]]) -> None:
    """Wake the callers, once for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Job[Any]]] = {}
    for job in jobs:
        by_loop.setdefault(job.future.get_loop(), []).append(job)
    for loop, several in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed: no one waits any more
            loop.call_soon_threadsafe(_wake, several)


def _wake(jobs: Iterable[_Job[Any]]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is None:
            job.future.set_result(None)
        else:
            job.future.set_exception(job.error)
