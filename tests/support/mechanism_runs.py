"""Small runs of the laboratory on a trained organism, and how to compare two."""

from pathlib import Path
from typing import Any

import pytest
from mechanism_organisms import organism


class Killed(BaseException):
    """What stands for the death of the process."""


class DiesAfter:
    """A watcher that ends the run at its ``updates``-th update, whatever is being measured then."""

    def __init__(self, updates: int) -> None:
        self.left = updates
        self.seen: list[str] = []

    def note(self, text: str) -> None:
        """Nothing is said."""

    def update(self, tally: Any) -> None:
        """Count, and die."""
        self.seen.append(tally.state)
        self.left -= 1
        if self.left == 0:
            raise Killed


def small_options(kind: str = "override", **said: Any) -> Any:
    """Options of a run that takes seconds: twelve pairs of intents under one system text."""
    from dilemma.studies.mechanism.options import mechanism_options  # noqa: PLC0415

    values = {
        "model": str(organism(kind)),
        "sample": 12,
        "systems": "neutral",
        "max_tokens": 48,
        "random_directions": 2,
        "coefficients": "0.25x,1x,30x",
        "kl_prompts": 8,
        "selection_prompts": 8,
    }
    return mechanism_options(**{**values, **said})


def small_run(out: Path, *, resume: bool = False, watcher: Any = None, **said: Any) -> Any:
    """The report of such a run; ``said`` as for ``small_options``."""
    from dilemma.studies.mechanism.run import run_mechanism  # noqa: PLC0415
    from dilemma.studies.watching import Silent  # noqa: PLC0415

    return run_mechanism(small_options(**said), out, resume=resume, watcher=watcher or Silent())


def same(first: Any, second: Any) -> bool:
    """Whether two dumped reports say the same; numbers may differ by what the order of rows in a batch rounds."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, float) and isinstance(second, float):
        return first == pytest.approx(second, rel=1e-4, abs=1e-6)
    return bool(first == second)
