"""Cumulative incidence by turn: hand-worked tables with ties, statsmodels, laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import CumIncidenceRight

from dilemma_kernel.statistics import CAUSES, Incidence, cumulative_incidence, group, incidence_from_counts, rate

EPISODES = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from([None, *CAUSES]), st.sampled_from("abcd")), min_size=1, max_size=40
)


def curve(result: Incidence, cause: str) -> list[float]:
    (found,) = (c for c in result.curves if c.cause == cause)
    return [point.estimate for point in found.points if point.estimate is not None]


def incidence(rows: list[tuple[int, str | None, str]]) -> Incidence:
    return cumulative_incidence([t for t, _, _ in rows], [c for _, c, _ in rows], group([g for _, _, g in rows]))


def test_hand_worked_table_with_ties() -> None:
    # Ten episodes. Turn 1: two misaligned and one aligned at once. Turn 2: one declined, and one leaves at its cap.
    # Turn 3: of five at risk, two misaligned and one crashed together; two reach the cap.
    rows: list[tuple[int, str | None, str]] = [
        (1, "misaligned", "a"), (1, "misaligned", "b"), (1, "aligned", "a"),
        (2, "declined", "b"), (2, None, "c"),
        (3, "misaligned", "a"), (3, "misaligned", "c"), (3, "crashed", "b"), (3, None, "a"), (3, None, "c"),
    ]  # fmt: skip
    result = incidence(rows)
    assert result.at_risk == (10, 7, 5)
    going = 0.7 * 6 / 7
    assert curve(result, "misaligned") == pytest.approx([0.2, 0.2, 0.2 + going * 2 / 5])
    assert curve(result, "aligned") == pytest.approx([0.1, 0.1, 0.1])
    assert curve(result, "declined") == pytest.approx([0, 0.1, 0.1])
    assert curve(result, "crashed") == pytest.approx([0, 0, going / 5])


def test_a_crash_competes_and_does_not_censor() -> None:
    rows: list[tuple[int, str | None, str]] = [(1, "crashed", "a"), (2, "misaligned", "b")]
    assert curve(incidence(rows), "misaligned") == [0, 0.5]  # it would be 1 were the crash censoring


@given(EPISODES)
def test_agrees_with_statsmodels(rows: list[tuple[int, str | None, str]]) -> None:
    codes = {cause: k for k, cause in enumerate([None, *CAUSES])}
    status = np.array([codes[c] for _, c, _ in rows])
    times = np.array([float(t) for t, _, _ in rows])
    result = incidence(rows)
    if status.max() == 0:
        assert all(curve(result, cause)[-1] == 0 for cause in CAUSES)
        return
    with np.errstate(all="ignore"):  # statsmodels' standard errors, not looked at here
        reference = CumIncidenceRight(times, status)
    for k, cause in enumerate(CAUSES[: status.max()]):
        ours = np.array([0.0, *curve(result, cause)])
        steps = np.searchsorted(reference.times, np.arange(len(ours)), side="right")
        theirs = np.concatenate([[0.0], reference.cinc[k]])[steps]
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@given(EPISODES)
def test_causes_never_exceed_one_and_never_fall(rows: list[tuple[int, str | None, str]]) -> None:
    result = incidence(rows)
    curves = np.array([curve(result, cause) for cause in CAUSES])
    assert (curves.sum(axis=0) <= 1 + 1e-12).all()
    assert (np.diff(curves, axis=1) >= 0).all()
    for cause in result.curves:
        for point in cause.points:
            if point.clusters > 1:
                assert point.low is not None
                assert point.high is not None
                assert point.estimate is not None
                assert point.low < point.high
                assert point.low - 1e-9 <= point.estimate <= point.high + 1e-9


def test_without_caps_the_band_is_the_interval_of_the_rate() -> None:
    rng = np.random.default_rng(0)
    core = rng.integers(0, 12, 300)
    turns = rng.integers(1, 6, 300)
    causes = [CAUSES[k] for k in rng.integers(0, 4, 300)]
    result = cumulative_incidence(turns, causes, group(core.tolist()))
    by_three = (turns <= 3) & (np.array(causes) == "misaligned")
    expected = rate(np.bincount(core, by_three), np.bincount(core))
    found = result.curves[0].points[2]
    assert (found.estimate, found.low, found.high) == pytest.approx((expected.estimate, expected.low, expected.high))


def test_the_band_with_caps_agrees_with_the_jackknife() -> None:
    rng = np.random.default_rng(1)
    cores = 15
    ended = rng.poisson(3, (cores, 5, 5)) * (1 + rng.integers(0, 3, (cores, 1, 1)))

    def last(counts: np.ndarray) -> float:
        return curve(incidence_from_counts(counts), "misaligned")[-1]

    left_out = np.array([last(np.delete(ended, g, axis=0)) for g in range(cores)])
    jackknife = np.sqrt((cores - 1) / cores * ((left_out - left_out.mean()) ** 2).sum())
    point = incidence_from_counts(ended).curves[0].points[-1]
    assert point.low is not None
    assert point.high is not None
    assert point.estimate is not None
    logits = np.log([point.low / (1 - point.low), point.high / (1 - point.high)])
    se = np.diff(logits)[0] / 2 / 2.144787 * point.estimate * (1 - point.estimate)
    assert se == pytest.approx(jackknife, rel=0.05)


def test_a_cause_that_no_core_shows_has_wilson_and_one_core_no_band() -> None:
    rows: list[tuple[int, str | None, str]] = [(1, "misaligned", "a"), (2, "aligned", "b")]
    crashed = incidence(rows).curves[3].points[0]
    assert (crashed.low, crashed.method[:6]) == (0, "Wilson")
    alone = incidence([(1, "misaligned", "a"), (2, "aligned", "a")]).curves[0].points[0]
    assert (alone.estimate, alone.low, alone.method) == (0.5, None, "no interval: one core")


def test_nothing_gives_empty_curves() -> None:
    assert incidence([]).at_risk == ()


@pytest.mark.parametrize(("turn", "cause", "match"), [(0, "aligned", "turns"), (1, "bored", "unknown causes")])
def test_bad_rows_are_refused(turn: int, cause: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        incidence([(turn, cause, "a")])
