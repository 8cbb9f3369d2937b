"""What a design is simulated from: stated, or estimated from another study's core-level data."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.errors import DesignError
from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.clusters import Array, share
from dilemma_kernel.statistics.contrasts import Levels, contrast_weights, main_terms, model_matrix
from dilemma_kernel.statistics.effects import core_differences


class Assumptions(Record):
    """What a design is simulated from."""

    mr: float
    """Mean misalignment rate of the baseline cell."""
    icc: float
    """Intra-cluster correlation of episodes within a core and cell, on the scale of the share."""
    slope: float = 0.0
    """Standard deviation over cores of each effect, on the logit scale."""


def assumptions_from(
    cells: Sequence[Levels], successes: ArrayLike, totals: ArrayLike, *, baseline: Levels
) -> Assumptions:
    """Assumptions estimated from core-level data by moments.

    The correlation is the analysis-of-variance estimate pooled over cells; the slope is what the spread of
    the core differences has beyond binomial sampling, brought to the logit scale at the overall rate.

    Args:
        cells: the cells of the study the data come from.
        successes: (cells, clusters).
        totals: (cells, clusters).
        baseline: reference levels; the rate is that of the baseline cells of the study.

    Raises:
        DesignError: data that say nothing of the correlation (one core, or one episode a core and cell).

    Source: Ridout, Demétrio and Firth (1999), "Estimating intraclass correlation for binary data".
    """
    hits, n = np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    icc = anova_icc(hits, n)
    if np.isnan(icc):
        raise DesignError("the study says nothing of the correlation within cores; give --assume mr=…,icc=…,slope=…")
    at_base = [all(cell[f] == v for f, v in baseline.items() if f in cell) for cell in cells]
    rows = np.array(at_base) if any(at_base) else np.ones(len(cells), dtype=np.bool_)
    mr = float(np.clip(share(hits[rows].sum(), n[rows].sum()), 0.01, 0.99))
    return Assumptions(mr=mr, icc=float(np.clip(icc, 0, 0.9)), slope=_slope(cells, hits, n, icc, baseline))


def anova_icc(hits: Array, n: Array) -> float:
    """Analysis-of-variance estimate of the correlation within cores, pooled over cells; NaN if not estimable.

    Args:
        hits: (cells, clusters) successes.
        n: (cells, clusters) observations.
    """
    total, clusters = n.sum(axis=1), (n > 0).sum(axis=1)
    rates, overall = np.nan_to_num(share(hits, n)), np.nan_to_num(share(hits.sum(axis=1), total))
    between = (n * (rates - overall[:, None]) ** 2).sum()
    within = (hits * (1 - rates)).sum()
    free_between, free_within = (clusters - 1).clip(0).sum(), (total - clusters).sum()
    if free_between == 0 or free_within == 0:
        return float("nan")
    size = (total - np.nan_to_num(share((n**2).sum(axis=1), total))).sum() / free_between
    ms_between, ms_within = between / free_between, within / free_within
    bottom = ms_between + (size - 1) * ms_within
    return float((ms_between - ms_within) / bottom) if bottom > 0 else float("nan")


def _slope(cells: Sequence[Levels], hits: Array, n: Array, icc: float, baseline: Levels) -> float:
    mains = main_terms(cells, baseline)
    if not mains:
        return 0.0
    differences, used = core_differences(cells, mains, hits, n)
    weights = contrast_weights(model_matrix(cells, mains), np.ones(len(cells), dtype=np.bool_))[1:]
    overall = share(hits.sum(axis=1), n.sum(axis=1))
    noise_of_cell = share((overall * (1 - overall) * (1 - icc))[:, None], n)
    rate = float(share(hits.sum(), n.sum()))
    excess = []
    for row in range(len(mains)):
        whole = (used[row] == (weights[row] != 0)[:, None]).all(axis=0) & ~np.isnan(differences[row])
        if whole.sum() > 1:
            noise = (weights[row][:, None] ** 2 * np.where(used[row], noise_of_cell, 0))[:, whole].sum(axis=0).mean()
            excess.append(differences[row][whole].var(ddof=1) - noise)
    scale = max(rate * (1 - rate) * (1 - icc), 1e-3)
    return float(np.sqrt(max(np.mean(excess), 0)) / scale) if excess else 0.0
