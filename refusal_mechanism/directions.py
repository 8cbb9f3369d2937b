"""Directions in the residual stream: differences of means at the decision token, site by site, in float64.

A site l is the residual before block l, with l = 0 … L; L is the residual after the last block, before the final norm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.bootstrap import percentile_interval
from dilemma_kernel.statistics.clusters import Array, Groups, sums
from dilemma_kernel.statistics.intervals import number
from refusal_mechanism.cases import UNIT

REQUEST, TOOL, BEHAVIOUR = "request", "tool", "behaviour"
"""harmful − benign in chat; harmful − benign under tools; refused − complied among harmful chats."""
DIRECTIONS = (REQUEST, TOOL, BEHAVIOUR)
LEAST_NORM = 1e-6
"""Norm, as a share of the states' own, below which a difference is rounding and has no direction."""
BOOTSTRAPS = 2000
MOST_EMPTY = 0.05
"""Share of resamples without a row of some group above which there is no interval."""


@dataclass(frozen=True, kw_only=True)
class Direction:
    """A difference of means at every site, or the reason why there is none."""

    name: str
    mean: Array
    """(site, d_model) float64."""
    scale: Array
    """(site,) mean norm of the states it was taken from, both groups alike."""
    positives: int
    negatives: int
    why: str = ""
    """Why it does not exist; empty where it does."""

    @property
    def exists(self) -> bool:
        """Whether both groups had a state."""
        return not self.why

    @cached_property
    def norms(self) -> Array:
        """(site,) the norms of the differences."""
        return np.asarray(np.linalg.norm(self.mean, axis=-1))

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """(site,) where the difference is more than rounding."""
        return np.asarray(self.norms > LEAST_NORM * self.scale)

    @cached_property
    def unit(self) -> Array:
        """(site, d_model) unit vectors; zeros where there is no direction."""
        safe = np.where(self.usable, self.norms, 1.0)
        return np.asarray(np.where(self.usable[:, None], self.mean / safe[:, None], 0.0))


def mean_difference_direction(name: str, positive: NDArray[np.floating], negative: NDArray[np.floating]) -> Direction:
    """mean(positive) − mean(negative) at every site, accumulated in float64.

    Args:
        name: what to call it.
        positive: (rows, site, d_model) states at the decision token.
        negative: (rows, site, d_model) the same of the other group.

    Source: Arditi et al. (2024), "Refusal in language models is mediated by a single direction".
    """
    shape = positive.shape[1:] if len(positive) else negative.shape[1:]
    if not len(positive) or not len(negative):
        empty = "positive" if not len(positive) else "negative"
        return Direction(
            name=name, mean=np.zeros(shape), scale=np.ones(shape[0]), positives=len(positive), negatives=len(negative),
            why=f"the {empty} group is empty",
        )  # fmt: skip
    up, down = positive.mean(axis=0, dtype=np.float64), negative.mean(axis=0, dtype=np.float64)
    scale = (_mean_norm(positive) + _mean_norm(negative)) / 2
    return Direction(
        name=name, mean=up - down, scale=np.asarray(scale), positives=len(positive), negatives=len(negative)
    )


def _mean_norm(states: NDArray[np.floating]) -> Array:
    """(site,) the mean of the rows' norms."""
    return np.asarray(np.linalg.norm(states, axis=-1).mean(axis=0, dtype=np.float64))


def projections(states: NDArray[np.floating], unit: Array) -> Array:
    """(rows,) or (rows, site) projections of states (rows, …, d_model) on unit vectors (…, d_model), in float64."""
    return np.asarray(np.einsum("r...d,...d->r...", states.astype(np.float64), unit))


