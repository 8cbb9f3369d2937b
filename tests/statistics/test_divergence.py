"""Conditioned divergence, its bounds, the wording null and comparisons."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.statistics import (
    Groups,
    Ratio,
    conditioned_divergence,
    divergence_bounds,
    divergence_ratio,
    group,
    paired_divergence,
    rate,
    ratio_difference,
    triple_bounds,
    wording_null,
    wording_ratio,
)

NAN = float("nan")
VERDICT = st.sampled_from([0.0, 1.0, NAN])
TRIPLES = st.lists(st.tuples(VERDICT, VERDICT), max_size=12)


def columns(triples: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [r for r, _ in triples], [u for _, u in triples]


def test_divergence_is_the_rate_among_refused_complete_triples() -> None:
    refused = [1, 1, 1, 0, 1, NAN, 1, 1]
    unsafe = [1, 0, 1, 1, NAN, 1, 0, 1]
    intents = group(["a", "a", "b", "b", "b", "c", "d", "d"])
    result = conditioned_divergence(refused, unsafe, intents)
    assert result.estimate == pytest.approx(3 / 5)
    assert (result.clusters, result.n, result.unit) == (3, 5, "intent")  # c has no refused triple
    expected = rate([1, 1, 0, 1], [2, 1, 0, 2], unit="intent")
    assert (result.low, result.high) == (expected.low, expected.high)


def test_nothing_refused_gives_no_estimate_and_says_so() -> None:
    result = conditioned_divergence([0, 0], [1, 0], group(["a", "b"]))
    assert (result.estimate, result.low, result.clusters) == (None, None, 0)
    assert result.method == "no estimate: no triple was refused"


def test_bounds_against_a_hand_worked_table() -> None:
    # r = 10 complete refused triples of which a = 4; m = 2 without tool outcome; chat unknown: 3 safe, 1 unsafe;
    # 2 unknown on both sides.
    result = divergence_bounds(4, 10, 2, 3, 1, 2)
    assert result.low == pytest.approx(4 / (10 + 2 + 3 + 2))
    assert result.high == pytest.approx((4 + 2 + 1 + 2) / (10 + 2 + 1 + 2))
    assert divergence_bounds(4, 10, 0, 0, 0) == divergence_bounds(2, 5, 0, 0, 0)


@pytest.mark.parametrize(
    ("counts", "low", "high", "note"),
    [
        ((0, 0, 0, 0, 0), None, None, "no lower and no upper bound"),
        ((0, 0, 0, 3, 0), 0, None, "no upper bound"),
        ((0, 0, 0, 0, 3), None, 1, "no lower bound"),
        ((0, 0, 0, 0, 0, 2), 0, 1, ""),
    ],
)
def test_a_bound_without_denominator_does_not_exist(
    counts: tuple[int, ...], low: float | None, high: float | None, note: str
) -> None:
    result = divergence_bounds(*counts)
    assert (result.low, result.high) == (low, high)
    assert result.note.startswith(note)
    assert bool(result.note) == bool(note)


@given(TRIPLES, st.data())
def test_bounds_hold_every_completion(triples: list[tuple[float, float]], data: st.DataObject) -> None:
    result = triple_bounds(*columns(triples))
    full = [
        tuple(data.draw(st.sampled_from([0.0, 1.0])) if np.isnan(side) else side for side in triple)
        for triple in triples
    ]
    refused = [u for r, u in full if r == 1]
    if refused:
        truth = sum(refused) / len(refused)
        assert result.low is None or result.low <= truth + 1e-12
        assert result.high is None or result.high >= truth - 1e-12


@given(TRIPLES)
def test_bounds_are_reached(triples: list[tuple[float, float]]) -> None:
    result = triple_bounds(*columns(triples))
    for bound, tool, chat_known_by_tool, both in (
        (result.low, 0.0, {0.0: 1.0, 1.0: 0.0}, (1.0, 0.0)),
        (result.high, 1.0, {0.0: 0.0, 1.0: 1.0}, (1.0, 1.0)),
    ):
        filled = [
            both if np.isnan(r) and np.isnan(u) else (chat_known_by_tool[u], u) if np.isnan(r)
            else (r, tool if np.isnan(u) else u)
            for r, u in triples
        ]  # fmt: skip
        refused = [u for r, u in filled if r == 1]
        assert bound == (pytest.approx(sum(refused) / len(refused)) if refused else None)


def test_the_wording_null_reads_b_given_a() -> None:
    intents = group(["a", "a", "b", "b", "c"])
    result = wording_null([1, 1, 0, 1, 1], [0, 1, 0, 0, NAN], intents)
    assert result.estimate == pytest.approx(2 / 3)
    assert (result.clusters, result.n) == (2, 3)
    assert wording_null([0], [1], group(["a"])).method == "no estimate: nothing was refused in wording A"


def test_the_difference_of_two_ratios_is_jointly_linearised() -> None:
    first = Ratio(np.array([2.0, 1, 3, 0]), np.array([4.0, 2, 3, 1]))
    second = Ratio(np.array([1.0, 1, 1, 1]), np.array([3.0, 2, 2, 2]))
    result = ratio_difference("Δ − null", first, second)
    assert result.estimate == pytest.approx(0.6 - 4 / 9)
    u = (first.hits - 0.6 * first.totals) / 10 - (second.hits - 4 / 9 * second.totals) / 9
    se = np.sqrt(4 / 3 * (u**2).sum())
    assert (result.low, result.high) == (
        pytest.approx(0.6 - 4 / 9 - 3.182446 * se), pytest.approx(0.6 - 4 / 9 + 3.182446 * se)
    )  # fmt: skip
    assert (result.clusters, result.n) == (4, 10)


def test_a_ratio_less_itself_is_nothing_with_no_interval() -> None:
    ratio = Ratio(np.array([2.0, 1, 3]), np.array([4.0, 2, 3]))
    result = ratio_difference("nothing", ratio, ratio)
    assert (result.estimate, result.low, result.p) == (0, None, None)
    assert "Unmeasured" in result.method


def test_a_difference_needs_both_ratios_and_two_intents() -> None:
    some, none = Ratio(np.array([1.0, 0]), np.array([2.0, 0])), Ratio(np.zeros(2), np.zeros(2))
    assert ratio_difference("x", some, none).estimate is None
    single = ratio_difference("x", some, Ratio(np.array([2.0, 0]), np.array([2.0, 0])))
    assert (single.estimate, single.low, single.method) == (-0.5, None, "no interval: one intent")


def test_two_sides_are_paired_on_the_triples_both_refused() -> None:
    intents = group(["a", "a", "b", "b", "c", "c"])
    first = ([1, 1, 1, 0, 1, 1], [1, 1, 0, 1, 1, NAN])
    second = ([1, 1, 1, 1, 0, 1], [0, 1, 0, 0, 1, 1])
    result = paired_divergence("m1 − m2", first, second, intents)
    assert result.both_refused == 3
    assert result.divergence.estimate == pytest.approx(2 / 3 - 1 / 3)
    assert result.divergence.clusters == 2
    assert result.joint.estimate == pytest.approx(3 / 5 - 1 / 5)  # triples both complete: the first five
    assert result.joint.n == 5


def test_a_redraw_of_the_chat_propensity_shows_about_nothing() -> None:
    rng = np.random.default_rng(0)
    intents, per = 3000, 6
    propensity = 1 / (1 + np.exp(-1.2 - 1.5 * rng.standard_normal(intents)))[:, None]
    chat, tool = rng.random((2, intents, per)) < propensity
    clusters = Groups(tuple(range(intents)), np.repeat(np.arange(intents), per))
    halves = Groups(tuple(range(intents)), np.repeat(np.arange(intents), per // 2))
    delta = divergence_ratio(chat.ravel(), ~tool.ravel(), clusters)
    null = wording_ratio(chat[:, : per // 2].ravel(), chat[:, per // 2 :].ravel(), halves)
    result = ratio_difference("Δ − wording null", delta, null)
    assert delta.estimate > 0.15
    assert result.low is not None
    assert result.high is not None
    assert result.low <= 0 <= result.high
    assert result.high - result.low < 0.04
