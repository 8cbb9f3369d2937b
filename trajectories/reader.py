"""Reading beside the writer: on threads of its own, so that the event loop never waits for the disk."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Engine, Row, Select, tuple_

from dilemma_kernel.errors import StoreError
from trajectories.engines import READERS
from trajectories.faults import DATABASE_FAULTS, store_error

T = TypeVar("T")

PAGE = 64
"""Rows fetched at a time, each with a record."""


class Reader:
    """Runs reads.

    Args:
        engine: an engine that cannot write.
        path: the file, for messages.
    """

    def __init__(self, engine: Engine, path: Path) -> None:
        self._engine = engine
        self._path = path
        self._is_closed = False
        self._threads = ThreadPoolExecutor(READERS, thread_name_prefix="store reader")

    async def run(self, read: Callable[[Connection], T]) -> T:
        """Do ``read`` in one transaction, which sees one moment of the store.

        Raises:
            StoreError: the database failed it, or the store is closed. Other errors pass through.
        """
        if self._is_closed:
            raise StoreError(f"the store {self._path} is closed")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, read)

    async def rows(self, statement: Select[Any]) -> Sequence[Row[Any]]:
        """All rows of ``statement``."""
        return await self.run(lambda connection: connection.execute(statement).all())

    async def paged(
        self, statement: Select[Any], order: Sequence[Column[Any]], record: Callable[[Row[Any]], T]
    ) -> AsyncIterator[T]:
        """The records of a statement's rows, page by page, so that no transaction outlives a page.

        Args:
            statement: selects the columns of ``order`` among others.
            order: columns that together are unique; the rows come sorted by them.
            record: makes a record of a row; called on the reader's thread.
        """
        page = statement.order_by(*order).limit(PAGE)

        def read(connection: Connection) -> tuple[list[T], Row[Any] | None]:
            rows = connection.execute(page).all()
            return [record(row) for row in rows], rows[-1] if len(rows) == PAGE else None

        while True:
            records, last = await self.run(read)
            for item in records:
                yield item
            if last is None:
                return
            after = tuple(last._mapping[column] for column in order)
            page = statement.where(tuple_(*order) > after).order_by(*order).limit(PAGE)

    def _run(self, read: Callable[[Connection], T]) -> T:
        try:
            with self._engine.begin() as connection:
                return read(connection)
        except DATABASE_FAULTS as error:
            raise store_error(error, self._path) from error

    def close(self) -> None:
        """Let running reads end. Blocks until then; may be called twice."""
        self._is_closed = True
        self._threads.shutdown()
