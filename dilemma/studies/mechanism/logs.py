"""What a run must not lose: replies and scores, a line each, and residuals in chunks. All keyed by what shaped them."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from dilemma_kernel.errors import StudyError

SYNC_EVERY_S = 0.25
"""At most this much work is lost when the machine dies; when only the process dies, nothing is."""


class AppendedLog:
    """A file of JSON lines ``{"key": …, "value": …}`` to which lines are added and from which none is ever taken.

    A last line that was cut short by the death of the process is dropped when the file is opened.

    Args:
        path: the file; made where there is none.

    Raises:
        StudyError: it cannot be read or written, or a line that is not the last is broken.
    """

    def __init__(self, path: Path) -> None:
        self._values: dict[str, Any] = {}
        try:
            whole = self._read(path)
            self._file = path.open("ab")
            self._file.truncate(whole)
        except OSError as error:
            raise StudyError(f"{path} cannot be used: {error.strerror or error}") from error
        self._synced = time.monotonic()

    def _read(self, path: Path) -> int:
        """Read what is there; bytes up to the end of the last whole line."""
        data = path.read_bytes() if path.exists() else b""
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                entry = json.loads(line)
                self._values[entry["key"]] = entry["value"]
            except (ValueError, KeyError, TypeError) as error:
                raise StudyError(f"{path}, line {number}: is broken; move the file away to measure anew") from error
        return whole

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def put(self, key: str, value: Any) -> None:
        """Keep a value. The first one of a key stays."""
        if key in self._values:
            return
        self._values[key] = value
        self._file.write(json.dumps({"key": key, "value": value}).encode() + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced >= SYNC_EVERY_S:
            self.sync()

    def sync(self) -> None:
        """What was put survives the machine from here on."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and close."""
        with suppress(OSError, ValueError):
            self.sync()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
