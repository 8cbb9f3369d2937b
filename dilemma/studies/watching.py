"""What a running study tells whoever watches it."""

from dataclasses import dataclass
from typing import Protocol

from dilemma_kernel.records import MISALIGNED, Crashed, Judgement, Measured


@dataclass(kw_only=True)
class Tally:
    """Where a study stands."""

    total: int
    done: int = 0
    skipped: int = 0
    """Of ``done``, those that were there before."""
    labelled: int = 0
    misaligned: int = 0
    crashed: int = 0
    first_s: float | None = None
    """Seconds until the first episode of this run had ended."""
    state: str = ""
    """What the models' limiters say of themselves; empty while nothing waits."""

    def count(self, label: Judgement) -> None:
        """Add a finished episode by its label."""
        self.done += 1
        if isinstance(label.outcome, Measured):
            self.labelled += 1
            self.misaligned += label.outcome.value in MISALIGNED
        elif isinstance(label.outcome, Crashed):
            self.crashed += 1


class Watcher(Protocol):
    """Shows progress."""

    def note(self, text: str) -> None: ...

    def update(self, tally: Tally) -> None: ...


class Silent:
    """A watcher that shows nothing."""

    def note(self, text: str) -> None:
        """Nothing is said."""

    def update(self, tally: Tally) -> None:
        """Nothing is shown."""
