"""Where a store is: its URL or path, and what is found there before anything is opened for writing."""

from pathlib import Path

from dilemma_kernel.errors import StoreError

_SCHEME = "sqlite:///"


def store_path(url: str) -> Path:
    """The file that a store URL names.

    Args:
        url: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, or a bare path.

    Raises:
        StoreError: it names no file, or a database of another kind.
    """
    if url.startswith(_SCHEME):
        name = url.removeprefix(_SCHEME)
    elif "://" in url:
        raise StoreError(f"a store is an SQLite file, and {url.split('://')[0]}:// is not: give sqlite:///FILE.db")
    else:
        name = url
    if not name.strip() or name == ":memory:" or "\0" in name:
        raise StoreError(f"a store is a file, and {url!r} names none: give sqlite:///FILE.db")
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise StoreError(f"{name} begins with the home of nobody here: give the whole path") from None


def check_place(path: Path, *, must_exist: bool) -> None:
    """See that ``path`` is a file, or could become one.

    Raises:
        StoreError: it is a folder, its folder is missing, or it is missing itself and ``must_exist``.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder: give the name of a file in it, such as {path / 'dilemma.db'}")
        if path.exists():
            return
        if not path.parent.is_dir():
            raise StoreError(f"there is no folder {path.parent}: make it first, or choose another place")
    except OSError as error:
        raise StoreError(f"{path} cannot be reached: {error.strerror}") from error
    if must_exist:
        raise StoreError(f"there is no store at {path}: dilemma simulate makes one")
