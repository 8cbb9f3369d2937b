"""Effects as means of paired core differences, with Holm over each family."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dilemma_kernel.records.estimates import Effect
from dilemma_kernel.statistics.clusters import Array, share
from dilemma_kernel.statistics.contrasts import (
    Levels,
    Term,
    contrast_weights,
    interaction_terms,
    main_terms,
    model_matrix,
)
from dilemma_kernel.statistics.intervals import number, t_p_value
from dilemma_kernel.statistics.rates import mean_difference


def paired_effect(
    name: str,
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    unit: str = "core",
    level: float = 0.95,
) -> Effect:
    """One cell against another: mean over cores of (rate in the first − rate in the second), t(G−1).

    Args:
        name: such as ``order: fixed − shuffled``.
        first: (successes, totals), each (clusters,), of one side.
        second: the same of the other side, the clusters in the same order.
        unit: what a cluster is.
        level: coverage.

    Returns:
        The effect over the clusters that both sides have.
    """
    hits = np.array([first[0], second[0]], dtype=np.float64)
    n = np.array([first[1], second[1]], dtype=np.float64)
    weights = np.array([1.0, -1.0])
    both = (n > 0).all(axis=0)
    differences = np.where(both, np.nan_to_num(share(hits, n)).T @ weights, np.nan)
    return _effect(name, differences, float(n[:, both].sum()), unit, level)


def main_effects(
    cells: Sequence[Levels],
    successes: ArrayLike,
    totals: ArrayLike,
    *,
    baseline: Levels,
    unit: str = "core",
    level: float = 0.95,
) -> tuple[Effect, ...]:
    """Main effects of a design, one for each level against its reference, corrected together.

    In a full factorial a core's difference is averaged over all levels of the other factors; in a
    one-at-a-time design it is taken at their baseline. A core that lacks some cells enters with the cells
    that it has, where they still tell the effect apart, and the note counts such cores.

    Args:
        cells: the design's cells as factor -> level, agent and environment among the factors.
        successes: (cells, clusters) successes.
        totals: (cells, clusters) observations; 0 where a core was not run or not measured.
        baseline: reference levels.
        unit: what a cluster is.
        level: coverage.
    """
    terms = main_terms(cells, baseline)
    return _family(cells, terms, terms, successes, totals, unit, level)


def interaction_effects(
    cells: Sequence[Levels],
    successes: ArrayLike,
    totals: ArrayLike,
    *,
    baseline: Levels,
    unit: str = "core",
    level: float = 0.95,
) -> tuple[Effect, ...]:
    """Two-way interactions: how far the effect of one level changes with another factor's level.

    Arguments as for ``main_effects``. An interaction that the design cannot tell from main effects or from
    other two-way interactions is Unmeasured.
    """
    mains = main_terms(cells, baseline)
    terms = interaction_terms(mains)
    return _family(cells, mains + terms, terms, successes, totals, unit, level)


def core_differences(
    cells: Sequence[Levels],
    model: Sequence[Term],
    successes: ArrayLike,
    totals: ArrayLike,
) -> tuple[Array, NDArray[np.bool_]]:
    """Each term's difference in each core, from the cells that the core has.

    Args:
        cells: the design.
        model: the terms fitted together.
        successes: (cells, clusters).
        totals: (cells, clusters).

    Returns:
        (terms, clusters) differences, NaN where a core cannot tell the term apart; and (terms, cells,
        clusters) booleans, which cells of which cores a difference uses.
    """
    hits, n = np.asarray(successes, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    shares = np.nan_to_num(share(hits, n))
    matrix = model_matrix(cells, model)
    differences = np.full((len(model), n.shape[1]), np.nan)
    used = np.zeros((len(model), *n.shape), dtype=np.bool_)
    patterns, which = np.unique(n > 0, axis=1, return_inverse=True)
    for index, pattern in enumerate(patterns.T):
        weights = contrast_weights(matrix, pattern)[1:]
        cores = np.flatnonzero(which.ravel() == index)
        differences[:, cores] = weights @ shares[:, cores]
        used[:, :, cores] = (np.nan_to_num(weights) != 0)[:, :, None]
    return differences, used


def _family(
    cells: Sequence[Levels],
    model: Sequence[Term],
    family: Sequence[Term],
    successes: ArrayLike,
    totals: ArrayLike,
    unit: str,
    level: float,
) -> tuple[Effect, ...]:
    if not family:
        return ()
    differences, used = core_differences(cells, model, successes, totals)
    n = np.asarray(totals, dtype=np.float64)
    whole = contrast_weights(model_matrix(cells, model), np.ones(len(cells), dtype=np.bool_))[1:]
    effects = []
    for term in family:
        row = model.index(term)
        if np.isnan(whole[row]).any():
            effects.append(unmeasured(term.name, "the design cannot tell it apart", unit))
            continue
        full = (used[row] == (whole[row] != 0)[:, None]).all(axis=0)
        partial = int((~np.isnan(differences[row]) & ~full).sum())
        note = f"{partial} lack some of the cells" if partial else ""
        size, most = float((n * used[row]).sum()), float(len(term.pairs))
        effects.append(_effect(term.name, differences[row], size, unit, level, note, most))
    return with_holm(effects)


def _effect(
    name: str, differences: Array, n: float, unit: str, level: float, note: str = "", most: float = 1.0
) -> Effect:
    mean = mean_difference(differences[~np.isnan(differences)], level, most)
    return Effect(
        name=name,
        estimate=number(mean.estimate),
        low=number(mean.low),
        high=number(mean.high),
        p=number(t_p_value(mean.estimate, mean.se, mean.clusters)),
        method=mean.method(unit),
        unit=unit,
        clusters=mean.clusters,
        n=int(n),
        note=note,
    )


def unmeasured(name: str, why: str, unit: str, method: str = "mean of paired differences") -> Effect:
    """An effect without an estimate, and the reason."""
    return Effect(
        name=name, estimate=None, low=None, high=None, p=None, method=method, unit=unit, clusters=0, n=0,
        note=f"Unmeasured ({why})",
    )  # fmt: skip


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down adjustment; a missing p is no member of the family and stays missing.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure".
    """
    known = [(p, index) for index, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(sorted(known)):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[index] = highest
    return tuple(adjusted)


def with_holm(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """The same effects with Holm's p over all of them as one family."""
    adjusted = holm([effect.p for effect in effects])
    return tuple(e.model_copy(update={"p_adjusted": p}) for e, p in zip(effects, adjusted, strict=True))


def fault_free(successes: ArrayLike, totals: ArrayLike, faulty: ArrayLike) -> tuple[Array, Array]:
    """Drop every core with a faulty episode in any arm from all arms.

    Args:
        successes: (arms, clusters) successes.
        totals: (arms, clusters) observations.
        faulty: (arms, clusters) episodes with an environment fault.

    Returns:
        Successes and totals with zeros for the dropped cores.
    """
    kept = np.asarray(faulty).sum(axis=0) == 0
    return np.asarray(successes) * kept, np.asarray(totals) * kept
