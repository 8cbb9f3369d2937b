"""Connections to the file of a store.

SQLite in WAL: readers never wait for the writer, in this process or another. ``synchronous=NORMAL``: what was
committed survives the death of the process at any instant. When the power fails or the kernel dies, commits since
the last checkpoint may be gone, and the file stays sound; a resumed study asks for those replies again.
"""

import sqlite3
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import OperationalError

from trajectories.faults import BUSY_SECONDS, error_code

READERS = 4
"""Reads at once."""

_FOLDER_IS_READ_ONLY = ("SQLITE_CANTOPEN", "SQLITE_READONLY")

_PAGE_BYTES = 8192
"""Of a new file. A call's row takes two pages then, and its commit half the writes that SQLite's own 4096 makes it."""

_CACHE_KIB = 32 * 1024
"""Pages that the writer keeps in memory."""

_Access = Literal["mode=rwc", "mode=rw", "immutable=1"]


def writing_engine(path: Path) -> Engine:
    """One connection, whose transactions take the write lock as they begin. Makes the file where there is none."""
    engine = _engine(path, "mode=rwc", size=1)
    event.listen(engine, "connect", _prepare_writer)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def reading_engine(path: Path) -> Engine:
    """Connections that refuse to write, each of whose transactions sees one moment of the file.

    SQLite reads a file in WAL through two files beside it. Where the folder lets no one make them, no one can be
    writing, and the file is read as one that does not change.
    """
    engine = _reading_engine(path, "mode=rw")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")
    except OperationalError as error:
        engine.dispose()
        if not error_code(error).startswith(_FOLDER_IS_READ_ONLY) or Path(f"{path}-wal").exists():
            raise
        return _reading_engine(path, "immutable=1")
    return engine


def _reading_engine(path: Path, access: _Access) -> Engine:
    engine = _engine(path, access, size=READERS)
    event.listen(engine, "connect", _refuse_writes)
    event.listen(engine, "begin", _begin)
    return engine


def _engine(path: Path, access: _Access, size: int) -> Engine:
    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{access}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    return create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=size, max_overflow=0, hide_parameters=True
    )


def _prepare_writer(connection: sqlite3.Connection, _record: Any) -> None:
    connection.execute(f"PRAGMA page_size={_PAGE_BYTES}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")


def _refuse_writes(connection: sqlite3.Connection, _record: Any) -> None:
    connection.execute("PRAGMA query_only=ON")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
