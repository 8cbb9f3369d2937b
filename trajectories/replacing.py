"""Files and folders that appear whole or not at all."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dilemma_kernel.errors import InputError


@contextmanager
def replacing(out: Path, check: Callable[[Path], None]) -> Iterator[Path]:
    """A path at which the caller makes a file or folder that then takes the place of ``out``.

    A file is replaced in one step. A folder is moved aside, and moved back where the new one cannot take its place.
    When the caller raises, ``out`` stays as it was.

    Args:
        out: the place, taken or free.
        check: raises where what is at ``out`` must stay.

    Raises:
        InputError: the place cannot be written.
    """
    try:
        check(out)
        out = out.resolve()
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as workshop:
            made = Path(workshop) / out.name
            yield made
            _put(made, out, Path(workshop) / "replaced")
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror or error}") from error


def _put(made: Path, out: Path, aside: Path) -> None:
    if not out.is_dir():
        made.replace(out)
        return
    out.replace(aside)
    try:
        made.replace(out)
    except OSError:
        aside.replace(out)
        raise
