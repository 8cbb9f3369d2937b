"""Conditioned divergence: of the triples refused in chat, the share whose tool arm is unsafe all the same."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Bounds, Effect, Rate
from dilemma_kernel.statistics.clusters import Array, Groups, linearised_se, share, sums
from dilemma_kernel.statistics.intervals import ROUNDING, number, t_interval, t_p_value
from dilemma_kernel.statistics.rates import rate


@dataclass(frozen=True)
class Ratio:
    """A ratio of sums over intents: what Δ, the wording null and the joint rate are."""

    hits: Array
    """(intents,)."""
    totals: Array
    """(intents,)."""

    @classmethod
    def of(cls, hit: ArrayLike, counts: ArrayLike, intents: Groups) -> Self:
        """Sum booleans within intents: how many count, and how many of these are hits."""
        counted = np.asarray(counts, dtype=np.bool_)
        return cls(sums(np.asarray(hit, dtype=np.bool_) & counted, intents), sums(counted, intents))

    @property
    def estimate(self) -> float:
        """NaN where nothing counts."""
        return float(share(self.hits.sum(), self.totals.sum()))

    @property
    def influence(self) -> Array:
        """(intents,) first-order contributions; they sum to zero."""
        estimate = np.nan_to_num(self.estimate)
        return np.asarray((self.hits - estimate * self.totals) / max(self.totals.sum(), 1))


def conditioned_divergence(
    refused: ArrayLike, unsafe: ArrayLike, intents: Groups, *, unit: str = "intent", level: float = 0.95
) -> Rate:
    """Δ over matched triples: logit scale, linearised by intent, t(G−1), G the intents with a refused triple.

    Args:
        refused: (triples,) 1 refused in chat, 0 not, NaN unknown.
        unsafe: (triples,) 1 unsafe in the tool arm, 0 not, NaN unknown.
        intents: the clusters of the triples; another grouping (the paper's 128 clusters) serves as well.
        unit: what a cluster is.
        level: coverage.

    Returns:
        The rate over triples with both sides known; no estimate where none was refused.
    """
    ratio = divergence_ratio(refused, unsafe, intents)
    return _named(rate(ratio.hits, ratio.totals, unit=unit, level=level), "no triple was refused")


def divergence_ratio(refused: ArrayLike, unsafe: ArrayLike, intents: Groups) -> Ratio:
    """Per-intent counts behind Δ, both sides known; arguments as for ``conditioned_divergence``."""
    chat, tool = np.asarray(refused, dtype=np.float64), np.asarray(unsafe, dtype=np.float64)
    return Ratio.of(tool == 1, (chat == 1) & ~np.isnan(tool), intents)


def divergence_bounds(a: int, r: int, m: int, c_s: int, c_u: int, unknown: int = 0) -> Bounds:
    """The range of Δ over everything that is missing.

    Args:
        a: divergent among the r complete refused triples.
        r: complete triples refused in chat.
        m: refused in chat, tool outcome unknown.
        c_s: chat unknown, tool not unsafe.
        c_u: chat unknown, tool unsafe.
        unknown: unknown on both sides: joins c_s in the lower bound and c_u in the upper.

    Returns:
        a/(r+m+c_s) and (a+m+c_u)/(r+m+c_u); a bound whose denominator is 0 does not exist, and the note
        says which.
    """
    bottom_low, bottom_high = r + m + c_s + unknown, r + m + c_u + unknown
    absent = [name for name, bottom in (("lower", bottom_low), ("upper", bottom_high)) if bottom == 0]
    return Bounds(
        low=a / bottom_low if bottom_low else None,
        high=(a + m + c_u + unknown) / bottom_high if bottom_high else None,
        note=f"no {' and no '.join(absent)} bound: no triple can have been refused" if absent else "",
    )


def triple_bounds(refused: ArrayLike, unsafe: ArrayLike) -> Bounds:
    """``divergence_bounds`` from triples; arguments as for ``conditioned_divergence``."""
    chat, tool = np.asarray(refused, dtype=np.float64), np.asarray(unsafe, dtype=np.float64)
    no_chat, no_tool = np.isnan(chat), np.isnan(tool)

    def count(which: ArrayLike) -> int:
        return int(np.sum(which))

    return divergence_bounds(
        a=count((chat == 1) & (tool == 1)),
        r=count((chat == 1) & ~no_tool),
        m=count((chat == 1) & no_tool),
        c_s=count(no_chat & (tool == 0)),
        c_u=count(no_chat & (tool == 1)),
        unknown=count(no_chat & no_tool),
    )


def wording_null(
    refused_a: ArrayLike, refused_b: ArrayLike, intents: Groups, *, unit: str = "intent", level: float = 0.95
) -> Rate:
    """P(not refused in chat wording B | refused in wording A).

    Args:
        refused_a: (pairs,) 1, 0 or NaN for wording A of an intent in one system condition.
        refused_b: (pairs,) the same of wording B.
        intents: the clusters of the pairs.
        unit: what a cluster is.
        level: coverage.
    """
    ratio = wording_ratio(refused_a, refused_b, intents)
    return _named(rate(ratio.hits, ratio.totals, unit=unit, level=level), "nothing was refused in wording A")


def wording_ratio(refused_a: ArrayLike, refused_b: ArrayLike, intents: Groups) -> Ratio:
    """Per-intent counts of the wording null; arguments as for ``wording_null``."""
    first, second = np.asarray(refused_a, dtype=np.float64), np.asarray(refused_b, dtype=np.float64)
    return Ratio.of(second == 0, (first == 1) & ~np.isnan(second), intents)


def ratio_difference(name: str, first: Ratio, second: Ratio, *, unit: str = "intent", level: float = 0.95) -> Effect:
    """The difference of two ratios over the same intents, jointly linearised by intent, t(G−1).

    With Δ and the wording null this is what lies beyond a redraw of the chat propensity; a small negative
    difference is no finding, for the null is the larger where the redraw shares the wording's own shift.

    Args:
        name: such as ``Δ − wording null``.
        first: one ratio.
        second: what is taken from it, its intents in the same order.
        unit: what a cluster is.
        level: coverage.
    """
    estimate = first.estimate - second.estimate
    clusters = int(((first.totals > 0) | (second.totals > 0)).sum())
    influence = first.influence - second.influence
    method, se = f"difference of ratios, jointly linearised by {unit}, t({clusters - 1})", np.nan
    if np.isnan(estimate):
        method = "no estimate: one of the ratios does not exist"
    elif clusters < 2:
        method = f"no interval: one {unit}"
    elif np.abs(influence).max() <= ROUNDING:
        method = f"interval Unmeasured: every {unit} shows the same difference"
    else:
        se = float(linearised_se(influence, clusters))
    low, high = t_interval(estimate, se, clusters, level)
    return Effect(
        name=name,
        estimate=number(estimate),
        low=number(low),
        high=number(high),
        p=number(t_p_value(estimate, se, clusters)),
        method=method,
        unit=unit,
        clusters=clusters,
        n=int(max(first.totals.sum(), second.totals.sum())),
    )


class PairedDivergence(Record):
    """Two models, or two conditions, over the same triples."""

    divergence: Effect
    """Difference of Δ on the triples that both refused."""
    joint: Effect
    """Difference of P(refused ∧ unsafe) on the triples that both have complete."""
    both_refused: int
    """Triples that the first is taken over."""


def paired_divergence(
    name: str,
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    intents: Groups,
    *,
    unit: str = "intent",
    level: float = 0.95,
) -> PairedDivergence:
    """Compare two sides on matched triples.

    Args:
        name: such as ``model-a − model-b``.
        first: (refused, unsafe), each (triples,) of 1, 0 or NaN.
        second: the same of the other side, the triples in the same order.
        intents: the clusters of the triples.
        unit: what a cluster is.
        level: coverage.
    """
    chat = np.array([first[0], second[0]], dtype=np.float64)
    tool = np.array([first[1], second[1]], dtype=np.float64)
    refused = (chat == 1).all(axis=0) & ~np.isnan(tool).any(axis=0)
    complete = ~np.isnan(chat).any(axis=0) & ~np.isnan(tool).any(axis=0)
    over_refused = [Ratio.of(tool[side] == 1, refused, intents) for side in (0, 1)]
    jointly = [Ratio.of((chat[side] == 1) & (tool[side] == 1), complete, intents) for side in (0, 1)]
    return PairedDivergence(
        divergence=ratio_difference(f"Δ: {name}", *over_refused, unit=unit, level=level),
        joint=ratio_difference(f"P(refused ∧ unsafe): {name}", *jointly, unit=unit, level=level),
        both_refused=int(refused.sum()),
    )


def _named(result: Rate, why_none: str) -> Rate:
    return result if result.n else result.model_copy(update={"method": f"no estimate: {why_none}"})
