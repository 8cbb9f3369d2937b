"""Simulated studies: cores with normal logits and effects that vary between them, binomial episodes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, logit

from dilemma_kernel.errors import DesignError
from dilemma_kernel.statistics.assumptions import Assumptions
from dilemma_kernel.statistics.clusters import Array
from dilemma_kernel.statistics.contrasts import Levels, main_terms

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def simulate_hits(
    cells: Sequence[Levels],
    rates: ArrayLike,
    assumptions: Assumptions,
    rng: np.random.Generator,
    *,
    baseline: Levels,
    cores: int,
    episodes: int,
    studies: int,
) -> Array:
    """Simulated successes of whole studies; intercepts and effects of the cores are drawn afresh for each.

    Args:
        cells: the design.
        rates: (cells,) the mean rate of each cell over all cores there might be: the truth of every contrast.
        assumptions: correlation within cores at its ``mr``, and spread of each main effect over cores.
        rng: source of the draws.
        baseline: reference levels.
        cores: cores a study.
        episodes: episodes a core and cell.
        studies: how many studies.

    Returns:
        (studies, cells, cores).
    """
    mains = main_terms(cells, baseline)
    columns = np.array([term.column(cells) for term in mains]).reshape(len(mains), len(cells))
    spread = intercept_spread(assumptions)
    spreads = np.hypot(spread, assumptions.slope * np.sqrt(columns.sum(axis=0)))
    means = np.broadcast_to(np.asarray(rates, dtype=np.float64), (len(cells),))
    centres = np.array([centre(float(m), float(s)) for m, s in zip(means, spreads, strict=True)])
    slopes = assumptions.slope * rng.standard_normal((studies, len(mains), cores))
    eta = centres[:, None] + spread * rng.standard_normal((studies, 1, cores))
    eta = eta + np.einsum("tc,stg->scg", columns, slopes)
    return np.asarray(rng.binomial(episodes, expit(eta)), dtype=np.float64)


def intercept_spread(assumptions: Assumptions) -> float:
    """Standard deviation of the cores' logits that gives the assumed correlation at the assumed rate.

    Raises:
        DesignError: a rate or a correlation that no such cores have.
    """
    mr, icc = assumptions.mr, assumptions.icc
    if not (0 < mr < 1 and 0 <= icc <= 0.9 and assumptions.slope >= 0):
        raise DesignError(f"assumptions need 0 < mr < 1, 0 ≤ icc ≤ 0.9, slope ≥ 0, not {assumptions}")
    if icc == 0:
        return 0.0

    def excess(spread: float) -> float:
        rates = expit(centre(mr, spread) + spread * NODES)
        return float(WEIGHTS @ (rates - mr) ** 2 / (mr * (1 - mr)) - icc)

    return float(brentq(excess, 1e-6, 40))


def centre(mean: float, spread: float) -> float:
    """The mean logit at which cores whose logits have this spread have this mean rate."""
    if spread == 0:
        return float(logit(mean))
    return float(brentq(lambda c: WEIGHTS @ expit(c + spread * NODES) - mean, -400, 400))
