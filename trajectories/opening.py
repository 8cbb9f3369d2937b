"""Opening a store: what is in the file, and bringing it to this version's tables."""

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, inspect, text
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from dilemma_kernel.errors import StoreError, StoreVersionError
from trajectories.engines import reading_engine, writing_engine
from trajectories.faults import BUSY_SECONDS, DATABASE_FAULTS, is_busy, store_error
from trajectories.location import check_place

REVISIONS = ("0001", "0002", "0003")
"""Revisions of the tables, oldest first, as in ``trajectories/migrations``. The last is the one in use.

What an older one lacks are ``overview`` and ``unanswered``: such a store can be read as it is.
"""

VERSION_TABLE = "store_version"
"""Where alembic keeps the revision of a store."""

_MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Engines:
    """The two ways into a store."""

    read: Engine
    write: Engine | None
    """None where the store was opened for reading only."""

    def dispose(self) -> None:
        """Close every connection. The last one to close a file in WAL folds the log into it."""
        self.read.dispose()
        if self.write:
            self.write.dispose()


def open_engines(path: Path, *, read_only: bool) -> Engines:
    """Open the store at ``path``; unless ``read_only``, make it where there is none, and bring it up to date.

    Raises:
        StoreVersionError: a newer version wrote it.
        StoreError: it is no store, or cannot be made, read or written. Nothing is left behind.
    """
    check_place(path, must_exist=read_only)
    is_new = not path.exists()
    try:
        # SQLite does not wait by itself where several processes turn one new file to WAL
        waits = Retrying(
            retry=retry_if_exception(_is_busy), stop=stop_after_delay(BUSY_SECONDS), wait=wait_fixed(0.05), reraise=True
        )
        return waits(_opened, path, read_only=read_only)
    except DATABASE_FAULTS as error:
        if is_new and not is_busy(error):
            _remove_empty(path)
        raise store_error(error, path) from error


def _opened(path: Path, *, read_only: bool) -> Engines:
    if path.exists():
        revision = _stored_revision(path)
        if read_only:
            _refuse_empty(revision, path)
    with ExitStack() as on_failure:
        write = None if read_only else _upgraded(path)
        if write:
            on_failure.callback(write.dispose)
        engines = Engines(reading_engine(path), write)
        on_failure.pop_all()
        return engines


def _is_busy(error: BaseException) -> bool:
    return isinstance(error, Exception) and is_busy(error)


def _stored_revision(path: Path) -> str | None:
    engine = reading_engine(path)
    try:
        with engine.connect() as connection:
            return _revision(connection, path)
    finally:
        engine.dispose()


def _revision(connection: Connection, path: Path) -> str | None:
    """The revision of the store; None where the database is empty."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if VERSION_TABLE not in tables:
        raise StoreError(f"{path} is a database of something else: choose another file")
    revision: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))
    if revision is not None and revision not in REVISIONS:
        raise StoreVersionError(
            f"{path} was written by a newer version of dilemma (tables {revision}, here {REVISIONS[-1]}): "
            "upgrade dilemma-sim, or choose another store"
        )
    return revision


def _refuse_empty(revision: str | None, path: Path) -> None:
    if revision is None:
        raise StoreError(f"{path} is empty: there is no store in it")


def _upgraded(path: Path) -> Engine:
    """An engine for the writer, after the migrations that the store lacks, in one transaction."""
    engine = writing_engine(path)
    try:
        with engine.begin() as connection:
            if _revision(connection, path) != REVISIONS[-1]:
                config = Config()
                config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
                config.attributes.update(connection=connection, version_table=VERSION_TABLE)
                command.upgrade(config, "head")
        return engine
    except BaseException:
        engine.dispose()
        raise


def _remove_empty(path: Path) -> None:
    """Leave no file behind that we could not finish; one that another process filled meanwhile stays."""
    with suppress(*DATABASE_FAULTS, StoreError):
        if _stored_revision(path) is not None:
            return
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            Path(f"{path}{suffix}").unlink()
