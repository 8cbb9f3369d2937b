"""A logistic GEE with bias-reduced covariance, beside the paired differences.

Working independence, so that a cluster enters by its score and its information alone and whole batches of
studies are fitted at once. Shown only where enough cores show each outcome, and a core gives several episodes at a
level: with one, a log odds ratio of a few discordant pairs moves in steps too coarse for an interval of it to cover
what it says (``docs/coverage.md``), and the paired difference serves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from dilemma_kernel.records.estimates import Effect
from dilemma_kernel.statistics.clusters import Array
from dilemma_kernel.statistics.contrasts import Levels, Term, interaction_terms, main_terms, model_matrix
from dilemma_kernel.statistics.effects import unmeasured, with_holm
from dilemma_kernel.statistics.intervals import t_interval, t_p_value

LEAST_CORES = 5
"""Cores that must show each outcome at each level."""
STEPS = 50
DIVERGED = 15.0
"""A coefficient beyond this on the logit scale is separation."""


@dataclass(frozen=True)
class GeeFit:
    """Coefficients with their bias-reduced covariance; leading axes are studies."""

    coefficients: Array
    """(..., k) log odds ratios after the intercept; NaN where the data separate."""
    covariance: Array
    """(..., k, k)."""
    clusters: NDArray[np.intp]
    """(...) G."""

    @property
    def standard_errors(self) -> Array:
        """(..., k); NaN where the data separate."""
        variance = np.diagonal(self.covariance, axis1=-2, axis2=-1)
        return np.sqrt(np.where(variance > 0, variance, np.nan))


def fit_gee(matrix: Array, successes: ArrayLike, totals: ArrayLike) -> GeeFit:
    """Fit a logistic GEE with working independence and the Mancl–DeRouen covariance.

    Args:
        matrix: (cells, k) model matrix.
        successes: (..., cells, clusters).
        totals: (..., cells, clusters).

    Source: Mancl and DeRouen (2001), "A covariance estimator for GEE with improved small-sample properties".
    With working independence its (I − H)⁻¹ acts on the cluster's score: (I − I_g M⁻¹)⁻¹ U_g.
    """
    hits, n = np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    coefficients = _solve(matrix, hits.sum(axis=-1), n.sum(axis=-1))
    mean = np.expand_dims(expit(coefficients @ matrix.T), -1)
    score = np.einsum("ck,...cg->...gk", matrix, hits - n * mean)
    information = np.einsum("ck,...cg,cl->...gkl", matrix, n * mean * (1 - mean), matrix, optimize=True)
    inverse = _inverse(information.sum(axis=-3))
    leverage = np.eye(matrix.shape[1]) - information @ inverse[..., None, :, :]
    adjusted = np.squeeze(_inverse(leverage) @ score[..., None], axis=-1)
    middle = np.einsum("...gk,...gl->...kl", adjusted, adjusted)
    clusters = (n.sum(axis=-2) > 0).sum(axis=-1)
    return GeeFit(coefficients=coefficients, covariance=inverse @ middle @ inverse, clusters=clusters)


def _solve(matrix: Array, hits: Array, n: Array) -> Array:
    """Newton's steps for pooled logistic regression; NaN where they diverge (the data separate)."""
    beta = np.zeros((*hits.shape[:-1], matrix.shape[1]))
    step = beta
    for _ in range(STEPS):
        mean = expit(beta @ matrix.T)
        information = np.einsum("ck,...c,cl->...kl", matrix, n * mean * (1 - mean), matrix, optimize=True)
        score = (hits - n * mean) @ matrix
        step = np.squeeze(_inverse(information) @ score[..., None], axis=-1)
        beta = np.clip(beta + step, -2 * DIVERGED, 2 * DIVERGED)
        if not (np.abs(step) > 1e-10).any():
            break
    settled = (np.abs(step) <= 1e-8).all(axis=-1) & (np.abs(beta) < DIVERGED).all(axis=-1)
    return np.where(np.expand_dims(settled, -1), beta, np.nan)


def _inverse(matrices: Array) -> Array:
    """Inverses; NaN where a matrix is singular to rounding or not finite."""
    finite = np.isfinite(matrices).all(axis=(-2, -1), keepdims=True)
    identity = np.eye(matrices.shape[-1])
    safe = np.where(finite, matrices, identity)
    singular = np.linalg.cond(safe)[..., None, None] > 1e12
    inverse = np.linalg.inv(np.where(singular, identity, safe))
    return np.where(finite & ~singular, inverse, np.nan)


def gee_effects(
    cells: Sequence[Levels],
    successes: ArrayLike,
    totals: ArrayLike,
    *,
    baseline: Levels,
    interactions: bool = False,
    unit: str = "core",
    level: float = 0.95,
) -> tuple[Effect, ...]:
    """Log odds ratios of the main effects, or of the two-way interactions, corrected together by Holm.

    An effect is Unmeasured (one episode a core) where no core gives more at a level of it, Unmeasured (too few
    events) unless at each of its levels at least five cores show each outcome, and Unmeasured (separation) where the
    fit has no finite maximum.

    Args:
        cells: the design's cells as factor -> level.
        successes: (cells, clusters).
        totals: (cells, clusters).
        baseline: reference levels.
        interactions: the two-way interactions instead of the main effects.
        unit: what a cluster is.
        level: coverage.
    """
    mains = main_terms(cells, baseline)
    crossed = interaction_terms(mains)
    model, family = (mains + crossed, crossed) if interactions else (mains, mains)
    hits, n = np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    why_not = [_why_not(term, cells, hits, n, unit) for term in family]
    fit = None if all(why_not) else fit_gee(model_matrix(cells, model), hits, n)
    effects = []
    for term, reason in zip(family, why_not, strict=True):
        if fit is None or reason:
            effects.append(unmeasured(term.name, reason, unit, "GEE"))
        else:
            effects.append(_gee_effect(term, 1 + model.index(term), fit, int(n.sum()), unit, level))
    return with_holm(effects)


def _why_not(term: Term, cells: Sequence[Levels], hits: Array, n: Array, unit: str) -> str:
    """Why a term is not shown, or nothing: too little at some combination of its levels."""
    for levels in product(*((level, reference) for _, level, reference in term.pairs)):
        wanted = dict(zip((factor for factor, _, _ in term.pairs), levels, strict=True))
        rows = [all(cell[f] == value for f, value in wanted.items()) for cell in cells]
        size, events = n[rows].sum(axis=0), hits[rows].sum(axis=0)
        if size.max(initial=0) == 1:
            return f"one episode a {unit}"
        if min((events > 0).sum(), (size - events > 0).sum()) < LEAST_CORES:
            return "too few events"
    return ""


def _gee_effect(term: Term, column: int, fit: GeeFit, n: int, unit: str, level: float) -> Effect:
    estimate = float(fit.coefficients[column])
    se = float(fit.standard_errors[column])
    clusters = int(fit.clusters)
    if not np.isfinite(estimate) or not np.isfinite(se):
        return unmeasured(term.name, "separation", unit, "GEE")
    low, high = t_interval(estimate, se, clusters, level)
    return Effect(
        name=term.name, estimate=estimate, low=float(low), high=float(high),
        p=float(t_p_value(estimate, se, clusters)),
        method=f"log odds ratio, logistic GEE (independence), Mancl–DeRouen covariance, t({clusters - 1})",
        unit=unit, clusters=clusters, n=n,
    )  # fmt: skip
