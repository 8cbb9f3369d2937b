"""A table of text, and figures as text."""

from collections.abc import Sequence
from dataclasses import dataclass

from dilemma.studies.numbers import NOTHING, signed
from dilemma.studies.numbers import share as plain_share
from dilemma_kernel.records import Effect, Rate


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A table of text."""

    key: str
    """Short and stable."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    """Leading columns that hold words."""
    notes: Sequence[str] = ()


def rate_text(rate: Rate) -> str:
    """``0.42 [0.30, 0.55]``; ``withheld``, or a dash for what does not exist."""
    return "withheld" if rate.method == "withheld" else plain_share(rate)


def effect_text(effect: Effect) -> str:
    """``+0.12 [+0.03, +0.21]``; ``withheld``, or a dash for what does not exist."""
    return "withheld" if effect.method == "withheld" else signed(effect.estimate, effect.low, effect.high)


def number_text(value: float | None, form: str) -> str:
    """A number in ``form``; a dash for what does not exist."""
    return NOTHING if value is None else format(value, form)