class Cosine(Record):
    """The cosine of two directions at one site, with a bootstrap interval."""

    first: str
    second: str
    site: int
    estimate: float | None
    low: float | None
    high: float | None
    angle: float | None
    """The principal angle of the two lines, in degrees: 0 the same line, 90 unrelated."""
    subspace_angles: tuple[float, ...] = ()
    """Principal angles, in degrees, between the spans of the two directions taken domain by domain."""
    method: str
    unit: str = UNIT
    clusters: int
    """Intents that the smallest of the groups has rows of."""
    note: str = ""
    """Why there is no interval, where the directions exist."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """States of one group at one site: what a direction is the difference of."""

    states: NDArray[np.floating]
    """(rows, d_model)."""
    intents: Groups
    """Clusters of the rows; labels of all groups come from the same intents."""


def principal_angles(first: Array, second: Array) -> tuple[float, ...]:
    """Principal angles in degrees between the spans of the rows of two matrices, smallest first.

    Args:
        first: (vectors, d_model).
        second: (vectors, d_model).

    Source: Björck and Golub (1973), "Numerical methods for computing angles between linear subspaces".
    """
    a, b = _basis(first), _basis(second)
    if not a.size or not b.size:
        return ()
    cosines = np.linalg.svd(a @ b.T, compute_uv=False)
    return tuple(float(angle) for angle in np.degrees(np.arccos(np.clip(cosines, -1, 1))))


def _basis(rows: Array) -> Array:
    """(rank, d_model) an orthonormal basis of the span of ``rows``."""
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(basis[sizes > LEAST_NORM * max(sizes.max(initial=0.0), np.finfo(float).tiny)])


def cosine_figures(
    first: tuple[str, Group, Group],
    second: tuple[str, Group, Group],
    site: int,
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = BOOTSTRAPS,
) -> Cosine:
    """The cosine of two differences of means, intents drawn with replacement jointly for both.

    Each resample is a quadratic form in the Gram matrix of per-intent sums, so its cost does not grow with d_model.

    Args:
        first: name, positive group and negative group of one direction.
        second: the same of the other.
        site: where the states are from.
        rng: source of the draws.
        level: coverage.
        resamples: how many.
    """
    groups = (*first[1:], *second[1:])
    if any(not len(one.states) for one in groups):
        return Cosine(
            first=first[0], second=second[0], site=site, estimate=None, low=None, high=None, angle=None,
            method="no estimate: a group is empty", clusters=0,
        )  # fmt: skip
    counts = np.stack([sums(np.ones(len(one.states)), one.intents) for one in groups])
    estimate, draws = _resampled(groups, counts, rng, resamples)
    empty = int(np.isnan(draws).sum())
    smallest = int((counts > 0).sum(axis=1).min())
    told = smallest > 1 and empty <= MOST_EMPTY * resamples
    low, high = percentile_interval(draws, level) if told else (np.nan, np.nan)
    return Cosine(
        first=first[0],
        second=second[0],
        site=site,
        estimate=number(estimate),
        low=number(low),
        high=number(high),
        angle=number(np.degrees(np.arccos(min(1.0, abs(estimate))))),
        method=f"percentile bootstrap over {UNIT}s, {resamples} resamples, {empty} empty",
        clusters=smallest,
        note="" if told else _why_no_interval(smallest, empty, resamples),
    )


def _resampled(groups: Sequence[Group], counts: Array, rng: np.random.Generator, resamples: int) -> tuple[float, Array]:
    """The cosine, and that of each resample; NaN where one has no row of some group."""
    clusters = counts.shape[1]
    stacked = np.concatenate([_sums(one) for one in groups])
    gram = stacked @ stacked.T
    weights = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(np.float64)
    return float(_cosines(np.ones((1, clusters)), counts, gram)[0]), _cosines(weights, counts, gram)


def _why_no_interval(smallest: int, empty: int, resamples: int) -> str:
    if smallest < 2:
        return f"no interval: a group has {smallest} {UNIT} alone"
    return f"no interval: {empty} of {resamples} resamples have no {UNIT} of some group"


def _sums(one: Group) -> Array:
    """(G, d_model) per-intent sums."""
    out = np.zeros((len(one.intents.labels), one.states.shape[1]))
    np.add.at(out, one.intents.codes, one.states.astype(np.float64))
    return out


def _cosines(weights: Array, counts: Array, gram: Array) -> Array:
    """(resamples,) cosines; weights (resamples, G), counts (4, G), gram (4G, 4G)."""
    totals = weights @ counts.T
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = weights[:, None, :] / totals[:, :, None]
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    signed = shares * signs[None, :, None]
    zeros = np.zeros_like(signed)
    a, b = zeros.copy(), zeros
    a[:, :2], b[:, 2:] = signed[:, :2], signed[:, 2:]
    a, b = a.reshape(len(weights), -1), b.reshape(len(weights), -1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ag, bg = a @ gram, b @ gram
        found = (ag * b).sum(-1) / np.sqrt((ag * a).sum(-1) * (bg * b).sum(-1))
    return np.asarray(np.clip(found, -1, 1))


def by_domain(
    positive: Mapping[str, NDArray[np.floating]], negative: Mapping[str, NDArray[np.floating]], domains: Sequence[str]
) -> Array:
    """(domains, d_model) the difference of means in each domain where both groups have a state."""
    found = [
        positive[name].mean(axis=0, dtype=np.float64) - negative[name].mean(axis=0, dtype=np.float64)
        for name in domains
        if name in positive and name in negative and len(positive[name]) and len(negative[name])
    ]
    return np.array(found)
