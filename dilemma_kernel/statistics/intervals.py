"""Intervals from an estimate, a standard error and the number of clusters. Arrays in, arrays out."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtri, stdtr, stdtrit

from dilemma_kernel.statistics.clusters import Array

Interval = tuple[Array, Array]
"""Lower and upper ends, of one shape; NaN where there is no interval."""

ROUNDING = 1e-13
"""Difference of two shares below which it is rounding: counts below ten million differ by more."""


def t_quantile(clusters: ArrayLike, level: float) -> Array:
    """Two-sided quantile of t(G−1); NaN where G < 2."""
    degrees = np.asarray(clusters, dtype=np.float64) - 1
    return np.asarray(stdtrit(np.where(degrees > 0, degrees, np.nan), 0.5 + level / 2))


def t_interval(estimate: ArrayLike, se: ArrayLike, clusters: ArrayLike, level: float) -> Interval:
    """estimate ± t(G−1) · se."""
    half = t_quantile(clusters, level) * np.asarray(se)
    return np.asarray(estimate) - half, np.asarray(estimate) + half


def t_p_value(estimate: ArrayLike, se: ArrayLike, clusters: ArrayLike) -> Array:
    """Two-sided p of estimate / se against t(G−1); NaN where there is no standard error."""
    degrees = np.asarray(clusters, dtype=np.float64) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = -np.abs(np.asarray(estimate) / np.asarray(se))
    return np.asarray(2 * stdtr(np.where(degrees > 0, degrees, np.nan), statistic))


def logit_interval(estimate: ArrayLike, se: ArrayLike, clusters: ArrayLike, level: float) -> Interval:
    """A share's interval on the logit scale with t(G−1), back-transformed.

    Args:
        estimate: (...) shares strictly between 0 and 1; elsewhere the interval is NaN.
        se: (...) standard errors of the shares themselves (delta method to the logit).
        clusters: (...) G.
        level: coverage.
    """
    p = np.asarray(estimate, dtype=np.float64)
    inside = np.where((p > 0) & (p < 1), p, np.nan)
    low, high = t_interval(logit(inside), np.asarray(se) / (inside * (1 - inside)), clusters, level)
    return np.asarray(expit(low)), np.asarray(expit(high))


def wilson_interval(estimate: ArrayLike, n: ArrayLike, level: float) -> Interval:
    """Wilson's score interval for a share of ``n`` independent draws; NaN where n = 0.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    p = np.asarray(estimate, dtype=np.float64)
    size = np.where(np.asarray(n) > 0, np.asarray(n, dtype=np.float64), np.nan)
    z = ndtri(0.5 + level / 2)
    centre = (p + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(p * (1 - p) / size + z**2 / (4 * size**2))
    return np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)


def number(value: ArrayLike) -> float | None:
    """A float, or None for NaN: records hold no NaN."""
    return None if np.isnan(value) else float(np.asarray(value))
