"""Progress of a study: a live line on a terminal, a logged line now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from dilemma.studies.watching import Tally

LOG_EVERY_S = 15.0


class Progress:
    """Shows notes and a running tally on stderr, so that stdout holds the report alone."""

    def __init__(self, line: Callable[[Tally, float], str] | None = None) -> None:
        """``line`` says a tally in words, given the seconds since the start; that of episodes by default."""
        self._line = line or _line
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live: Live | None = None
        self._started = time.monotonic()
        self._logged = self._started

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(Text(""), console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def note(self, text: str) -> None:
        """Say something once, above the progress line."""
        (self._live.console if self._live else self._console).print(Text(text), soft_wrap=True)

    def update(self, tally: Tally) -> None:
        """Show where the study stands."""
        now = time.monotonic()
        line = self._line(tally, now - self._started)
        if self._live:
            self._live.update(Text(line))
        elif now - self._logged >= LOG_EVERY_S:
            self._logged = now
            print(line, file=sys.stderr, flush=True)


def _line(tally: Tally, elapsed: float) -> str:
    ran = tally.done - tally.skipped
    rate = ran / elapsed if elapsed > 0 else 0.0
    left = f"{duration((tally.total - tally.done) / rate)} left" if rate else "time left not known yet"
    mr = f"MR {tally.misaligned / tally.labelled:.0%} of {tally.labelled}" if tally.labelled else "MR not known yet"
    crashed = f" · {tally.crashed} crashed" if tally.crashed else ""
    state = f" · {tally.state}" if tally.state else ""
    first = "" if tally.first_s is None else f" · first result after {tally.first_s:.1f} s"
    return f"{tally.done}/{tally.total} episodes · {rate:.2f}/s · {mr}{crashed}{state}{first} · {left}"


def duration(seconds: float) -> str:
    """``3 min 20 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
