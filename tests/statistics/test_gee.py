"""The GEE beside the paired differences."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm

from dilemma_kernel.statistics import gee_effects, paired_effect
from dilemma_kernel.statistics.contrasts import main_terms, model_matrix
from dilemma_kernel.statistics.gee import fit_gee

BASELINE = {"a": "0", "b": "0"}
CELLS = [{"a": a, "b": b} for a, b in product("012", "01")]


def data(seed: int = 0, cores: int = 14) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 9, (6, cores))
    n[2, 3] = 0
    return rng.binomial(n, rng.beta(2, 2, cores)), n


def test_fit_and_covariance_are_those_of_statsmodels() -> None:
    hits, n = data()
    matrix = model_matrix(CELLS, main_terms(CELLS, BASELINE))
    cell, core = np.nonzero(n)
    rows = [(c, g, float(i < hits[c, g])) for c, g in zip(cell, core, strict=True) for i in range(n[c, g])]
    reference = sm.GEE(
        np.array([y for *_, y in rows]),
        matrix[[c for c, *_ in rows]],
        groups=np.array([g for _, g, _ in rows]),
        family=sm.families.Binomial(),
    ).fit(cov_type="bias_reduced")
    fit = fit_gee(matrix, hits, n)
    np.testing.assert_allclose(fit.coefficients, reference.params, rtol=1e-8)
    np.testing.assert_allclose(fit.covariance, reference.cov_params(), rtol=1e-6)


def test_a_batch_of_studies_equals_its_rows() -> None:
    (h1, n1), (h2, n2) = data(1), data(2)
    matrix = model_matrix(CELLS, main_terms(CELLS, BASELINE))
    batch = fit_gee(matrix, np.stack([h1, h2]), np.stack([n1, n2]))
    np.testing.assert_allclose(batch.coefficients[1], fit_gee(matrix, h2, n2).coefficients)
    np.testing.assert_allclose(batch.standard_errors[0], fit_gee(matrix, h1, n1).standard_errors)


def test_with_one_episode_a_core_and_level_the_effect_is_unmeasured() -> None:
    cells = [{"a": "0"}, {"a": "1"}]
    hits = np.random.default_rng(3).binomial(1, 0.5, (2, 40))
    (effect,) = gee_effects(cells, hits, np.ones_like(hits), baseline={"a": "0"})
    assert (effect.estimate, effect.note) == (None, "Unmeasured (one episode a core)")
    (twice,) = gee_effects(cells, 2 * hits, 2 * np.ones_like(hits), baseline={"a": "0"})
    assert twice.estimate is not None


def test_effects_carry_t_intervals_and_holm() -> None:
    effects = gee_effects(CELLS, *data(), baseline=BASELINE)
    assert [effect.name for effect in effects] == ["a: 1 − 0", "a: 2 − 0", "b: 1 − 0"]
    for effect in effects:
        assert effect.low is not None
        assert effect.high is not None
        assert effect.estimate == pytest.approx((effect.low + effect.high) / 2)
        assert effect.p_adjusted is not None
        assert effect.p is not None
        assert effect.p_adjusted >= effect.p
        assert effect.method.endswith("t(13)")


def test_interactions_are_fitted_with_their_main_effects() -> None:
    effects = gee_effects(CELLS, *data(), baseline=BASELINE, interactions=True)
    assert [effect.name for effect in effects] == ["a: 1 − 0 × b: 1 − 0", "a: 2 − 0 × b: 1 − 0"]
    hits, n = data()
    odds = np.log(hits.sum(axis=1) / (n - hits).sum(axis=1))
    assert effects[0].estimate == pytest.approx((odds[3] - odds[1]) - (odds[2] - odds[0]))


def test_all_events_in_one_core_are_too_few() -> None:
    hits, n = np.zeros((2, 12)), np.full((2, 12), 10)
    hits[:, 0] = 2, 6
    cells = [{"a": "0"}, {"a": "1"}]
    (effect,) = gee_effects(cells, hits, n, baseline=BASELINE)
    assert (effect.estimate, effect.p) == (None, None)
    assert effect.note == "Unmeasured (too few events)"
    fit = fit_gee(model_matrix(cells, main_terms(cells, BASELINE)), hits, n)
    assert abs(fit.coefficients[1] / fit.standard_errors[1]) > 10  # what would have been shown
    paired = paired_effect("a: 1 − 0", (hits[1], n[1]), (hits[0], n[0]))
    assert paired.p == pytest.approx(0.34, abs=0.005)


@pytest.mark.parametrize(("cores", "shown"), [(4, False), (5, True)])
def test_five_cores_must_show_each_outcome(cores: int, shown: bool) -> None:
    n = np.full((2, 12), 10)
    hits = np.full((2, 12), 10)
    hits[0, :6] = 4, 5, 6, 7, 6, 5
    hits[1, :cores] = np.arange(cores) + 3
    (effect,) = gee_effects([{"a": "0"}, {"a": "1"}], hits, n, baseline=BASELINE)
    assert (effect.estimate is not None) == shown


def test_separation_is_unmeasured() -> None:
    # Each level shows both outcomes in every core, but (0, 0) never has an event and (1, 1) always has.
    cells = [{"a": a, "b": b} for a, b in product("01", "01")]
    hits = np.array([[0] * 8, [2, 3] * 4, [3, 2] * 4, [5] * 8])
    effects = gee_effects(cells, hits, np.full((4, 8), 5), baseline=BASELINE)
    assert {effect.note for effect in effects} == {"Unmeasured (separation)"}
