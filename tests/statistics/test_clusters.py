"""Grouping and the one standard error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.statistics.clusters import group, linearised_se, share, sums

IDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30)


@given(IDS)
def test_groups_give_the_ids_back_and_are_sorted(ids: list[str]) -> None:
    groups = group(ids)
    assert [groups.labels[code] for code in groups.codes] == ids
    assert list(groups.labels) == sorted(set(ids))


@given(IDS, st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order_of_observations(ids: list[str], random) -> None:
    rows = [(i, index) for index, i in enumerate(ids)]
    shuffled = random.sample(rows, len(rows))
    straight = sums([value for _, value in rows], group([i for i, _ in rows]))
    mixed = sums([value for _, value in shuffled], group([i for i, _ in shuffled]))
    assert straight.tolist() == mixed.tolist()


def test_sums_over_two_groupings_fill_absent_pairs_with_zero() -> None:
    cells, cores = group(["x", "x", "y"]), group(["p", "q", "q"])
    assert sums([1, 2, 4], cells, cores).tolist() == [[1, 2], [0, 4]]


def test_the_error_of_a_mean_is_the_classical_one() -> None:
    values = np.array([0.1, 0.4, 0.35, 0.8])
    influence = (values - values.mean()) / 4
    assert linearised_se(influence, 4) == pytest.approx(values.std(ddof=1) / 2)


def test_one_cluster_has_no_standard_error() -> None:
    assert np.isnan(linearised_se([0.0], 1))


def test_a_share_of_nothing_is_nan() -> None:
    assert np.isnan(share([1, 0], [2, 0])).tolist() == [False, True]
