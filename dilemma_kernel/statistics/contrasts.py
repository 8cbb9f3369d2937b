"""From a design's cells to contrasts: which weighted sum of cell rates is an effect.

A contrast is a row of the pseudo-inverse of the design's model matrix, so that one rule serves full
factorials (the difference averaged over all other factors), one-at-a-time designs (the difference at
baseline) and fractions of a factorial; what a design cannot tell apart is not estimable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dilemma_kernel.statistics.clusters import Array

Levels = Mapping[str, str]
"""factor -> level; agent and environment are factors too."""


@dataclass(frozen=True)
class Term:
    """One effect: the levels compared, one pair (level, reference) for a main effect, two for an interaction."""

    pairs: tuple[tuple[str, str, str], ...]
    """(factor, level, reference level)."""

    @property
    def name(self) -> str:
        """Such as ``stakes: low − high`` or ``stakes: low − high × feedback: high − medium``."""
        return " × ".join(f"{factor}: {level} − {reference}" for factor, level, reference in self.pairs)

    def column(self, cells: Sequence[Levels]) -> Array:
        """1 for the cells that have every level of the term, else 0."""
        hit = [all(cell[factor] == level for factor, level, _ in self.pairs) for cell in cells]
        return np.array(hit, dtype=np.float64)


def main_terms(cells: Sequence[Levels], baseline: Levels) -> tuple[Term, ...]:
    """Each level against its reference: the baseline where the cells have it, else the level met first.

    Args:
        cells: the design; every cell has the same factors. A factor with one level has no effect.
        baseline: reference levels; factors that it does not name take the first level met.
    """
    terms = []
    for factor in cells[0] if cells else ():
        levels = list(dict.fromkeys(cell[factor] for cell in cells))
        reference = baseline[factor] if baseline.get(factor) in levels else levels[0]
        terms += [Term(((factor, level, reference),)) for level in levels if level != reference]
    return tuple(terms)


def interaction_terms(mains: Sequence[Term]) -> tuple[Term, ...]:
    """Every pair of main effects of two different factors."""
    pairs = combinations(mains, 2)
    return tuple(Term(a.pairs + b.pairs) for a, b in pairs if a.pairs[0][0] != b.pairs[0][0])


def model_matrix(cells: Sequence[Levels], terms: Sequence[Term]) -> Array:
    """(cells, 1 + terms): an intercept, then a column a term (reference coding)."""
    return np.column_stack([np.ones(len(cells)), *(term.column(cells) for term in terms)])


def contrast_weights(matrix: Array, available: Array) -> Array:
    """The least-squares weights of every coefficient over the cells that are available.

    Args:
        matrix: (cells, k) model matrix.
        available: (cells,) booleans.

    Returns:
        (k, cells); zero at cells that are not available, a row of NaN where a coefficient is not estimable.
    """
    rows = np.flatnonzero(available)
    weights = np.zeros((matrix.shape[1], len(matrix)))
    if len(rows):
        inverse = np.linalg.pinv(matrix[rows])
        weights[:, rows] = np.where(np.abs(inverse) < 1e-12, 0, inverse)
    identity = np.eye(matrix.shape[1])
    estimable = np.abs(weights @ matrix - identity).max(axis=1) < 1e-8
    weights[~estimable] = np.nan
    return weights
