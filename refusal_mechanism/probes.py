"""Gates and null spaces: what a state at the decision token says of the call that will follow.

A probe is always used on domains that it was not fitted on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from dilemma_kernel.statistics.clusters import Array

STRENGTH = 0.1
"""Inverse of the L2 penalty on standardised states."""
LEAST_OF_EACH = 4
"""Rows of each kind below which no probe is fitted."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A logistic model of states at one site, standardised."""

    centre: Array
    """(d_model,)."""
    spread: Array
    """(d_model,)."""
    weights: Array
    """(d_model,)."""
    intercept: float

    def scores(self, states: NDArray[np.floating]) -> Array:
        """(rows,) log-odds of an unsafe call for states (rows, d_model)."""
        return np.asarray((states.astype(np.float64) - self.centre) / self.spread @ self.weights + self.intercept)


def fit_probe(states: NDArray[np.floating], unsafe: NDArray[np.bool_]) -> Probe | None:
    """A probe that tells states before unsafe calls from all others; None with too few of either kind.

    Args:
        states: (rows, d_model) at the decision token under tools, harmful and benign.
        unsafe: (rows,) whether the unmodified model called unsafely.
    """
    if min(int(unsafe.sum()), int((~unsafe).sum())) < LEAST_OF_EACH:
        return None
    values = states.astype(np.float64)
    centre, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 1e-8 * max(float(spread.max()), 1e-30), spread, 1.0)
    model = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=2000)
    model.fit((values - centre) / spread, unsafe)
    return Probe(centre=centre, spread=spread, weights=model.coef_[0], intercept=float(model.intercept_[0]))


def threshold_for(scores: Array, benign_call: NDArray[np.bool_], most_lost: float) -> float:
    """The lowest threshold above which at most a share ``most_lost`` of benign calls lies.

    Args:
        scores: (rows,) of rows that the probe was not fitted on.
        benign_call: (rows,) which of them are benign prompts that got a call.
        most_lost: bound on the share of benign calls on which an operator may act.

    Returns:
        A gate is open where the score is greater; infinite where there is no benign call to be bounded by.
    """
    kept = np.sort(scores[benign_call])[::-1]
    if not len(kept):
        return float("inf")
    allowed = int(np.floor(most_lost * len(kept) + 1e-9))
    return float(kept[allowed]) if allowed < len(kept) else float(kept[-1]) - 1.0


@dataclass(frozen=True, kw_only=True)
class Fold:
    """One domain held out: rows of the other domains to fit on, and this domain's to use on."""

    domain: str
    fit: NDArray[np.intp]
    use: NDArray[np.intp]


def domain_folds(fit_domains: Sequence[str], use_domains: Sequence[str]) -> tuple[Fold, ...]:
    """One fold a domain that is used; a fold without any row to fit on is left out.

    Args:
        fit_domains: domain of each fitting row.
        use_domains: domain of each row that a probe is used on.
    """
    fitting, using = np.asarray(fit_domains), np.asarray(use_domains)
    return tuple(
        Fold(domain=str(name), fit=np.flatnonzero(fitting != name), use=np.flatnonzero(using == name))
        for name in np.unique(using)
        if (fitting != name).any()
    )


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Which rows an operator acts on, decided by probes fitted elsewhere."""

    open: NDArray[np.bool_]
    """(rows,) False too where no probe could be fitted."""
    decided: NDArray[np.bool_]
    """(rows,) where a probe was there to decide."""
    scores: Array
    """(rows,) NaN where not decided."""


@dataclass(frozen=True, kw_only=True)
class States:
    """Rows under tools at one site, with what the unmodified model did."""

    states: NDArray[np.floating]
    """(rows, d_model) at the decision token."""
    domains: Sequence[str]
    """Of each row."""
    unsafe: NDArray[np.bool_]
    """(rows,) whether it called unsafely."""
    benign_call: NDArray[np.bool_]
    """(rows,) which are benign prompts that got a call."""


def cross_domain_gate(
    fit: States,
    bound: States,
    use: States,
    *,
    most_lost: float,
) -> Gate:
    """Fit on all domains but one, set the threshold there on other intents, and decide the rows of that one.

    A threshold set on the rows that a probe was fitted on lies too low, the more so the wider the model is.

    Args:
        fit: what probes are fitted on.
        bound: what thresholds are set on.
        use: the rows to be decided, domain by domain.
        most_lost: bound on the share of benign calls acted on.
    """
    scores = np.full(len(use.states), np.nan)
    is_open = np.zeros(len(use.states), dtype=np.bool_)
    for fold in domain_folds(fit.domains, use.domains):
        probe = fit_probe(fit.states[fold.fit], fit.unsafe[fold.fit])
        if probe is None:
            continue
        others = np.asarray(bound.domains) != fold.domain
        threshold = threshold_for(probe.scores(bound.states[others]), bound.benign_call[others], most_lost)
        scores[fold.use] = probe.scores(use.states[fold.use])
        is_open[fold.use] = scores[fold.use] > threshold
    return Gate(open=is_open, decided=~np.isnan(scores), scores=scores)


@dataclass(frozen=True, kw_only=True)
class NullSpaceMap:
    """A rank-one change x + c·(w·(x − μ)) r̂ whose w is orthogonal to where benign tool states vary.

    On benign states w·(x − μ) is about 0, so they are left where they are; on harmful ones it is fitted to be 1.
    """

    centre: Array
    """μ, (d_model,)."""
    weights: Array
    """w, (d_model,)."""
    kept: int
    """Benign directions that w is orthogonal to."""

    def factors(self, states: NDArray[np.floating]) -> Array:
        """(rows,) by which the coefficient of each row is multiplied."""
        return np.asarray((states.astype(np.float64) - self.centre) @ self.weights)


def fit_null_space(
    benign: NDArray[np.floating], harmful: NDArray[np.floating], *, energy: float = 0.99, ridge: float = 1e-2
) -> NullSpaceMap | None:
    """Fit the change on states of other intents than it is used on.

    Args:
        benign: (rows, d_model) benign tool states, to be left unmoved.
        harmful: (rows, d_model) harmful tool states, to be moved.
        energy: share of the benign states' variance whose directions w must be orthogonal to.
        ridge: penalty on w, as a share of the harmful states' mean square outside the benign directions.

    Returns:
        None where nothing of the harmful states lies outside the benign directions.

    Source: in the spirit of AlphaSteer (Sheng et al., 2025), with one fixed direction of change.
    """
    if len(benign) < 2 or not len(harmful):
        return None
    still, moving = benign.astype(np.float64), harmful.astype(np.float64)
    centre = still.mean(axis=0)
    _, sizes, basis = np.linalg.svd(still - centre, full_matrices=False)
    squares = np.cumsum(sizes**2)
    kept = int(np.searchsorted(squares, energy * squares[-1]) + 1) if squares[-1] > 0 else 0
    within = basis[:kept]
    outside = (moving - centre) - ((moving - centre) @ within.T) @ within
    gram = outside @ outside.T
    size = float(np.trace(gram)) / len(moving)
    if size <= 1e-12 * float(np.square(moving - centre).sum(axis=1).mean() or 1.0):
        return None
    alpha = np.linalg.solve(gram + ridge * size * np.eye(len(moving)), np.ones(len(moving)))
    return NullSpaceMap(centre=centre, weights=outside.T @ alpha, kept=kept)
