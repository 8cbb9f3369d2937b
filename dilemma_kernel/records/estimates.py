"""Figures with what they rest on."""

from dilemma_kernel.records.base import Record


class Rate(Record):
    """A share with its interval. Fields are None where they do not exist; ``note`` says why."""

    estimate: float | None
    low: float | None
    high: float | None
    method: str
    """How the interval was made, or why there is none."""
    unit: str
    """The unit of resampling: core, family, intent."""
    clusters: int
    """G, the number of units."""
    n: int
    """Observations that enter the estimate."""
    note: str = ""


class Bounds(Record):
    """The range of a rate over everything that is missing."""

    low: float | None
    high: float | None
    note: str = ""


class Effect(Record):
    """A difference between two levels, agents or environments, paired by core."""

    name: str
    """Such as ``stakes: low − high``."""
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None = None
    """After Holm, over the family of effects that it was reported with."""
    method: str
    unit: str
    clusters: int
    """Pairs of units that both sides have."""
    n: int
    note: str = ""
