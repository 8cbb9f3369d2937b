"""Rates with their intervals, their bounds over what is missing, and their distance from chance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Bounds, Rate
from dilemma_kernel.statistics.clusters import Array, linearised_se, share
from dilemma_kernel.statistics.intervals import ROUNDING, logit_interval, number, t_interval, wilson_interval

NEAR_AN_END = "beyond .9 or .1 the interval covers too much with about 12 clusters, a little too little with 24"


@dataclass(frozen=True)
class RateArrays:
    """Many rates at once; every field has the leading shape of the counts."""

    estimate: Array
    """NaN where there is no observation."""
    low: Array
    high: Array
    se: Array
    """On the scale of the share; NaN where G < 2."""
    alike: NDArray[np.bool_]
    """Where every cluster has the same share, to rounding: the interval is Wilson's with n = G."""
    single: NDArray[np.bool_]
    """Where every cluster gives one observation: the interval is Wilson's with n = G."""
    clusters: NDArray[np.intp]
    n: Array


def rate_arrays(successes: ArrayLike, totals: ArrayLike, *, level: float = 0.95) -> RateArrays:
    """Shares with cluster-linearised intervals on the logit scale, t(G−1).

    Args:
        successes: (..., clusters) successes in each cluster.
        totals: (..., clusters) observations in each cluster; a cluster with none does not count in G.
        level: coverage of the intervals.

    Returns:
        Arrays of shape (...).

    Raises:
        ValueError: counts that are negative, not finite, or more successes than observations.
    """
    hits, n = _counts(successes, totals)
    total = n.sum(axis=-1)
    clusters = (n > 0).sum(axis=-1)
    estimate = share(hits.sum(axis=-1), total)
    residual = hits - np.where(total > 0, estimate, 0)[..., None] * n
    alike = np.asarray((np.abs(residual) <= ROUNDING * n).all(axis=-1))
    se = linearised_se(residual / np.where(total > 0, total, 1)[..., None], clusters)
    low, high = logit_interval(estimate, se, clusters, level)
    wilson_low, wilson_high = wilson_interval(estimate, clusters, level)
    single = np.asarray((clusters > 0) & (n.max(axis=-1, initial=0) == 1))
    stand_in = (alike | single) & (clusters > 1)
    return RateArrays(
        estimate=estimate,
        low=np.where(stand_in, wilson_low, low),
        high=np.where(stand_in, wilson_high, high),
        se=se,
        alike=alike,
        single=single,
        clusters=clusters,
        n=total,
    )


def rate(successes: ArrayLike, totals: ArrayLike, *, unit: str = "core", level: float = 0.95) -> Rate:
    """One share with its interval.

    Logit scale, cluster-linearised standard error with the factor G/(G−1), t(G−1), back-transformed.
    Where every cluster gives one observation (the linearised interval is then too wide), or every cluster has the
    same share, Wilson with n = G stands in; with one cluster there is no interval; without observations there is no
    estimate. ``method`` says which.

    Args:
        successes: (clusters,) successes in each cluster.
        totals: (clusters,) observations in each cluster.
        unit: what a cluster is: core, family, intent.
        level: coverage of the interval.

    Raises:
        ValueError: counts that are negative, not finite, or more successes than observations.
    """
    result = rate_arrays(np.atleast_1d(successes), np.atleast_1d(totals), level=level)
    estimate, wilson = number(result.estimate), bool(result.alike or result.single)
    return Rate(
        estimate=estimate,
        low=number(result.low),
        high=number(result.high),
        method=_method(result, unit),
        unit=unit,
        clusters=int(result.clusters),
        n=int(result.n),
        note=NEAR_AN_END if estimate is not None and not 0.1 <= estimate <= 0.9 and not wilson else "",
    )


def _method(result: RateArrays, unit: str) -> str:
    clusters = int(result.clusters)
    if clusters == 0:
        return "no estimate: no observations"
    if clusters == 1:
        return f"no interval: one {unit}"
    if result.alike:
        return f"Wilson with n = {clusters}, one for each {unit}: every {unit} has the same share"
    if result.single:
        return f"Wilson with n = {clusters}: every {unit} gives one observation"
    return f"logit scale, linearised by {unit}, t({clusters - 1})"


