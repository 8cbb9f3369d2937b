"""Rates, bounds and distance from chance, against hand-worked figures and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from dilemma_kernel.records import Rate
from dilemma_kernel.statistics import above_chance, bounds, rate, rate_arrays, wilson_rate

CLUSTERS = st.lists(st.integers(0, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=14)


def ends(result: Rate) -> tuple[float, float]:
    assert result.low is not None
    assert result.high is not None
    return result.low, result.high


def test_hand_worked_interval() -> None:
    # Shares .2, .5, .8 of ten: residuals −3, 0, 3 over N = 30, so se² = 3/2 · (9 + 9)/900.
    result = rate([2, 5, 8], [10, 10, 10])
    half = student.ppf(0.975, 2) * np.sqrt(0.03) / 0.25
    assert result.estimate == 0.5
    assert ends(result) == pytest.approx((1 / (1 + np.exp(half)), 1 / (1 + np.exp(-half))))
    assert (result.clusters, result.n, result.unit) == (3, 30, "core")
    assert result.method == "logit scale, linearised by core, t(2)"


def test_clusters_of_unequal_size_are_weighted_by_their_size() -> None:
    # p = 4/12; residuals 3 − 3.333 and 1 − .667: ∓1/3 over 12, so se² = 2 · 2 · (1/36)².
    result = rate_arrays([3, 1], [10, 2])
    assert result.estimate == pytest.approx(1 / 3)
    assert result.se == pytest.approx(2 / 36)


def test_equal_shares_to_rounding_take_wilson_with_the_number_of_clusters() -> None:
    result = rate([57] * 12, [100] * 12)
    # Wilson for .57 of 12, worked with z = 1.959964.
    assert ends(result) == pytest.approx((0.308642, 0.797410), abs=1e-6)
    assert result.method.startswith("Wilson with n = 12")
    assert (result.clusters, result.n) == (12, 1200)


@pytest.mark.parametrize("size", [7, 57, 99, 100, 997, 100_003])
@pytest.mark.parametrize("clusters", [2, 3, 12, 41])
def test_equal_shares_are_always_seen_as_equal(size: int, clusters: int) -> None:
    hits = size // 3
    assert rate([hits] * clusters, [size] * clusters).method.startswith("Wilson")


def test_one_episode_off_among_a_million_is_no_rounding() -> None:
    assert rate([50_000] * 9 + [50_001], [100_000] * 10).method.startswith("logit")


@pytest.mark.parametrize("share", [0, 4])
def test_all_or_nothing_has_an_interval_of_some_width(share: int) -> None:
    low, high = ends(rate([share] * 5, [4] * 5))
    assert high - low == pytest.approx(3.841459 / (5 + 3.841459), abs=1e-6)


def test_one_observation_a_cluster_has_the_interval_of_wilson() -> None:
    result = rate([1] * 9 + [0] * 3, [1] * 12)
    assert ends(result) == ends(wilson_rate([9], [12]))
    assert result.method == "Wilson with n = 12: every core gives one observation"
    assert rate([1] * 9 + [0] * 3, [1] * 11 + [2]).method == "logit scale, linearised by core, t(11)"


def test_one_cluster_has_an_estimate_and_no_interval() -> None:
    result = rate([3], [10])
    assert (result.estimate, result.low, result.high) == (0.3, None, None)
    assert result.method == "no interval: one core"


def test_a_cluster_without_observations_does_not_count() -> None:
    assert rate([3, 0], [10, 0]) == rate([3], [10])
    assert rate([2, 5, 0, 8], [10, 10, 0, 10]) == rate([2, 5, 8], [10, 10, 10])


@pytest.mark.parametrize("counts", [([], []), ([0, 0], [0, 0])])
def test_no_observations_give_no_estimate(counts: tuple[list[int], list[int]]) -> None:
    result = rate(*counts)
    assert (result.estimate, result.low, result.high, result.clusters, result.n) == (None, None, None, 0, 0)
    assert result.method.startswith("no estimate")


@pytest.mark.parametrize(("hits", "n"), [([3], [2]), ([-1], [2]), ([0], [-1]), ([1], [np.nan]), ([np.nan], [3])])
def test_impossible_counts_are_refused(hits: list[float], n: list[float]) -> None:
    with pytest.raises(ValueError, match="successes"):
        rate(hits, n)


def test_a_rate_near_an_end_says_so() -> None:
    assert "beyond .9 or .1" in rate([10, 9, 10], [10, 10, 10]).note
    assert rate([8, 9, 7], [10, 10, 10]).note == ""


@given(CLUSTERS)
def test_intervals_hold_their_estimate_and_have_width(counts: list[tuple[int, int]]) -> None:
    result = rate([h for h, _ in counts], [n for _, n in counts])
    if result.clusters > 1:
        low, high = ends(result)
        assert result.estimate is not None
        assert 0 <= low <= result.estimate + 1e-12
        assert result.estimate - 1e-12 <= high <= 1
        assert low < high
    else:
        assert result.low is None


@given(CLUSTERS, st.randoms(use_true_random=False))
def test_the_order_of_clusters_does_not_matter(counts: list[tuple[int, int]], random) -> None:
    mixed = random.sample(counts, len(counts))
    a, b = (rate([h for h, _ in rows], [n for _, n in rows]) for rows in (counts, mixed))
    assert (a.low, a.high, a.method) == (pytest.approx(b.low), pytest.approx(b.high), b.method)


@given(CLUSTERS)
def test_the_complement_has_the_mirrored_interval(counts: list[tuple[int, int]]) -> None:
    hits, n = [h for h, _ in counts], [n for _, n in counts]
    straight, mirrored = rate(hits, n), rate([b - a for a, b in zip(hits, n, strict=True)], n)
    if straight.low is not None:
        low, high = ends(mirrored)
        assert ends(straight) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(CLUSTERS, CLUSTERS)
def test_a_batch_equals_its_rows(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    size = max(len(first), len(second), 1)
    rows = [np.array(row + [(0, 0)] * (size - len(row))).T for row in (first, second)]
    batch = rate_arrays(np.stack([r[0] for r in rows]), np.stack([r[1] for r in rows]))
    for index, (hits, n) in enumerate(rows):
        np.testing.assert_allclose(batch.low[index], rate_arrays(hits, n).low, equal_nan=True)


def test_wilson_counts_every_episode() -> None:
    result = wilson_rate([1, 0, 1, 1], [1, 1, 1, 1])
    assert ends(result) == pytest.approx((0.300642, 0.954413), abs=1e-6)
    assert (result.n, result.unit) == (4, "episode")


def test_bounds_count_what_is_missing_both_ways() -> None:
    result = bounds(3, 10, 2)
    assert (result.low, result.high) == (3 / 12, 5 / 12)
    nothing = bounds(0, 0, 0)
    assert (nothing.low, nothing.high) == (None, None)
    assert nothing.note
    assert (bounds(0, 0, 4).low, bounds(0, 0, 4).high) == (0, 1)


def test_an_interval_of_a_difference_ends_where_differences_do() -> None:
    result = above_chance([1, 0], [1, 1], [0.43, 0.43])
    assert (result.estimate, result.low, result.high) == (pytest.approx(0.07), -1, 1)


def test_distance_from_chance_hand_worked() -> None:
    result = above_chance([8, 5, 9], [10, 10, 10], [0.5, 0.6, 0.4])
    # Differences .3, −.1, .5: mean .7/3; room above 1.5.
    assert result.estimate == pytest.approx(0.7 / 3)
    assert result.normed == pytest.approx(0.7 / 1.5)
    half = student.ppf(0.975, 2) * np.std([0.3, -0.1, 0.5], ddof=1) / np.sqrt(3)
    assert (result.low, result.high) == (pytest.approx(0.7 / 3 - half), pytest.approx(0.7 / 3 + half))


def test_below_chance_is_normed_by_the_floor() -> None:
    result = above_chance([1, 2], [10, 10], [0.5, 0.4])
    assert result.normed == pytest.approx(-0.6 / 0.9)


def test_the_sign_of_the_sum_chooses_the_denominator() -> None:
    # +.3 and −.1 over floors .2 and .9: the sum is above, so all room is counted above.
    assert above_chance([5, 8], [10, 10], [0.2, 0.9]).normed == pytest.approx(0.2 / 0.9)


def test_the_ends_are_plus_and_minus_one() -> None:
    floors = [0.5, 0.3, 0.2]
    assert above_chance([4, 4, 4], [4, 4, 4], floors).normed == pytest.approx(1)
    assert above_chance([0, 0, 0], [4, 4, 4], floors).normed == pytest.approx(-1)


def test_equal_differences_leave_the_interval_unmeasured() -> None:
    result = above_chance([0, 0], [5, 5], 0.5)
    assert (result.estimate, result.low) == (-0.5, None)
    assert "Unmeasured" in result.method


def test_without_room_there_is_no_normed_figure() -> None:
    assert above_chance([0, 0], [5, 5], 0).normed == 0
    assert above_chance([5, 5], [5, 5], 1).normed is None


def test_distance_from_chance_of_nothing_and_of_one_core() -> None:
    assert above_chance([0], [0], 0.5).estimate is None
    single = above_chance([3], [4], 0.5)
    assert (single.estimate, single.low, single.method) == (0.25, None, "no interval: one core")


def test_a_floor_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="floor"):
        above_chance([1], [2], [1.5])
