"""κ and α against hand-worked and published values."""

from collections.abc import Callable

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from dilemma_kernel.statistics import Agreement, Groups, cohen_kappa, group, krippendorff_alpha

Statistic = Callable[[np.ndarray], Agreement]


def alone(n: int) -> Groups:
    return group(list(range(n)))


def test_kappa_hand_worked() -> None:
    # Agreement 7/10; margins 5/5 and 6/4: chance .3 + .2.
    first = ["m"] * 5 + ["a"] * 5
    second = ["m", "m", "m", "m", "a", "m", "m", "a", "a", "a"]
    result = cohen_kappa(first, second, alone(10))
    assert result.observed == pytest.approx(0.7)
    assert result.estimate == pytest.approx((0.7 - 0.5) / 0.5)


def test_kappa_of_independent_subjects_agrees_with_statsmodels() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 4000)
    b = np.where(rng.random(4000) < 0.7, a, rng.integers(0, 3, 4000))
    reference = cohens_kappa(np.histogram2d(a, b, bins=3)[0])
    result = cohen_kappa(a.tolist(), b.tolist(), alone(4000))
    assert (result.estimate, result.low, result.high) == pytest.approx(
        (reference.kappa, reference.kappa_low, reference.kappa_upp), abs=2e-4
    )


def test_alpha_of_the_published_example() -> None:
    rows = ["1 2 3 3 2 1 4 1 2 * * *", "1 2 3 3 2 2 4 1 2 5 * 3", "* 3 3 3 2 3 4 2 2 5 1 *", "1 2 3 3 2 4 4 1 2 5 1 *"]
    ratings = [[None if label == "*" else label for label in row.split()] for row in rows]
    result = krippendorff_alpha(ratings, alone(12))
    assert result.estimate == pytest.approx(0.743, abs=5e-4)
    assert result.n == 11  # the last unit has one label only


def jackknife(statistic: Statistic, cores: np.ndarray) -> float:
    g = cores.max() + 1
    values = np.array([statistic(cores != core).estimate for core in range(g)])
    return float(np.sqrt((g - 1) / g * ((values - values.mean()) ** 2).sum()))


def test_intervals_by_core_agree_with_the_jackknife() -> None:
    rng = np.random.default_rng(3)
    cores = rng.integers(0, 15, 2000)
    hard = rng.random(15)[cores] * 0.6
    truth = rng.integers(0, 3, 2000)
    judges = [np.where(rng.random(2000) < hard, rng.integers(0, 3, 2000), truth) for _ in range(3)]
    absent = rng.random(2000) < 0.3

    def kappa(kept: np.ndarray) -> Agreement:
        return cohen_kappa(judges[0][kept].tolist(), judges[1][kept].tolist(), group(cores[kept].tolist()))

    def alpha(kept: np.ndarray) -> Agreement:
        third = [None if gone else int(x) for x, gone in zip(judges[2][kept], absent[kept], strict=True)]
        rows = [judges[0][kept].tolist(), judges[1][kept].tolist(), third]
        return krippendorff_alpha(rows, group(cores[kept].tolist()))

    for statistic in (kappa, alpha):
        result = statistic(np.ones(2000, dtype=bool))
        assert result.low is not None
        assert result.high is not None
        assert (result.high - result.low) / 2 / 2.144787 == pytest.approx(jackknife(statistic, cores), rel=0.02)


def test_fewer_than_two_labels_are_unmeasured() -> None:
    for result in (
        cohen_kappa(["a"] * 4, ["a"] * 4, alone(4)),
        krippendorff_alpha([["a"] * 4, ["a"] * 4], alone(4)),
        cohen_kappa([], [], alone(0)),
        krippendorff_alpha([], alone(0)),
    ):
        assert (result.estimate, result.low) == (None, None)
        assert result.note == "Unmeasured (fewer than two labels occur)"


def test_perfect_judges_agree_and_have_no_interval() -> None:
    labels = ["a", "b", "a", "c"]
    for result in (cohen_kappa(labels, labels, alone(4)), krippendorff_alpha([labels] * 3, alone(4))):
        assert (result.estimate, result.low) == (1, None)
        assert "Unmeasured" in result.method


def test_a_judge_that_measured_nothing_leaves_the_subject_out() -> None:
    full = cohen_kappa(["a", "b", "a"], ["a", "b", "b"], group(["x", "y", "z"]))
    holed = cohen_kappa(["a", "b", None, "a"], ["a", "b", "a", "b"], group(["x", "y", "w", "z"]))
    assert (holed.estimate, holed.n, holed.clusters) == (full.estimate, 3, 3)


def test_two_random_judges_agree_by_chance_only() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 4, (2, 5000)).tolist()
    assert cohen_kappa(a, b, alone(5000)).estimate == pytest.approx(0, abs=0.03)
    assert krippendorff_alpha([a, b], alone(5000)).estimate == pytest.approx(0, abs=0.03)


def test_one_core_has_no_interval() -> None:
    result = cohen_kappa(["a", "b", "a"], ["a", "b", "b"], group(["x"] * 3))
    assert (result.low, result.method) == (None, "no interval: one core")
