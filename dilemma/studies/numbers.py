"""Figures as text."""

from dilemma_kernel.records import Rate

NOTHING = "–"
"""What does not exist."""


def share(rate: Rate) -> str:
    """``0.42 [0.30, 0.55]``; a dash for what does not exist."""
    return NOTHING if rate.estimate is None else f"{rate.estimate:.2f}{interval(rate.low, rate.high)}"


def signed(estimate: float | None, low: float | None, high: float | None) -> str:
    """``+0.12 [-0.03, +0.27]``; a dash for what does not exist."""
    return NOTHING if estimate is None else f"{round(estimate, 2) + 0.0:+.2f}{interval(low, high, '+.2f')}"


def interval(low: float | None, high: float | None, form: str = ".2f") -> str:
    """`` [0.30, 0.55]``; nothing where there is none."""
    return "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"


def p_value(p: float | None) -> str:
    """``.034``, ``<.001``; a dash for what does not exist."""
    if p is None:
        return NOTHING
    return "<.001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1)
