"""Directions, splits, cosines, principal angles and areas, against cases worked by hand."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanism_cases import case
from sklearn.metrics import roc_auc_score

from dilemma_kernel.errors import DesignError
from dilemma_kernel.statistics.clusters import Groups, group
from refusal_mechanism.cases import split_intents
from refusal_mechanism.directions import (
    Cosine,
    Group,
    cosine_figures,
    mean_difference_direction,
    principal_angles,
    projections,
)
from refusal_mechanism.separation import area, auc


def test_a_direction_is_the_difference_of_means() -> None:
    up = np.array([[[3.0, 0.0]], [[5.0, 2.0]]])
    down = np.array([[[1.0, 1.0]], [[1.0, 1.0]]])
    found = mean_difference_direction("request", up, down)
    assert found.mean.tolist() == [[3.0, 0.0]]
    assert found.unit.tolist() == [[1.0, 0.0]]
    assert projections(up, found.unit).tolist() == [[3.0], [5.0]]


def test_means_of_float32_states_are_taken_in_float64() -> None:
    """2²⁴ + 1 is no float32, so a float32 sum would lose every one of these."""
    up = np.ones((4097, 1, 1), dtype=np.float32)
    up[0] = 2.0**24
    found = mean_difference_direction("request", up, np.zeros((1, 1, 1), dtype=np.float32))
    assert found.mean[0, 0] == (2.0**24 + 4096) / 4097


def test_a_site_where_all_prompts_are_equal_has_no_direction() -> None:
    states = np.ones((4, 2, 3))
    states[:2, 1, 0] = 9.0
    found = mean_difference_direction("request", states[:2], states[2:])
    assert found.usable.tolist() == [False, True]
    assert np.linalg.norm(found.unit, axis=-1).tolist() == [0.0, 1.0]


def test_without_a_group_there_is_no_direction_and_the_reason_is_kept() -> None:
    found = mean_difference_direction("behaviour", np.ones((3, 2, 4)), np.empty((0, 2, 4)))
    assert not found.exists
    assert found.why == "the negative group is empty"


@settings(deadline=None)
@given(st.integers(3, 40), st.integers(1, 4), st.integers(0, 99))
def test_no_intent_is_in_two_parts_and_none_is_lost(pairs: int, domains: int, seed: int) -> None:
    cases = [
        case(i, request, domain=f"d{i % domains}", variant=variant)
        for i in range(pairs)
        for request in ("harmful", "benign")
        for variant in "AB"
    ]
    split = split_intents(cases, np.random.default_rng(seed))
    parts = [split.extract, split.select, split.test]
    assert sum(map(len, parts)) == pairs
    assert len(frozenset().union(*parts)) == pairs
    assert all(parts)
    assert abs(len(split.test) - pairs / 2) < 1
    in_test = split.part(cases, "test")
    assert {one.intent for one in in_test}.isdisjoint(one.intent for one in split.part(cases, "fit"))
    assert {one.request for one in in_test} == {"harmful", "benign"}


def test_each_half_holds_every_domain_evenly() -> None:
    cases = [case(i, domain=f"d{i % 4}") for i in range(64)]
    split = split_intents(cases, np.random.default_rng(0))
    for name, expected in (("test", 8), ("fit", 8)):
        counts = [sum(one.domain == f"d{d}" for one in split.part(cases, name)) for d in range(4)]  # type: ignore[arg-type]
        assert counts == [expected] * 4


def test_the_split_is_the_seed_s() -> None:
    cases = [case(i) for i in range(20)]
    first, again, other = (split_intents(cases, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_too_few_intents_are_refused() -> None:
    with pytest.raises(DesignError, match="at least 3"):
        split_intents([case(0), case(1)], np.random.default_rng(0))


def test_principal_angles_of_planes_in_space() -> None:
    """Two planes that share the x axis and are tilted by 30 degrees about it."""
    tilt = np.radians(30)
    first = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    second = np.array([[1.0, 0, 0], [0, np.cos(tilt), np.sin(tilt)], [2.0, 0, 0]])
    assert principal_angles(first, second) == pytest.approx((0.0, 30.0), abs=1e-5)


def test_a_cosine_by_hand_and_its_bootstrap() -> None:
    """r = (1, 0) − (0, 0), s = (1, 1) − (0, 0): cosine 1/√2; every intent says the same, so the interval is a point."""
    intents = group(list("abcd"))

    def states(x: float, y: float) -> Group:
        return Group(states=np.tile([x, y], (4, 1)), intents=intents)

    found = cosine_figures(
        ("request", states(1, 0), states(0, 0)),
        ("tool", states(1, 1), states(0, 0)),
        2,
        np.random.default_rng(0),
        resamples=50,
    )
    assert found.estimate == pytest.approx(2**-0.5)
    assert found.angle == pytest.approx(45.0)
    assert (found.low, found.high) == pytest.approx((2**-0.5, 2**-0.5))


def test_the_gram_matrix_gives_the_cosine_of_resampled_means() -> None:
    rng = np.random.default_rng(3)
    intents = group([i // 3 for i in range(30)])
    groups = [rng.normal(size=(30, 7)) + k for k in range(4)]
    found = cosine_figures(
        ("a", *(Group(states=g, intents=intents) for g in groups[:2])),
        ("b", *(Group(states=g, intents=intents) for g in groups[2:])),
        0,
        rng,
        resamples=200,
    )
    first, second = groups[0].mean(0) - groups[1].mean(0), groups[2].mean(0) - groups[3].mean(0)
    assert found.estimate == pytest.approx(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.estimate < found.high


def test_a_group_of_few_intents_gives_its_own_number_and_no_interval() -> None:
    rng = np.random.default_rng(4)
    intents = group(list("abcdefghijkl"))
    whole = Group(states=rng.normal(size=(12, 5)), intents=intents)
    other = Group(states=rng.normal(size=(12, 5)) + 1, intents=intents)

    def few(count: int) -> Group:
        return Group(states=whole.states[:count], intents=Groups(codes=intents.codes[:count], labels=intents.labels))

    def figures(count: int) -> Cosine:
        return cosine_figures(("a", other, whole), ("b", other, few(count)), 0, rng, resamples=400)

    one, two = figures(1), figures(2)
    assert (one.clusters, one.low, one.high) == (1, None, None)
    assert one.note == "no interval: a group has 1 intent alone"
    assert one.estimate is not None
    assert two.clusters == 2
    assert two.low is None
    assert re.fullmatch(r"no interval: \d+ of 400 resamples have no intent of some group", two.note)
    assert figures(12).low is not None


def test_the_scale_is_the_norm_of_the_states_and_not_of_their_mean() -> None:
    """States ±(3, 4): each of norm 5, their mean 0."""
    states = np.array([[[3.0, 4.0]], [[-3.0, -4.0]]])
    assert mean_difference_direction("r", states, states + 0.0).scale == pytest.approx([5.0])


def test_an_area_by_hand() -> None:
    """Scores 1 2 | 2 3 4: of six pairs five are in order and one is a tie."""
    scores, positive = np.array([1.0, 2, 3, 4, 2]), np.array([0, 0, 1, 1, 1], dtype=bool)
    found = auc(scores, positive, group(list("aabbc")))
    assert found.estimate == pytest.approx(5.5 / 6)
    assert (found.positives, found.negatives, found.clusters) == (3, 2, 3)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60))
def test_the_area_is_scikit_learn_s(pairs: list[tuple[int, bool]]) -> None:
    scores, positive = np.array([float(p[0]) for p in pairs]), np.array([p[1] for p in pairs])
    if positive.any() and not positive.all():
        assert area(scores, positive) == pytest.approx(roc_auc_score(positive, scores))


def test_a_perfect_area_has_wilson_s_interval_and_an_empty_group_none() -> None:
    positive = np.array([0] * 5 + [1] * 5, dtype=bool)
    perfect = auc(np.arange(10.0), positive, group(list(range(10))))
    assert perfect.estimate == 1.0
    assert perfect.low == pytest.approx(0.722, abs=1e-3)
    assert "Wilson with n = 10" in perfect.method
    assert auc(np.arange(3.0), np.zeros(3, dtype=bool), group([0, 1, 2])).estimate is None


def test_areas_cover_the_truth() -> None:
    """Clusters of four with shared shifts; the truth is Φ(1/√2·…) by simulation of independent draws."""
    rng = np.random.default_rng(11)

    def drawn(clusters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        shift = rng.normal(size=clusters).repeat(4)
        positive = np.tile([False, False, True, True], clusters)
        return shift + rng.normal(size=4 * clusters) + positive, positive, np.arange(clusters).repeat(4)

    truth = area(*drawn(40_000)[:2])
    covered = 0
    for _ in range(300):
        scores, positive, ids = drawn(30)
        found = auc(scores, positive, group(list(ids)))
        covered += bool(found.low <= truth <= found.high)  # type: ignore[operator]
    assert covered >= 270
