"""One run at a time for each study of a store: an advisory lock on a file beside it, which dies with its process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dilemma_kernel.errors import StudyError
from dilemma_kernel.records import content_hash

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


@contextmanager
def claimed(path: Path, study: str) -> Iterator[None]:
    """Holds ``study`` of the store at ``path``. Where the system or the folder allows no lock, nothing is held.

    Raises:
        StudyError: another run holds it.
    """
    place = Path(f"{path.resolve()}-{content_hash(study)}.lock")
    held = _locked(place, study)
    try:
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                place.unlink()
            os.close(held)


def _locked(place: Path, study: str) -> int | None:
    """The descriptor that holds the lock; None where there can be none."""
    if fcntl is None:
        return None
    while True:
        try:
            held = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_there(place, held):
                return held
            os.close(held)
        except BlockingIOError:
            os.close(held)
            raise StudyError(
                f"study {study!r} is running in another process: wait until it is done, or end it"
            ) from None
        except OSError:
            os.close(held)
            return None


def _is_there(place: Path, held: int) -> bool:
    """Whether the file was not removed, by the run that held it, between being opened and being locked."""
    try:
        return os.path.samestat(os.fstat(held), os.stat(place))
    except FileNotFoundError:
        return False
