"""Planted effects are found, and nulls are not, in a study of the size that the power simulation asks for."""

import numpy as np
import pytest

from benchmarks.coverage import verdict
from benchmarks.recovery import (
    BASELINE,
    CELLS,
    INTERACTION,
    LEAST_REJECTION,
    MAINS,
    nominal_is_possible,
    planted_rates,
    recover,
)
from dilemma_kernel.statistics.contrasts import contrast_weights, interaction_terms, main_terms, model_matrix

STUDIES = 60
PACK = 132
"""Cores that ``pack_size`` gave for power .9 of the interaction; the benchmark computes it."""


def test_the_planted_rates_hold_the_planted_effects_and_no_others() -> None:
    mains = main_terms(CELLS, BASELINE)
    everywhere = np.ones(len(CELLS), dtype=bool)
    for terms, model in ((mains, mains), (interaction_terms(mains), mains + interaction_terms(mains))):
        weights = contrast_weights(model_matrix(CELLS, model), everywhere)[1:]
        for term in terms:
            truth = weights[model.index(term)] @ planted_rates()
            assert truth == pytest.approx({**MAINS, **INTERACTION}.get(term.name, 0), abs=1e-12), term.name


def test_planted_effects_are_recovered() -> None:
    result = recover(PACK, STUDIES, np.random.default_rng(4))
    assert len(result.effects) == 13
    for name, tally in result.effects.items():
        assert verdict(tally.covered / STUDIES, STUDIES) == "pass", name
        if name in {**MAINS, **INTERACTION}:
            assert tally.rejected / STUDIES >= LEAST_REJECTION, name
    for family, false in result.false_families.items():
        assert nominal_is_possible(false, STUDIES), family


def test_a_pack_too_small_misses_the_interaction() -> None:
    result = recover(24, STUDIES, np.random.default_rng(4))
    assert result.effects[next(iter(INTERACTION))].rejected / STUDIES < LEAST_REJECTION


def test_the_exact_interval_tells_inflated_from_nominal() -> None:
    assert nominal_is_possible(0, 500)
    assert nominal_is_possible(30, 500)
    assert not nominal_is_possible(50, 500)
