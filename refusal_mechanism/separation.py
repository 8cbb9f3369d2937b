"""How well a number tells two groups apart: the area under the ROC curve, clustered."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array, Groups, linearised_se, sums
from dilemma_kernel.statistics.intervals import ROUNDING, logit_interval, number, t_p_value, wilson_interval
from refusal_mechanism.cases import UNIT


class Auc(Record):
    """An area under the ROC curve with its interval. Fields are None where they do not exist."""

    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    """Of its being one half."""
    method: str
    unit: str
    clusters: int
    positives: int
    negatives: int


def auc(scores: Array, positive: NDArray[np.bool_], clusters: Groups, *, unit: str = UNIT, level: float = 0.95) -> Auc:
    """P(a positive scores higher than a negative), ties half, linearised by cluster.

    Args:
        scores: (rows,) the number that should be higher for positives.
        positive: (rows,) which rows are positive.
        clusters: the clusters of the rows; one may hold both kinds.
        unit: what a cluster is.
        level: coverage.

    Returns:
        Unmeasured where one of the groups is empty; Wilson with n = G where every pair is in one order.

    Source: Obuchowski (1997), "Nonparametric analysis of clustered ROC curve data".
    """
    up, down = int(positive.sum()), int((~positive).sum())
    present = len(np.unique(clusters.codes))
    if not up or not down:
        missing = "positive" if not up else "negative"
        return Auc(
            estimate=None, low=None, high=None, p=None, method=f"no estimate: there is no {missing} row",
            unit=unit, clusters=present, positives=up, negatives=down,
        )  # fmt: skip
    estimate, influence = _area(scores, positive)
    by_cluster = sums(influence, clusters)
    se, method = float(linearised_se(by_cluster, present)), f"logit scale, linearised by {unit}, t({present - 1})"
    low, high = logit_interval(estimate, se, present, level)
    if present < 2:
        method = f"no interval: one {unit}"
    elif np.abs(by_cluster).max() <= ROUNDING or estimate in (0.0, 1.0):
        low, high = wilson_interval(estimate, present, level)
        method = f"Wilson with n = {present}, one for each {unit}: no {unit} differs"
    return Auc(
        estimate=estimate,
        low=number(low),
        high=number(high),
        p=number(t_p_value(estimate - 0.5, se, present)) if se > ROUNDING else None,
        method=method,
        unit=unit,
        clusters=present,
        positives=up,
        negatives=down,
    )


def area(scores: Array, positive: NDArray[np.bool_]) -> float:
    """The area alone; NaN where a group is empty."""
    return _area(scores, positive)[0] if positive.any() and not positive.all() else float("nan")


def _area(scores: Array, positive: NDArray[np.bool_]) -> tuple[float, Array]:
    """The area, and each row's first-order contribution to it; they sum to zero."""
    up, down = int(positive.sum()), int((~positive).sum())
    overall = rankdata(scores)
    within = np.empty(len(scores))
    within[positive] = rankdata(scores[positive])
    within[~positive] = rankdata(scores[~positive])
    beaten = (overall - within)[positive] / down
    beating = 1 - (overall - within)[~positive] / up
    estimate = float(beaten.mean())
    influence = np.empty(len(scores))
    influence[positive] = (beaten - estimate) / up
    influence[~positive] = (beating - estimate) / down
    return estimate, influence
