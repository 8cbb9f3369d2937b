"""Discrete-time cumulative incidence by turn, with competing causes and cluster bands."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Rate
from dilemma_kernel.statistics.clusters import Array, Groups, linearised_se, share, sums
from dilemma_kernel.statistics.intervals import ROUNDING, logit_interval, number, wilson_interval

CAUSES = ("misaligned", "aligned", "declined", "crashed")
"""A− terminal, A+ terminal, declined, crashed. Each ends an episode; none censors another."""


class CauseCurve(Record):
    """Cumulative incidence of one cause."""

    cause: str
    points: tuple[Rate, ...]
    """For turn 1, 2, …: the share of episodes that this cause had ended by then; n is the number at risk."""


class Incidence(Record):
    """Cumulative incidence of every cause; at each turn the causes and those still going add up to 1."""

    curves: tuple[CauseCurve, ...]
    at_risk: tuple[int, ...]
    """Episodes still going at the start of turn 1, 2, …"""


def cumulative_incidence(
    turns: ArrayLike,
    causes: Sequence[str | None],
    clusters: Groups,
    *,
    names: Sequence[str] = CAUSES,
    unit: str = "core",
    level: float = 0.95,
) -> Incidence:
    """Cumulative incidence by turn from one row an episode.

    An episode without a cause ran into its turn cap: it was at risk in every turn up to ``turns`` and leaves
    after it (administrative). Ties need nothing special, for time is discrete: hazards are shares of those at
    risk in the turn.

    Args:
        turns: (episodes,) the turn at which the episode ended, from 1.
        causes: (episodes,) a name of ``names``, or None at the turn cap.
        clusters: the clusters of the episodes.
        names: every cause, in the order in which they are reported.
        unit: what a cluster is.
        level: coverage of the bands, at each turn by itself.

    Raises:
        ValueError: a turn below 1, or a cause that is not in ``names``.

    Source: Aalen and Johansen (1978), in discrete time; bands linearised by cluster on the logit scale.
    """
    last = np.asarray(turns, dtype=np.intp)
    if last.size and last.min() < 1:
        raise ValueError("turns count from 1")
    index: dict[str | None, int] = {None: len(names), **{name: k for k, name in enumerate(names)}}
    if unknown := set(causes) - set(index):
        raise ValueError(f"unknown causes: {sorted(map(str, unknown))}")
    ended_by = np.fromiter((index[c] for c in causes), dtype=np.intp, count=len(last))
    horizon = int(last.max(initial=0))
    ended = sums(
        np.ones(len(last)),
        clusters,
        Groups(labels=tuple(range(1, horizon + 1)), codes=last - 1),
        Groups(labels=(*names, None), codes=ended_by),
    )
    return incidence_from_counts(ended, names=names, unit=unit, level=level)


def incidence_from_counts(
    ended: ArrayLike, *, names: Sequence[str] = CAUSES, unit: str = "core", level: float = 0.95
) -> Incidence:
    """Cumulative incidence from per-cluster counts.

    Args:
        ended: (clusters, turns, causes + 1) episodes that ended at each turn by each cause; the last column
            counts those that left at their turn cap.
        names: the causes.
        unit: what a cluster is.
        level: coverage of the bands.
    """
    counts = np.asarray(ended, dtype=np.float64)
    counts = counts[counts.sum(axis=(1, 2)) > 0]
    leaving = counts.sum(axis=2)
    at_risk = np.cumsum(leaving[:, ::-1], axis=1)[:, ::-1]
    curve, influence = _curves(counts[:, :, :-1], at_risk)
    risk = at_risk.sum(axis=0)
    points = _bands(curve, influence, risk, unit, level)
    return Incidence(
        curves=tuple(CauseCurve(cause=name, points=points[k]) for k, name in enumerate(names)),
        at_risk=tuple(int(n) for n in risk),
    )


def _curves(events: Array, at_risk: Array) -> tuple[Array, Array]:
    """Incidence (turns, causes) and each cluster's influence on it (clusters, turns, causes).

    With h_k the hazards, S the share still going and u the influence on a hazard:
    dF_k(t) = dF_k(t−1) + S(t−1) u_k(t) + h_k(t) dS(t−1), dS(t) = dS(t−1)(1 − h(t)) − S(t−1) u(t).
    """
    clusters, horizon, causes = events.shape
    total = at_risk.sum(axis=0)
    hazard = np.nan_to_num(share(events.sum(axis=0), total[:, None]))
    curve, influence = np.zeros((horizon, causes)), np.zeros((clusters, horizon, causes))
    going, going_influence = 1.0, np.zeros(clusters)
    so_far, so_far_influence = np.zeros(causes), np.zeros((clusters, causes))
    for t in range(horizon):
        u = (events[:, t] - at_risk[:, t, None] * hazard[t]) / max(total[t], 1)
        so_far = so_far + going * hazard[t]
        so_far_influence = so_far_influence + going * u + np.outer(going_influence, hazard[t])
        going_influence = going_influence * (1 - hazard[t].sum()) - going * u.sum(axis=1)
        going = going * (1 - hazard[t].sum())
        curve[t], influence[:, t] = so_far, so_far_influence
    return curve, influence


def _bands(curve: Array, influence: Array, risk: Array, unit: str, level: float) -> list[tuple[Rate, ...]]:
    clusters = len(influence)
    estimate = np.clip(curve, 0, 1)
    se = linearised_se(np.moveaxis(influence, 0, -1), clusters)
    alike = (np.abs(influence).max(axis=0, initial=0) <= ROUNDING) & (clusters > 1)
    linearised = logit_interval(estimate, se, clusters, level)
    stand_in = wilson_interval(estimate, clusters, level)
    low, high = (np.where(alike, w, x) for w, x in zip(stand_in, linearised, strict=True))
    names = {True: f"Wilson with n = {clusters}: no spread between {unit} clusters",
             False: f"logit scale, linearised by {unit}, t({clusters - 1})"}  # fmt: skip
    return [
        tuple(
            Rate(
                estimate=float(estimate[t, k]),
                low=number(low[t, k]),
                high=number(high[t, k]),
                method=names[bool(alike[t, k])] if clusters > 1 else f"no interval: one {unit}",
                unit=unit,
                clusters=clusters,
                n=int(risk[t]),
            )
            for t in range(len(curve))
        )
        for k in range(curve.shape[1])
    ]
