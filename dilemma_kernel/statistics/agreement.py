"""How well judges agree: Cohen's κ between two, Krippendorff's α among several, clustered by core."""

from collections.abc import Hashable, Sequence

import numpy as np

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array, Groups, group, linearised_se, sums
from dilemma_kernel.statistics.intervals import ROUNDING, number, t_interval


class Agreement(Record):
    """A coefficient of agreement with its interval. Fields are None where they do not exist."""

    coefficient: str
    """``kappa`` or ``alpha``."""
    estimate: float | None
    low: float | None
    high: float | None
    observed: float | None
    """κ: the share of subjects on which both agree. α: 1 − the observed disagreement."""
    method: str
    unit: str
    clusters: int
    n: int
    """Subjects that enter."""
    note: str = ""


def cohen_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], clusters: Groups, *, unit: str = "core", level: float = 0.95
) -> Agreement:
    """Cohen's κ of two judges over the same subjects, linearised by cluster, t(G−1).

    Args:
        first: one label a subject; None where this judge measured nothing, which leaves the subject out.
        second: the same of the other judge.
        clusters: the clusters of the subjects.
        unit: what a cluster is.
        level: coverage.

    Returns:
        Unmeasured where fewer than two labels occur.

    Source: Cohen (1960), "A coefficient of agreement for nominal scales".
    """
    kept = [i for i, pair in enumerate(zip(first, second, strict=True)) if None not in pair]
    labels = group([first[i] for i in kept] + [second[i] for i in kept])
    n = len(kept)
    if len(labels.labels) < 2:
        return _unmeasured("kappa", "fewer than two labels occur", unit, n)
    a, b = labels.codes[:n], labels.codes[n:]
    k = len(labels.labels)
    row, column = np.bincount(a, minlength=k) / n, np.bincount(b, minlength=k) / n
    agree = (a == b).astype(np.float64)
    observed, expected = agree.mean(), float(row @ column)
    estimate = (observed - expected) / (1 - expected)
    chance = column[a] + row[b] - 2 * expected
    influence = ((agree - observed) - (1 - observed) / (1 - expected) * chance) / (1 - expected) / n
    grouped = Groups(labels=clusters.labels, codes=clusters.codes[kept])
    sizes = sums(np.ones(n), grouped)
    return _agreement("kappa", estimate, observed, sums(influence, grouped), int((sizes > 0).sum()), n, unit, level)


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable]], clusters: Groups, *, unit: str = "core", level: float = 0.95
) -> Agreement:
    """Krippendorff's α for nominal labels, linearised by cluster, t(G−1).

    Args:
        ratings: (judges, subjects) labels, None where a judge measured nothing. A subject with fewer than
            two labels cannot be paired and does not enter.
        clusters: the clusters of the subjects.
        unit: what a cluster is.
        level: coverage.

    Returns:
        Unmeasured where fewer than two labels occur among the paired.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    counts = _label_counts(ratings)
    size = counts.sum(axis=1)
    counts, kept = counts[size >= 2], np.flatnonzero(size >= 2)
    size = size[kept]
    agreeing = (counts * (counts - 1)).sum(axis=1) / (size - 1)
    totals = counts.sum(axis=0)
    if (totals > 0).sum() < 2:
        return _unmeasured("alpha", "fewer than two labels occur", unit, len(kept))
    n, diagonal = totals.sum(), agreeing.sum()
    top, bottom = (n - 1) * (n - diagonal), n**2 - (totals**2).sum()
    by_label = -((n - diagonal + n - 1) * bottom - top * (2 * n - 2 * totals)) / bottom**2
    influence = agreeing * (n - 1) / bottom + counts @ by_label
    grouped = Groups(labels=clusters.labels, codes=clusters.codes[kept])
    present = sums(np.ones(len(kept)), grouped) > 0
    by_cluster = sums(influence, grouped)[present]
    centred = by_cluster - by_cluster.mean()
    return _agreement("alpha", 1 - top / bottom, diagonal / n, centred, int(present.sum()), len(kept), unit, level)


def _label_counts(ratings: Sequence[Sequence[Hashable]]) -> Array:
    """(subjects, labels) how many judges gave each label."""
    subjects = len(ratings[0]) if ratings else 0
    given = [(i, label) for row in ratings for i, label in enumerate(row) if label is not None]
    labels = group([label for _, label in given])
    rows = Groups(labels=tuple(range(subjects)), codes=np.array([i for i, _ in given], dtype=np.intp))
    return sums(np.ones(len(given)), rows, labels)


def _agreement(
    coefficient: str, estimate: float, observed: float, influence: Array, clusters: int, n: int, unit: str, level: float
) -> Agreement:
    se = float(linearised_se(influence, clusters))
    alike = np.abs(influence).max() <= ROUNDING
    if clusters < 2:
        method, se = f"no interval: one {unit}", np.nan
    elif alike:
        method, se = f"interval Unmeasured: every {unit} shows the same agreement", np.nan
    else:
        method = f"linearised by {unit}, t({clusters - 1})"
    low, high = t_interval(estimate, se, clusters, level)
    return Agreement(
        coefficient=coefficient,
        estimate=float(estimate),
        low=number(np.maximum(low, -1)),
        high=number(np.minimum(high, 1)),
        observed=float(observed),
        method=method,
        unit=unit,
        clusters=clusters,
        n=n,
    )


def _unmeasured(coefficient: str, why: str, unit: str, n: int) -> Agreement:
    return Agreement(
        coefficient=coefficient, estimate=None, low=None, high=None, observed=None,
        method="no estimate", unit=unit, clusters=0, n=n, note=f"Unmeasured ({why})",
    )  # fmt: skip
