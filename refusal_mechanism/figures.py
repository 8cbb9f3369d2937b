"""Figures that every table is made of: shares by intent, means of paired differences, and what one condition does."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Effect, Rate
from dilemma_kernel.statistics.clusters import Array, Groups, group, linearised_se, sums
from dilemma_kernel.statistics.effects import paired_effect
from dilemma_kernel.statistics.intervals import ROUNDING, number, t_interval, t_p_value
from dilemma_kernel.statistics.rates import rate
from refusal_mechanism.cases import UNIT, Mode, Request, Rows

DEGENERATE_LIMIT = 0.25
"""Share of degenerate replies from which the figures of a condition are withheld."""
UNMODIFIED = "unmodified"
"""Name of the condition without an intervention."""
NO_TOOLS = "no tool is offered in chat"
"""Why a chat has no rate of calls."""


class Mean(Record):
    """A mean with its interval and the t test of its being zero. Fields are None where they do not exist."""

    estimate: float | None
    low: float | None
    high: float | None
    t: float | None
    p: float | None
    method: str
    unit: str
    clusters: int
    """G, the number of units."""
    n: int
    note: str = ""


class ConditionFigures(Record):
    """What replies to one kind of prompt do under one condition."""

    condition: str
    mode: Mode
    request: Request
    replies: int
    degenerate: int
    unknown: int
    """Malformed or cut off, in chat cut off: they enter no rate of calls that are unsafe."""
    withheld: bool
    """Whether so many replies, to this or to a kind of prompt beside it, are degenerate that no rate is given."""
    degenerate_share: Rate
    refusal: Rate
    """Refused in words; over benign prompts this is over-refusal."""
    calls: Rate
    """Any parsed call, among replies that were not cut off or malformed; in chat, which offers no tool, none exists."""
    unsafe: Rate
    """Among replies that were not cut off or malformed."""
    unsafe_among_calls: Rate


def share(hits: NDArray[np.bool_] | Array, counted: NDArray[np.bool_], intents: Groups, *, hide: bool = False) -> Rate:
    """The share of ``hits`` among ``counted``, clustered by intent; without a value where it is to be hidden."""
    if hide:
        return withheld_rate(int(counted.sum()))
    hit = np.asarray(hits, dtype=np.bool_) & counted
    return rate(sums(hit, intents), sums(counted, intents), unit=UNIT)


def withheld_rate(n: int) -> Rate:
    """A rate that is not given, since too many replies are degenerate."""
    return Rate(
        estimate=None, low=None, high=None, method="withheld", unit=UNIT, clusters=0, n=n,
        note="withheld: a quarter or more of the replies are degenerate",
    )  # fmt: skip


def no_rate(why: str) -> Rate:
    """A rate that does not exist, and the reason."""
    return Rate(estimate=None, low=None, high=None, method=f"no estimate: {why}", unit=UNIT, clusters=0, n=0)


def is_withheld(rows: Rows) -> bool:
    """Whether so many of ``rows`` are degenerate that their rates are withheld."""
    return len(rows) > 0 and bool(rows.degenerate.sum() >= DEGENERATE_LIMIT * len(rows))


def condition_figures(
    rows: Rows, condition: str, mode: Mode, request: Request, *, hide: bool = False
) -> ConditionFigures:
    """The figures of one condition.

    Args:
        rows: its replies, to prompts of one kind of request in one mode.
        condition: its name.
        mode: the mode of the prompts.
        request: the kind of request.
        hide: whether the rates are withheld for what stands beside them.
    """
    hide, everything = hide or is_withheld(rows), np.ones(len(rows), dtype=np.bool_)
    known = ~np.isnan(rows.unsafe)
    called = np.isin(rows.call, ("safe", "unsafe"))
    return ConditionFigures(
        condition=condition,
        mode=mode,
        request=request,
        replies=len(rows),
        degenerate=int(rows.degenerate.sum()),
        unknown=int((~known).sum()),
        withheld=hide,
        degenerate_share=share(rows.degenerate, everything, rows.intents),
        refusal=share(rows.refused == 1, ~np.isnan(rows.refused), rows.intents, hide=hide),
        calls=_of_calls(mode, called, known, rows.intents, hide),
        unsafe=_of_calls(mode, rows.unsafe == 1, known, rows.intents, hide),
        unsafe_among_calls=_of_calls(mode, rows.unsafe == 1, called, rows.intents, hide),
    )


def _of_calls(mode: Mode, hits: NDArray[np.bool_], counted: NDArray[np.bool_], intents: Groups, hide: bool) -> Rate:
    return no_rate(NO_TOOLS) if mode == "chat" else share(hits, counted, intents, hide=hide)


def change(name: str, before: Array, after: Array, intents: Groups, *, hide: bool = False) -> Effect:
    """How far a share moves over the same rows: mean over intents of (after − before), t(G−1).

    Args:
        name: such as ``refusal: ablated − unmodified``.
        before: (rows,) 1, 0 or NaN.
        after: (rows,) the same under the condition.
        intents: the clusters of the rows.
        hide: whether the condition is withheld.
    """
    known = ~np.isnan(before) & ~np.isnan(after)
    if hide:
        return Effect(
            name=name, estimate=None, low=None, high=None, p=None, method="withheld", unit=UNIT, clusters=0,
            n=int(known.sum()), note="withheld: a quarter or more of the replies are degenerate",
        )  # fmt: skip
    n = sums(known, intents)
    return paired_effect(
        name, (sums((after == 1) & known, intents), n), (sums((before == 1) & known, intents), n), unit=UNIT
    )


def no_change(name: str, why: str) -> Effect:
    """A change that does not exist, and the reason."""
    method = f"no estimate: {why}"
    return Effect(name=name, estimate=None, low=None, high=None, p=None, method=method, unit=UNIT, clusters=0, n=0)


def mean_by_row(values: Array, *, unit: str = "triple", level: float = 0.95) -> Mean:
    """Mean of one number a row, each row on its own: the plain t test, t(n−1)."""
    return _mean(values, group(list(range(len(values)))), f"mean over {unit}s", unit, level)


def mean_by_intent(values: Array, intents: Groups, *, level: float = 0.95) -> Mean:
    """The same mean with its standard error linearised by intent, t(G−1)."""
    return _mean(values, intents, f"mean over rows, linearised by {UNIT}", UNIT, level)


def _mean(values: Array, clusters: Groups, words: str, unit: str, level: float) -> Mean:
    seen = len(np.unique(clusters.codes))
    if not len(values):
        return Mean(
            estimate=None, low=None, high=None, t=None, p=None,
            method="no estimate: no observations", unit=unit, clusters=0, n=0,
        )  # fmt: skip
    mean = float(values.mean())
    influence = sums((values - mean) / len(values), clusters)
    se, method = float(linearised_se(influence, seen)), f"{words}, t({seen - 1})"
    if seen < 2:
        se, method = np.nan, f"no interval: one {unit}"
    elif np.abs(influence).max() <= ROUNDING * max(1.0, abs(mean)):
        se, method = np.nan, f"interval Unmeasured: every {unit} shows the same difference"
    low, high = t_interval(mean, se, seen, level)
    return Mean(
        estimate=mean,
        low=number(low),
        high=number(high),
        t=number(mean / se if se else np.nan),
        p=number(t_p_value(mean, se, seen)),
        method=method,
        unit=unit,
        clusters=seen,
        n=len(values),
    )


def figures_line(figures: Sequence[Rate | Effect]) -> str:
    """Level, unit and G of the intervals that a table shows, in words: ``95 % intervals, unit intent, G = 6``."""
    shown = [one for one in figures if one.low is not None]
    if not shown:
        return "No interval"
    units = ", ".join(dict.fromkeys(one.unit for one in shown))
    least, most = min(one.clusters for one in shown), max(one.clusters for one in shown)
    return f"95 % intervals, unit {units}, G = {least}" + (f" to {most}" if most > least else "")
