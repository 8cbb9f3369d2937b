"""Paired effects, interactions, designs of several kinds, Holm."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from dilemma_kernel.records import Effect
from dilemma_kernel.statistics import fault_free, interaction_effects, main_effects, paired_effect
from dilemma_kernel.statistics.effects import holm

BASELINE = {"stakes": "high", "feedback": "medium"}
FULL = [{"stakes": s, "feedback": f} for s, f in product(["high", "medium", "low"], ["medium", "low", "high"])]


def counts(cells: int, cores: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = np.full((cells, cores), 10)
    return rng.binomial(n, rng.beta(2, 2, cores)), n


def by_name(effects: tuple[Effect, ...]) -> dict[str, Effect]:
    return {effect.name: effect for effect in effects}


def test_a_pair_is_a_t_test_of_core_differences() -> None:
    a, b = ([2, 5, 8, 0], [10, 10, 10, 0]), ([1, 1, 5, 9], [10, 5, 10, 10])
    result = paired_effect("a − b", a, b)
    reference = ttest_1samp([0.1, 0.3, 0.3], 0)
    interval = reference.confidence_interval(0.95)
    assert result.estimate == pytest.approx(0.7 / 3)
    assert (result.low, result.high, result.p) == (
        pytest.approx(interval.low), pytest.approx(interval.high), pytest.approx(reference.pvalue)
    )  # fmt: skip
    assert (result.clusters, result.n) == (3, 55)


def test_equal_differences_leave_interval_and_p_unmeasured() -> None:
    result = paired_effect("a − b", ([3, 5], [10, 10]), ([1, 3], [10, 10]))
    assert result.estimate == pytest.approx(0.2)
    assert (result.low, result.high, result.p) == (None, None, None)
    assert "Unmeasured" in result.method


@pytest.mark.parametrize(("totals", "clusters"), [([10, 0], 1), ([0, 0], 0)])
def test_fewer_than_two_pairs(totals: list[int], clusters: int) -> None:
    result = paired_effect("a − b", ([3, 0], totals), ([1, 3], [10, 10]))
    assert (result.clusters, result.low) == (clusters, None)
    assert (result.estimate is None) == (clusters == 0)


def test_a_main_effect_averages_over_the_other_factor() -> None:
    hits, n = counts(9)
    effects = by_name(main_effects(FULL, hits, n, baseline=BASELINE))
    assert list(effects) == [
        "stakes: medium − high", "stakes: low − high", "feedback: low − medium", "feedback: high − medium"
    ]  # fmt: skip
    difference = (hits[6:9].sum(axis=0) - hits[0:3].sum(axis=0)) / 30
    reference = ttest_1samp(difference, 0)
    low = effects["stakes: low − high"]
    assert (low.estimate, low.p) == (pytest.approx(difference.mean()), pytest.approx(reference.pvalue))
    assert (low.clusters, low.n) == (8, 480)


def test_an_interaction_is_a_difference_of_differences() -> None:
    hits, n = counts(9)
    effects = by_name(interaction_effects(FULL, hits, n, baseline=BASELINE))
    assert len(effects) == 4
    cell = {(c["stakes"], c["feedback"]): row / 10 for c, row in zip(FULL, hits, strict=True)}
    difference = (cell["low", "high"] - cell["high", "high"]) - (cell["low", "medium"] - cell["high", "medium"])
    found = effects["stakes: low − high × feedback: high − medium"]
    assert found.estimate == pytest.approx(difference.mean())
    assert found.n == 4 * 80


def test_one_at_a_time_takes_differences_at_baseline() -> None:
    cells = [FULL[0], {"stakes": "low", "feedback": "medium"}, {"stakes": "high", "feedback": "high"}]
    hits, n = counts(3)
    effects = by_name(main_effects(cells, hits, n, baseline=BASELINE))
    assert effects["stakes: low − high"].estimate == pytest.approx((hits[1] - hits[0]).mean() / 10)
    assert effects["feedback: high − medium"].estimate == pytest.approx((hits[2] - hits[0]).mean() / 10)
    (crossed,) = interaction_effects(cells, hits, n, baseline=BASELINE)
    assert crossed.estimate is None
    assert crossed.note == "Unmeasured (the design cannot tell it apart)"


def test_half_a_factorial_gives_main_effects_and_no_interactions() -> None:
    cells = [dict(zip("abc", levels, strict=True)) for levels in ("000", "011", "101", "110")]
    hits, n = counts(4)
    baseline = {"a": "0", "b": "0", "c": "0"}
    effects = by_name(main_effects(cells, hits, n, baseline=baseline))
    assert effects["a: 1 − 0"].estimate == pytest.approx((hits[2:].sum(axis=0) - hits[:2].sum(axis=0)).mean() / 20)
    crossed = interaction_effects(cells, hits, n, baseline=baseline)
    assert [effect.estimate for effect in crossed] == [None] * 3


def test_a_core_that_lacks_a_cell_enters_with_what_it_has() -> None:
    hits, n = counts(9)
    n[8, 0] = hits[8, 0] = 0
    low = by_name(main_effects(FULL, hits, n, baseline=BASELINE))["stakes: low − high"]
    assert (low.clusters, low.note) == (8, "1 lack some of the cells")
    n[6:9, 1] = hits[6:9, 1] = 0  # no low stakes at all: this core cannot tell
    low = by_name(main_effects(FULL, hits, n, baseline=BASELINE))["stakes: low − high"]
    assert low.clusters == 7


def test_no_data_at_all_is_no_estimate() -> None:
    empty = np.zeros((9, 4))
    effects = main_effects(FULL, empty, empty, baseline=BASELINE)
    assert {effect.estimate for effect in effects} == {None}
    assert {effect.clusters for effect in effects} == {0}


def test_a_factor_without_its_baseline_compares_with_the_level_met_first() -> None:
    cells = [{"agent": "m1"}, {"agent": "m2"}]
    (effect,) = main_effects(cells, *counts(2), baseline=BASELINE)
    assert effect.name == "agent: m2 − m1"


def test_one_cell_has_no_effects() -> None:
    assert main_effects([FULL[0]], *counts(1), baseline=BASELINE) == ()
    assert interaction_effects([], [], [], baseline=BASELINE) == ()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_its_steps_reject(p: list[float]) -> None:
    adjusted = holm(p)
    for alpha in (0.01, 0.05, 0.2):
        rejected = 0
        for step, value in enumerate(sorted(p)):
            if value * (len(p) - step) > alpha:
                break
            rejected += 1
        assert sum(q is not None and q <= alpha for q in adjusted) == rejected


@pytest.mark.parametrize("seed", [0, 1])
def test_holm_agrees_with_statsmodels(seed: int) -> None:
    p = np.random.default_rng(seed).random(9) ** 4
    assert holm(p.tolist()) == pytest.approx(multipletests(p, method="holm")[1].tolist())


def test_holm_leaves_out_what_has_no_p() -> None:
    assert holm([None, 0.01, None, 0.04]) == (None, 0.02, None, 0.04)


def test_effects_of_a_family_are_corrected_together() -> None:
    effects = main_effects(FULL, *counts(9), baseline=BASELINE)
    assert [e.p_adjusted for e in effects] == pytest.approx(holm([e.p for e in effects]))


def test_a_faulty_episode_drops_its_core_in_every_arm() -> None:
    hits, n = fault_free([[1, 2, 3], [4, 5, 6]], [[9, 9, 9], [9, 9, 9]], [[0, 1, 0], [0, 0, 0]])
    assert hits.tolist() == [[1, 0, 3], [4, 0, 6]]
    assert n.tolist() == [[9, 0, 9], [9, 0, 9]]
