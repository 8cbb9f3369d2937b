"""The cluster bootstrap: whole clusters drawn with replacement, all statistics from the same resamples."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.records.estimates import Rate
from dilemma_kernel.statistics.clusters import Array, share
from dilemma_kernel.statistics.intervals import Interval, number

RESAMPLES = 10_000
BLOCK = 2**21
"""Most weights held at once (16 MiB)."""


def resampled_sums(
    values: ArrayLike, rng: np.random.Generator, resamples: int = RESAMPLES, block: int = BLOCK
) -> Array:
    """Sums over clusters drawn with replacement, by one matrix product (weights × values).

    Args:
        values: (G, k) per-cluster sums of k quantities; they are resampled jointly.
        rng: source of the draws.
        resamples: how many.
        block: most weights held at once; the resamples do not depend on it.

    Returns:
        (resamples, k).
    """
    columns = np.asarray(values, dtype=np.float64)
    blocks = [weights @ columns for weights in _weights(len(columns), rng, resamples, block)]
    return np.concatenate(blocks) if blocks else np.empty((0, columns.shape[1]))


def _weights(clusters: int, rng: np.random.Generator, resamples: int, block: int) -> Iterator[Array]:
    """(rows, G) how often each cluster was drawn, a block of resamples at a time."""
    rows = max(1, block // max(clusters, 1))
    for start in range(0, resamples if clusters else 0, rows):
        count = min(rows, resamples - start)
        drawn = rng.integers(0, clusters, size=(count, clusters)) + np.arange(count)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=count * clusters)
        yield counts.reshape(count, clusters).astype(np.float64)


def percentile_interval(draws: Array, level: float = 0.95) -> Interval:
    """Percentile interval down the first axis; NaN draws are left out, NaN where none is left.

    Args:
        draws: (resamples, …).
        level: coverage.
    """
    tails = (0.5 - level / 2, 0.5 + level / 2)
    if not np.isnan(draws).any():
        low, high = np.quantile(draws, tails, axis=0)
        return low, high
    ends = np.full((2, *draws.shape[1:]), np.nan)
    for index in np.ndindex(draws.shape[1:]):
        kept = draws[(slice(None), *index)]
        kept = kept[~np.isnan(kept)]
        if kept.size:
            ends[(slice(None), *index)] = np.quantile(kept, tails)
    return ends[0], ends[1]


def bootstrap_interval(
    values: ArrayLike,
    statistic: Callable[[Array], Array],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[Interval, int]:
    """Percentile interval of any function of per-cluster sums.

    Args:
        values: (G, k) per-cluster sums.
        statistic: maps (resamples, k) sums to (resamples, …); NaN where it does not exist.
        rng: source of the draws.
        level: coverage.
        resamples: how many.

    Returns:
        The interval, and in how many resamples the statistic existed nowhere or in part.
    """
    draws = statistic(resampled_sums(values, rng, resamples))
    missing = np.isnan(draws).reshape(len(draws), -1).any(axis=1).sum()
    return percentile_interval(draws, level), int(missing)


def bootstrap_rates(
    successes: ArrayLike,
    totals: ArrayLike,
    rng: np.random.Generator,
    *,
    unit: str = "core",
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[Rate, ...]:
    """Cluster-bootstrap intervals of several cells' rates, from the same resamples.

    Args:
        successes: (cells, clusters) successes.
        totals: (cells, clusters) observations; all cells have the same clusters.
        rng: source of the draws.
        unit: what a cluster is.
        level: coverage.
        resamples: how many.

    Returns:
        One Rate a cell. No interval with fewer than two clusters, or where all clusters are alike.
    """
    hits, n = np.atleast_2d(successes).astype(np.float64), np.atleast_2d(totals).astype(np.float64)
    cells = len(hits)
    drawn = resampled_sums(np.concatenate([hits, n]).T, rng, resamples)
    shares = share(drawn[:, :cells], drawn[:, cells:])
    low, high = percentile_interval(shares, level)
    estimates = share(hits.sum(axis=1), n.sum(axis=1))
    empty = np.isnan(shares).sum(axis=0)
    method = f"percentile cluster bootstrap, {resamples} resamples"
    return tuple(
        _bootstrap_rate(
            estimates[c], (low[c], high[c]), n[c], unit, method + (f", {empty[c]} empty" if empty[c] else "")
        )
        for c in range(cells)
    )


def _bootstrap_rate(estimate: float, ends: tuple[float, float], n: Array, unit: str, method: str) -> Rate:
    clusters = int((n > 0).sum())
    if clusters == 0:
        method = "no estimate: no observations"
    elif clusters == 1:
        method = f"no interval: one {unit}"
    elif ends[1] <= ends[0]:
        method = f"no interval: every resample gives the same share ({method})"
    low, high = ends if clusters > 1 and ends[0] < ends[1] else (np.nan, np.nan)
    return Rate(
        estimate=number(estimate),
        low=number(low),
        high=number(high),
        method=method,
        unit=unit,
        clusters=clusters,
        n=int(n.sum()),
    )
