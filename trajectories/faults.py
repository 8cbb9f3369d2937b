"""What the database says when something breaks, in words that say what to do."""

import sqlite3
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from dilemma_kernel.errors import StoreError

BUSY_SECONDS = 30
"""How long a writer waits for another process's write to end."""

DATABASE_FAULTS = (DBAPIError, sqlite3.Error, UnicodeError, OverflowError)
"""What a database raises, and what its driver raises for a value that it cannot take."""

_ADVICE = {
    "SQLITE_FULL": "the disk that holds {path} is full: free some space and go on; what was acknowledged is stored",
    "SQLITE_READONLY": "{path} cannot be written: check the permissions of the file and of its folder",
    "SQLITE_CANTOPEN": "{path} cannot be opened or made: check the permissions of the file and of its folder",
    "SQLITE_PERM": "{path} cannot be opened or made: check the permissions of the file and of its folder",
    "SQLITE_BUSY": f"{{path}} was locked by another process for {BUSY_SECONDS} s: wait until it is done, or end it",
    "SQLITE_LOCKED": f"{{path}} was locked by another process for {BUSY_SECONDS} s: wait until it is done, or end it",
    "SQLITE_NOTADB": "{path} is not a database: choose another file",
    "SQLITE_CORRUPT": "{path} is damaged: restore a copy, or save what can be read with sqlite3's .recover",
    "SQLITE_IOERR": "{path} cannot be read or written ({code}): the disk may be full, gone or broken",
}


def store_error(error: Exception, path: Path) -> StoreError:
    """``error`` as one line. Values that were being written do not appear in it."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    code = error_code(error)
    for prefix, advice in _ADVICE.items():
        if code.startswith(prefix):
            return StoreError(advice.format(path=path, code=code))
    reason = " ".join(str(cause).split())[:200]
    return StoreError(f"{path}: {reason} ({type(cause).__name__})")


def error_code(error: Exception) -> str:
    """SQLite's name of an error, such as ``SQLITE_IOERR_WRITE``; empty where it is not SQLite's."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return str(getattr(cause, "sqlite_errorname", "")) if isinstance(cause, sqlite3.Error) else ""


def is_busy(error: Exception) -> bool:
    """Whether another process kept the store locked for as long as we wait."""
    return error_code(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
