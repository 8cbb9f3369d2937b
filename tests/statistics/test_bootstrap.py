"""The cluster bootstrap."""

import numpy as np
import pytest

from dilemma_kernel.statistics.bootstrap import (
    bootstrap_interval,
    bootstrap_rates,
    percentile_interval,
    resampled_sums,
)
from dilemma_kernel.statistics.clusters import share


def test_every_resample_draws_as_many_clusters_as_there_are() -> None:
    drawn = resampled_sums(np.ones((7, 1)), np.random.default_rng(0), 500)
    assert (drawn == 7).all()


def test_quantities_are_resampled_jointly() -> None:
    values = np.arange(5.0)[:, None] * [1, 3]
    drawn = resampled_sums(values, np.random.default_rng(0), 200)
    np.testing.assert_allclose(drawn[:, 1], 3 * drawn[:, 0])
    assert len(np.unique(drawn[:, 0])) > 5


def test_resamples_do_not_depend_on_the_block() -> None:
    values = np.arange(12.0)[:, None]
    whole = resampled_sums(values, np.random.default_rng(3), 100)
    pieces = resampled_sums(values, np.random.default_rng(3), 100, block=36)
    assert whole.tolist() == pieces.tolist()


def test_the_spread_is_that_of_the_mean() -> None:
    rng = np.random.default_rng(1)
    values = rng.random((40, 1))
    drawn = resampled_sums(values, rng, 20_000)[:, 0] / 40
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.002)
    assert drawn.std() == pytest.approx(values.std() / np.sqrt(40), rel=0.03)


def test_rates_of_several_cells_come_from_the_same_resamples() -> None:
    hits, n = np.array([[3, 5, 9], [3, 5, 9], [1, 0, 2]]), np.full((3, 3), 10)
    first, twin, other = bootstrap_rates(hits, n, np.random.default_rng(2))
    assert (first.low, first.high) == (twin.low, twin.high)
    assert first.estimate == pytest.approx(17 / 30)
    assert other.estimate == pytest.approx(0.1)
    assert (first.low, first.high) == (0.3, 0.9)  # the extreme resamples: one core three times


@pytest.mark.parametrize(
    ("hits", "n", "method"),
    [([0, 0], [0, 0], "no estimate"), ([3, 0], [10, 0], "no interval: one core"), ([5, 5], [10, 10], "every resample")],
)
def test_where_there_is_no_bootstrap_interval(hits: list[int], n: list[int], method: str) -> None:
    (result,) = bootstrap_rates(hits, n, np.random.default_rng(0))
    assert (result.low, result.high) == (None, None)
    assert method in result.method


def test_empty_resamples_are_left_out_and_counted() -> None:
    (result,) = bootstrap_rates([2, 3, 0, 0], [4, 4, 0, 0], np.random.default_rng(0))
    assert result.low is not None
    assert " empty" in result.method


def test_any_statistic_with_missing_values() -> None:
    values = np.array([[1.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    interval, missing = bootstrap_interval(values, lambda s: share(s[:, 0], s[:, 1]), np.random.default_rng(0))
    assert missing == pytest.approx(10_000 / 27, rel=0.2)  # the third cluster three times
    assert (float(interval[0]), float(interval[1])) == (0.5, 1.0)


def test_percentiles_ignore_missing_draws() -> None:
    draws = np.array([[0.0, np.nan], [1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    low, high = percentile_interval(draws, 0.5)
    assert (low[0], high[0]) == (0.5, 1.5)
    assert np.isnan(low[1])