def wilson_rate(successes: ArrayLike, totals: ArrayLike, *, unit: str = "episode", level: float = 0.95) -> Rate:
    """The same share with Wilson's interval, which takes every observation for independent.

    It stands beside ``rate`` where each cluster gives one observation; elsewhere it is too narrow.
    Arguments as for ``rate``, but ``unit`` names one observation.
    """
    hits, n = _counts(np.atleast_1d(successes), np.atleast_1d(totals))
    size = n.sum()
    estimate = share(hits.sum(), size)
    low, high = wilson_interval(estimate, size, level)
    return Rate(
        estimate=number(estimate),
        low=number(low),
        high=number(high),
        method=f"Wilson with n = {int(size)}, one for each {unit}" if size else "no estimate: no observations",
        unit=unit,
        clusters=int(size),
        n=int(size),
    )


def bounds(successes: int, measured: int, missing: int) -> Bounds:
    """The range of a rate over everything Unmeasured or Crashed.

    The lower bound counts all that is missing as aligned, the upper as misaligned.

    Args:
        successes: misaligned among the measured.
        measured: labelled episodes.
        missing: episodes that are declined, otherwise Unmeasured, or Crashed.
    """
    whole = measured + missing
    if whole == 0:
        return Bounds(low=None, high=None, note="no bounds: no episodes")
    return Bounds(low=successes / whole, high=(successes + missing) / whole)


class AboveChance(Record):
    """How far a rate lies from what a random mover gets."""

    estimate: float | None
    """Mean over clusters of (rate of the cluster − its floor)."""
    low: float | None
    high: float | None
    normed: float | None
    """(MR−f)/(1−f) above the floor, (MR−f)/f below it, as a ratio of sums: ±1 are the ends."""
    method: str
    unit: str
    clusters: int
    n: int
    note: str = ""


def above_chance(
    successes: ArrayLike, totals: ArrayLike, floors: ArrayLike, *, unit: str = "core", level: float = 0.95
) -> AboveChance:
    """MR − f from core-level differences, mean and t(G−1) interval, and the normed figure.

    Args:
        successes: (clusters,) successes in each cluster.
        totals: (clusters,) observations in each cluster; clusters with none are left out.
        floors: (clusters,) the chance floor of each cluster, in [0, 1].
        unit: what a cluster is.
        level: coverage of the interval.

    Raises:
        ValueError: bad counts, or a floor outside [0, 1].
    """
    hits, n = _counts(np.atleast_1d(successes), np.atleast_1d(totals))
    floor = np.broadcast_to(np.asarray(floors, dtype=np.float64), n.shape)
    if not ((floor >= 0) & (floor <= 1)).all():
        raise ValueError("a chance floor lies outside [0, 1]")
    seen = n > 0
    difference, floor = hits[seen] / n[seen] - floor[seen], floor[seen]
    mean = mean_difference(difference, level)
    above = difference.sum() >= 0
    room = (1 - floor).sum() if above else floor.sum()
    return AboveChance(
        estimate=number(mean.estimate),
        low=number(mean.low),
        high=number(mean.high),
        normed=float(difference.sum() / room) if room > 0 else None,
        method=mean.method(unit),
        unit=unit,
        clusters=mean.clusters,
        n=int(n.sum()),
    )


@dataclass(frozen=True)
class MeanDifference:
    """The mean of one number a cluster, with its t interval."""

    estimate: float
    """NaN without clusters."""
    low: float
    high: float
    """NaN where there is no interval."""
    se: float
    clusters: int

    def method(self, unit: str) -> str:
        """How the interval was made, or why there is none."""
        if self.clusters == 0:
            return f"no estimate: no {unit} has observations"
        if self.clusters == 1:
            return f"no interval: one {unit}"
        if np.isnan(self.low):
            return f"interval Unmeasured: every {unit} shows the same difference"
        return f"mean of differences by {unit}, t({self.clusters - 1})"


def mean_difference(differences: ArrayLike, level: float = 0.95, most: float = 1.0) -> MeanDifference:
    """Mean of one difference a cluster, t(G−1); where all are equal to rounding the interval is NaN.

    Args:
        differences: (clusters,) of shares, or of differences of shares.
        level: coverage of the interval.
        most: the largest difference that there can be, where the interval is cut off.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.size == 0:
        return MeanDifference(np.nan, np.nan, np.nan, np.nan, 0)
    mean = d.mean()
    alike = bool((np.abs(d - mean) <= ROUNDING).all())
    se = np.nan if alike else float(linearised_se((d - mean) / d.size, d.size))
    low, high = map(float, t_interval(mean, se, d.size, level))
    return MeanDifference(float(mean), max(low, -most), min(high, most), se, int(d.size))


def _counts(successes: ArrayLike, totals: ArrayLike) -> tuple[Array, Array]:
    hits, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64))
    if not (np.isfinite(n).all() and (hits >= 0).all() and (hits <= n).all()):
        raise ValueError("counts must be finite, with 0 ≤ successes ≤ totals in every cluster")
    return hits, n
