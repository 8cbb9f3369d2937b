"""The power of a design, by simulation from assumptions or from another study's core-level data."""

from collections.abc import Sequence

import numpy as np

from dilemma_kernel.records.base import Record
from dilemma_kernel.statistics.assumptions import Assumptions
from dilemma_kernel.statistics.clusters import Array, linearised_se
from dilemma_kernel.statistics.contrasts import (
    Levels,
    contrast_weights,
    interaction_terms,
    main_terms,
    model_matrix,
)
from dilemma_kernel.statistics.intervals import ROUNDING, t_p_value
from dilemma_kernel.statistics.simulation import simulate_hits

STUDIES = 1_000
EFFECTS = (0.05, 0.10, 0.15, 0.20)
BLOCK = 2**22
"""Most numbers simulated at once."""


class Power(Record):
    """How often a design finds an effect of one size."""

    name: str
    """The effect, as in the tables of effects."""
    effect: float
    """Its planted size, in shares (.1 is ten points)."""
    power: float | None
    """Share of simulated studies that reject at ``alpha``; None where the design cannot tell the effect apart."""
    alpha: float
    """Level of each test: the family's divided by its number of effects, so that Holm rejects at least as often."""
    clusters: int
    episodes: int
    """Per core and cell."""
    studies: int


def power_of_design(
    cells: Sequence[Levels],
    assumptions: Assumptions,
    rng: np.random.Generator,
    *,
    cores: int,
    episodes: int,
    baseline: Levels,
    effects: Sequence[float] = EFFECTS,
    interactions: bool = False,
    alpha: float = 0.05,
    studies: int = STUDIES,
) -> tuple[Power, ...]:
    """Power of the paired core differences for each effect of the design, one planted at a time.

    Args:
        cells: the design's cells as factor -> level.
        assumptions: baseline rate, correlation, and how much effects vary between cores.
        rng: source of the draws.
        cores: how many cores the pack has.
        episodes: per core and cell.
        baseline: reference levels.
        effects: sizes to plant, as shares; their sign is turned where the baseline leaves no room.
        interactions: the two-way interactions instead of the main effects.
        alpha: level of the family.
        studies: simulated studies for each power.

    Raises:
        DesignError: assumptions outside their range.
    """
    mains = main_terms(cells, baseline)
    crossed = interaction_terms(mains)
    model, family = (mains + crossed, crossed) if interactions else (mains, mains)
    weights = contrast_weights(model_matrix(cells, model), np.ones(len(cells), dtype=np.bool_))[1:]
    level = alpha / max(len(family), 1)
    results = []
    for term in family:
        for size in effects:
            planted = _with_room(size, assumptions.mr)
            p = _p_values(
                cells, assumptions.mr + planted * term.column(cells), weights[model.index(term)], assumptions, rng,
                baseline=baseline, cores=cores, episodes=episodes, studies=studies,
            )  # fmt: skip
            results.append(
                Power(
                    name=term.name,
                    effect=planted,
                    power=None if np.isnan(p).any() else float((p < level).mean()),
                    alpha=level,
                    clusters=cores,
                    episodes=episodes,
                    studies=studies,
                )
            )
    return tuple(results)


def cores_for_power(
    cells: Sequence[Levels],
    assumptions: Assumptions,
    rng: np.random.Generator,
    *,
    episodes: int,
    baseline: Levels,
    effect: float,
    target: float = 0.9,
    interactions: bool = False,
    alpha: float = 0.05,
    studies: int = STUDIES,
    most: int = 1024,
) -> int | None:
    """The fewest cores (to a twentieth) with which every effect of the family reaches the target power.

    Arguments as for ``power_of_design``; ``effect`` is the size that must be found, ``target`` how often.

    Returns:
        The number of cores, or None where more than ``most`` would be needed.
    """

    def enough(cores: int) -> bool:
        found = power_of_design(
            cells, assumptions, rng, cores=cores, episodes=episodes, baseline=baseline, effects=(effect,),
            interactions=interactions, alpha=alpha, studies=studies,
        )  # fmt: skip
        return min((p.power for p in found if p.power is not None), default=0.0) >= target

    high = 8
    while not enough(high):
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > max(1, high // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _with_room(size: float, mr: float) -> float:
    return size if 0 < mr + size < 1 else -size


def _p_values(
    cells: Sequence[Levels],
    rates: Array,
    weights: Array,
    assumptions: Assumptions,
    rng: np.random.Generator,
    *,
    baseline: Levels,
    cores: int,
    episodes: int,
    studies: int,
) -> Array:
    """(studies,) p of one contrast, the studies simulated a block at a time; NaN where it is not estimable."""
    block = max(1, BLOCK // (len(cells) * cores))
    found = []
    for start in range(0, studies, block):
        hits = simulate_hits(
            cells, rates, assumptions, rng,
            baseline=baseline, cores=cores, episodes=episodes, studies=min(block, studies - start),
        )  # fmt: skip
        found.append(paired_p_values(np.einsum("c,scg->sg", weights, hits / episodes)))
    return np.concatenate(found)


def paired_p_values(differences: Array) -> Array:
    """(studies,) p of the mean of core differences (studies, cores), t(G−1); 1 where alike, NaN where unknown."""
    cores = differences.shape[-1]
    mean = differences.mean(axis=-1)
    se = linearised_se((differences - mean[:, None]) / cores, cores)
    alike = se <= ROUNDING
    return np.where(alike, 1.0, t_p_value(mean, np.where(alike, 1.0, se), cores))
