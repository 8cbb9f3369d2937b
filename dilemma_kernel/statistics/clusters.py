"""The one owner of clustering: observations become per-cluster sums, and sums become a standard error.

A cluster is the unit of resampling (a core, a family, an intent). Every statistic of this package is a
function of per-cluster sums, and every standard error but the bootstrap's comes from ``linearised_se``.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Groups:
    """Which group each observation belongs to."""

    labels: tuple[Any, ...]
    """The groups, sorted."""
    codes: NDArray[np.intp]
    """For each observation, the index of its group in ``labels``."""


def group(ids: Sequence[Hashable]) -> Groups:
    """Group observations by id; the order of the observations does not matter to the order of the groups.

    Args:
        ids: one id an observation, of one sortable type.
    """
    first_seen: dict[Any, int] = {}
    codes = np.fromiter((first_seen.setdefault(i, len(first_seen)) for i in ids), dtype=np.intp)
    labels = sorted(first_seen)
    rank = np.empty(len(labels), dtype=np.intp)
    for position, label in enumerate(labels):
        rank[first_seen[label]] = position
    return Groups(labels=tuple(labels), codes=rank[codes])


def sums(values: ArrayLike, *groups: Groups) -> Array:
    """Sum ``values`` within each combination of groups.

    Args:
        values: one number an observation.
        groups: one or more groupings of the same observations, such as cells and cores.

    Returns:
        An array with one axis a grouping; 0 where a combination has no observation.
    """
    column = np.asarray(values, dtype=np.float64)
    shape = tuple(len(g.labels) for g in groups)
    flat = np.ravel_multi_index(tuple(g.codes for g in groups), shape) if column.size else np.empty(0, np.intp)
    totals = np.bincount(flat, weights=column, minlength=int(np.prod(shape)))
    return np.asarray(totals, dtype=np.float64).reshape(shape)


def share(successes: ArrayLike, totals: ArrayLike) -> Array:
    """Successes / totals, elementwise; NaN where the total is 0."""
    hits, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64))
    return np.asarray(np.divide(hits, n, out=np.full(n.shape, np.nan), where=n > 0))


def linearised_se(influence: ArrayLike, clusters: ArrayLike) -> Array:
    """Cluster-linearised standard error with the factor G/(G−1).

    Args:
        influence: (..., G) each cluster's first-order contribution to the estimate; they sum to zero.
            Clusters without observations stand in it as zeros.
        clusters: (...) G, the clusters that have observations.

    Returns:
        (...) the standard error; NaN where G < 2.

    Source: Binder (1983), "On the variances of asymptotically normal estimators from complex surveys".
    """
    g = np.asarray(clusters, dtype=np.float64)
    factor = np.divide(g, g - 1, out=np.full(g.shape, np.nan), where=g > 1)
    return np.asarray(np.sqrt(factor * np.square(influence).sum(axis=-1)))
