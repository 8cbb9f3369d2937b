"""A judge's rates corrected by people's labels: from a sheet of the same study, or from one of another."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.records.estimates import Rate
from dilemma_kernel.statistics.bootstrap import RESAMPLES, percentile_interval, resampled_sums
from dilemma_kernel.statistics.clusters import Array, Groups, linearised_se, share, sums
from dilemma_kernel.statistics.intervals import ROUNDING, logit_interval, number, t_interval


def difference_estimate(
    judge: ArrayLike,
    human: ArrayLike,
    probability: ArrayLike,
    clusters: Groups,
    *,
    unit: str = "core",
    level: float = 0.95,
) -> Rate:
    """One cell's rate from a judge over all of it and people over a sheet drawn from it.

    judge mean + weighted mean of (human − judge), the weights 1 / sampling probability; linearised by
    cluster over both parts together, t(G−1) with G the clusters on the sheet.

    Args:
        judge: (episodes,) 1 where the judge says misaligned, else 0.
        human: (episodes,) 1 or 0 on the sheet, NaN off it.
        probability: (episodes,) with which each row came onto the sheet; read on the sheet only.
        clusters: the clusters of the episodes.
        unit: what a cluster is.
        level: coverage.

    Raises:
        ValueError: a sampling probability on the sheet that is not in (0, 1].

    Source: Särndal, Swensson and Wretman (1992), "Model assisted survey sampling", the difference estimator.
    """
    marks = np.asarray(judge, dtype=np.float64)
    weights, errors = sheet_errors(marks, human, probability)
    columns = (np.ones(len(marks)), marks, weights, weights * errors)
    n, said, weight, error = np.stack([sums(column, clusters) for column in columns])
    size, weighed = n.sum(), weight.sum()
    on_sheet, rows = int((weight > 0).sum()), int((weights > 0).sum())
    if weighed == 0:
        return no_rate("Unmeasured (no row of the sheet is in this cell)", unit, int(size))
    estimate = float(said.sum() / size + error.sum() / weighed)
    influence = (said - said.sum() / size * n) / size + (error - error.sum() / weighed * weight) / weighed
    alike = np.abs(influence).max() <= ROUNDING
    se = np.nan if alike else float(linearised_se(influence, on_sheet))
    scale = logit_interval if 0 < estimate < 1 else t_interval
    low, high = scale(estimate, se, on_sheet, level)
    method = f"weighted difference estimator ({rows} rows), linearised by {unit}, t({on_sheet - 1})"
    return _clipped(
        estimate,
        (float(low), float(high)),
        method="no interval: " + (f"one {unit} on the sheet" if on_sheet < 2 else f"every {unit} is alike")
        if np.isnan(low)
        else method,
        unit=unit,
        clusters=on_sheet,
        n=int(size),
    )


def sheet_errors(judge: Array, human: ArrayLike, probability: ArrayLike) -> tuple[Array, Array]:
    """Weights 1 / probability and human − judge, one a row; both 0 off the sheet.

    Raises:
        ValueError: a sampling probability on the sheet that is not in (0, 1].
    """
    people, chance = np.asarray(human, dtype=np.float64), np.asarray(probability, dtype=np.float64)
    seen = ~np.isnan(people)
    if not ((chance[seen] > 0) & (chance[seen] <= 1)).all():
        raise ValueError("a sampling probability on the sheet is not in (0, 1]")
    weights = np.where(seen, 1 / np.where(seen, chance, 1), 0)
    return weights, np.where(seen, people - judge, 0)


def confusion_estimate(
    judged: ArrayLike,
    sheet: ArrayLike,
    rng: np.random.Generator,
    *,
    positive: Sequence[int] = (1,),
    unit: str = "core",
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Rate:
    """One cell's rate from a judge's labels and a confusion matrix measured elsewhere.

    The labels' true shares π solve (judge's shares) = Mᵀπ, M[h, j] = P(judge says j | people say h).
    Clusters of the study and clusters of the sheet are resampled in the same bootstrap.

    Args:
        judged: (clusters, labels) how often the judge gave each label in the study.
        sheet: (clusters of the sheet, human labels, judge labels) weighted counts.
        rng: source of the draws.
        positive: the labels that the rate counts.
        unit: what a cluster is.
        level: coverage.
        resamples: how many.

    Source: Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test".
    """
    said, rows = np.asarray(judged, dtype=np.float64), np.asarray(sheet, dtype=np.float64)
    labels, n = said.shape[1], int(said.sum())
    estimate = float(unmixed(said.sum(axis=0)[None], rows.sum(axis=0)[None], positive)[0])
    if np.isnan(estimate):
        return no_rate("Unmeasured (the sheet's confusion matrix cannot be inverted)", unit, n)
    drawn = resampled_sums(said, rng, resamples)
    drawn_sheet = resampled_sums(rows.reshape(len(rows), -1), rng, resamples).reshape(-1, labels, labels)
    return bootstrapped_rate(
        estimate, unmixed(drawn, drawn_sheet, positive), unit=unit, level=level, clusters=len(said), n=n
    )


def unmixed(said: Array, confusion: Array, positive: Sequence[int]) -> Array:
    """Solve (judge's shares) = Mᵀπ for many draws at once.

    Args:
        said: (draws, labels) how often the judge gave each label.
        confusion: (draws, human labels, judge labels) weighted counts of the sheet.
        positive: the labels whose true shares are added up.

    Returns:
        (draws,) corrected rates; NaN where a label has no row on the sheet or the matrix is singular.
    """
    rows = np.nan_to_num(share(confusion, confusion.sum(axis=2, keepdims=True)))
    regular = np.abs(np.linalg.det(rows)) > 1e-6
    shares = share(said, said.sum(axis=1, keepdims=True))
    mixing = np.where(regular[:, None, None], np.swapaxes(rows, 1, 2), np.eye(said.shape[1]))
    true = np.linalg.solve(mixing, shares[..., None])[..., 0]
    return np.where(regular, true[:, list(positive)].sum(axis=1), np.nan)


def bootstrapped_rate(estimate: float, draws: Array, *, unit: str, level: float, clusters: int, n: int) -> Rate:
    """A Rate from an estimate and its resampled values, NaN where one has none."""
    low, high = percentile_interval(draws, level)
    lost = int(np.isnan(draws).sum())
    method = f"joint cluster bootstrap, {len(draws)} resamples" + (f", {lost} without a value" if lost else "")
    alike = not float(low) < float(high)
    return _clipped(
        estimate,
        (np.nan, np.nan) if alike or clusters < 2 else (float(low), float(high)),
        method=f"no interval: one {unit}" if clusters < 2 else method,
        unit=unit,
        clusters=clusters,
        n=n,
    )


def _clipped(estimate: float, ends: tuple[float, float], *, method: str, unit: str, clusters: int, n: int) -> Rate:
    kept = float(np.clip(estimate, 0, 1))
    low, high = (number(np.clip(end, 0, 1)) for end in ends)
    note = "" if kept == estimate else f"{estimate:.3f} before it was cut to the range of a share"
    return Rate(estimate=kept, low=low, high=high, method=method, unit=unit, clusters=clusters, n=n, note=note)


def no_rate(why: str, unit: str, n: int) -> Rate:
    """A Rate without an estimate, and the reason."""
    return Rate(estimate=None, low=None, high=None, method="no estimate", unit=unit, clusters=0, n=n, note=why)
