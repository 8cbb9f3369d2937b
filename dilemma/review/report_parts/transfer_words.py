"""How a transfer report writes names and figures."""

from collections.abc import Sequence

from dilemma.review.report_parts.forest_plot import Bar
from dilemma.studies.numbers import NOTHING, interval, share
from dilemma.studies.transfer.figures import TransferReport
from dilemma_kernel.records import Bounds, Rate

HARMFUL, BENIGN = "harmful", "benign"


def arm_name(report: TransferReport, model: str, arm: str) -> str:
    """An arm, with its model where the study has several."""
    return f"{model} · {arm}" if len({one.model for one in report.arms}) > 1 else arm


def rate_text(rate: Rate) -> str:
    """A rate with its interval."""
    return "withheld" if rate.method == "withheld" else share(rate)


def plain_text(rate: Rate) -> str:
    """A rate without its interval."""
    return NOTHING if rate.estimate is None else f"{rate.estimate:.2f}"


def bounds_text(bounds: Bounds) -> str:
    """The least and the most that a rate could be."""
    return interval(bounds.low, bounds.high).strip() or NOTHING


def alt_text(what: str, names: Sequence[str], bars: Sequence[Bar]) -> str:
    """What a screen reader says of a forest plot."""
    said = [f"{n} {NOTHING if b.estimate is None else f'{b.estimate:.2f}'}" for n, b in zip(names, bars, strict=True)]
    return f"{what}: {'; '.join(said[:8])}{'; …' if len(said) > 8 else ''}"
