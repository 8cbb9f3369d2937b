"""People's sheets correct a judge: the truth is recovered where the naive correction visibly fails."""

from dataclasses import dataclass

import numpy as np
import pytest

from dilemma_kernel.statistics import (
    Groups,
    confusion_estimate,
    corrected_divergence,
    corrected_divergence_elsewhere,
    difference_estimate,
    rate,
)

CORES, EPISODES = 30, 20
STUDIES = 2000
CLUSTERS = Groups(tuple(range(CORES)), np.repeat(np.arange(CORES), EPISODES))
JUDGES = {"low": (0.85, 0.9), "high": (0.65, 0.97)}
"""Level -> sensitivity and specificity: the judge errs by level."""
TRUE = {"low": 0.1, "high": 0.4}


@dataclass
class Marked:
    truth: np.ndarray
    judge: np.ndarray
    human: np.ndarray
    probability: np.ndarray


def marked(level: str, rng: np.random.Generator, each: int = 40) -> Marked:
    """One study's cell with a sheet stratified by the judge's label, ``each`` rows a stratum."""
    mean, (sensitivity, specificity) = TRUE[level], JUDGES[level]
    cores = rng.beta(9 * mean, 9 * (1 - mean), CORES)
    truth = rng.random(CORES * EPISODES) < cores[CLUSTERS.codes]
    judge = np.where(truth, rng.random(truth.size) < sensitivity, rng.random(truth.size) > specificity)
    human, probability = np.full(truth.size, np.nan), np.full(truth.size, np.nan)
    for label in (False, True):
        stratum = np.flatnonzero(judge == label)
        rows = rng.choice(stratum, min(each, stratum.size), replace=False)
        human[rows], probability[rows] = truth[rows], min(each, stratum.size) / max(stratum.size, 1)
    return Marked(truth, judge, human, probability)


@pytest.mark.parametrize("level", ["low", "high"])
def test_a_stratified_sheet_recovers_the_truth_where_naive_correction_fails(level: str) -> None:
    rng = np.random.default_rng(11)
    estimates, naive, held = [], [], []
    for _ in range(STUDIES):
        study = marked(level, rng)
        result = difference_estimate(study.judge, study.human, study.probability, CLUSTERS)
        on_sheet = ~np.isnan(study.human)
        assert result.estimate is not None
        assert result.low is not None
        assert result.high is not None
        estimates.append(result.estimate)
        naive.append(study.judge.mean() + (study.human - study.judge)[on_sheet].mean())
        held.append(result.low <= TRUE[level] <= result.high)
    error = 4 * np.std(estimates) / np.sqrt(STUDIES)
    assert np.mean(estimates) == pytest.approx(TRUE[level], abs=error)
    assert abs(np.mean(naive) - TRUE[level]) > 2 * error + 0.02
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / STUDIES) - 0.01


def test_a_whole_sheet_gives_the_peoples_rate_with_its_interval() -> None:
    study = marked("high", np.random.default_rng(0))
    result = difference_estimate(study.judge, study.truth.astype(float), np.ones(study.truth.size), CLUSTERS)
    expected = rate(np.bincount(CLUSTERS.codes, study.truth), np.full(CORES, EPISODES))
    assert (result.estimate, result.low, result.high) == pytest.approx((expected.estimate, expected.low, expected.high))


def test_hand_worked_weights() -> None:
    # Judge mean 3/6. Sheet: one row of error −1 at weight 3, one of 0 at weight 1, one of +1 at weight 2.
    result = difference_estimate(
        [1, 1, 1, 0, 0, 0],
        [0, 1, np.nan, 1, np.nan, np.nan],
        [1 / 3, 1, np.nan, 0.5, np.nan, np.nan],
        Groups(("a", "b"), np.array([0, 0, 0, 1, 1, 1])),
    )
    assert result.estimate == pytest.approx(0.5 + (-3 + 2) / 6)
    assert (result.clusters, result.n) == (2, 6)


def test_an_empty_sheet_is_unmeasured() -> None:
    result = difference_estimate([1, 0], [np.nan, np.nan], [np.nan, np.nan], Groups(("a", "b"), np.array([0, 1])))
    assert result.estimate is None
    assert result.note.startswith("Unmeasured")


def test_a_figure_outside_its_range_is_cut_and_said() -> None:
    clusters = Groups(("a", "b"), np.array([0, 0, 1, 1]))
    result = difference_estimate([0, 0, 1, 0], [np.nan, np.nan, 0, np.nan], [np.nan, np.nan, 0.5, np.nan], clusters)
    assert result.estimate == 0
    assert result.note.startswith("-0.750")


@pytest.mark.parametrize("probability", [0, -0.5, 1.5, np.nan])
def test_impossible_sampling_probabilities_are_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        difference_estimate([1], [1], [probability], Groups(("a",), np.array([0])))


def confusion(study: Marked) -> np.ndarray:
    """(cores, human, judge) weighted counts of the sheet."""
    counts = np.zeros((CORES, 2, 2))
    rows = np.flatnonzero(~np.isnan(study.human))
    place = (CLUSTERS.codes[rows], study.human[rows].astype(int), study.judge[rows].astype(int))
    np.add.at(counts, place, 1 / study.probability[rows])
    return counts


def judged(study: Marked) -> np.ndarray:
    said = np.bincount(CLUSTERS.codes, study.judge)
    return np.stack([EPISODES - said, said], axis=1)


def test_a_sheet_from_elsewhere_recovers_the_truth_by_its_confusion_matrix() -> None:
    rng = np.random.default_rng(5)
    estimates, raw, held = [], [], []
    for _ in range(200):
        here, elsewhere = marked("high", rng), marked("high", rng, each=150)
        result = confusion_estimate(judged(here), confusion(elsewhere), rng, resamples=400)
        assert result.estimate is not None
        assert result.low is not None
        assert result.high is not None
        estimates.append(result.estimate)
        raw.append(here.judge.mean())
        held.append(result.low <= TRUE["high"] <= result.high)
    error = 4 * np.std(estimates) / np.sqrt(200)
    assert np.mean(estimates) == pytest.approx(TRUE["high"], abs=error + 0.005)  # a ratio is biased a little
    assert abs(np.mean(raw) - TRUE["high"]) > 0.1
    assert np.mean(held) >= 0.88  # a percentile bootstrap falls somewhat short


def test_rogan_and_gladen_by_hand() -> None:
    # The judge says .4; sensitivity .8, specificity .9: (.4 + .9 − 1) / .7.
    sheet = np.array([[[90, 10], [20, 80]]])
    result = confusion_estimate(np.array([[60, 40]]), sheet, np.random.default_rng(0))
    assert result.estimate == pytest.approx(0.3 / 0.7)
    assert (result.low, result.method) == (None, "no interval: one core")


def test_three_labels_are_unmixed_and_the_wanted_ones_added() -> None:
    mixing = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
    true = np.array([0.5, 0.2, 0.3])
    said = np.stack([true @ mixing] * 4) * 1000
    sheet = np.stack([mixing * 50] * 4)
    result = confusion_estimate(said, sheet, np.random.default_rng(0), positive=(1, 2), resamples=50)
    assert result.estimate == pytest.approx(0.5)


def test_a_judge_that_tells_nothing_cannot_be_corrected() -> None:
    result = confusion_estimate([[5, 5]], [[[5, 5], [5, 5]]], np.random.default_rng(0))
    assert result.estimate is None
    assert "cannot be inverted" in result.note


@dataclass
class Triples:
    refused: np.ndarray
    unsafe: np.ndarray
    judge: np.ndarray
    human: np.ndarray
    probability: np.ndarray


INTENTS = Groups(tuple(range(64)), np.repeat(np.arange(64), 6))
DELTA = 0.3


def triples(rng: np.random.Generator, each: int) -> Triples:
    """A suite whose judge sees fewer refusals where the tool arm is unsafe."""
    n = 384
    refused = rng.random(n) < rng.beta(6, 3, 64)[INTENTS.codes]
    unsafe = rng.random(n) < np.where(refused, DELTA, 0.7)
    right = np.where(unsafe & refused, 0.6, 0.95)
    judge = np.where(rng.random(n) < right, refused, ~refused)
    human, probability = np.full(n, np.nan), np.full(n, np.nan)
    for label in (False, True):
        for verdict in (False, True):
            stratum = np.flatnonzero((judge == label) & (unsafe == verdict))
            rows = rng.choice(stratum, min(each, stratum.size), replace=False)
            human[rows], probability[rows] = refused[rows], min(each, stratum.size) / max(stratum.size, 1)
    return Triples(refused, unsafe, judge, human, probability)


def test_the_divergence_is_corrected_within_tool_verdict() -> None:
    rng = np.random.default_rng(8)
    own, elsewhere, raw, held = [], [], [], []
    for _ in range(150):
        suite, other = triples(rng, 25), triples(rng, 60)
        result = corrected_divergence(
            suite.judge, suite.unsafe, suite.human, suite.probability, INTENTS, rng, resamples=300
        )
        assert result.estimate is not None
        assert result.low is not None
        assert result.high is not None
        own.append(result.estimate)
        held.append(result.low <= DELTA <= result.high)
        raw.append((suite.judge & suite.unsafe).sum() / suite.judge.sum())
        said, sheet = np.zeros((64, 2, 2)), np.zeros((64, 2, 2, 2))
        np.add.at(said, (INTENTS.codes, suite.unsafe.astype(int), suite.judge.astype(int)), 1)
        rows = np.flatnonzero(~np.isnan(other.human))
        place = (x[rows].astype(int) for x in (INTENTS.codes, other.unsafe, other.human, other.judge))
        np.add.at(sheet, tuple(place), 1 / other.probability[rows])
        away = corrected_divergence_elsewhere(said, sheet, rng, resamples=100)
        assert away.estimate is not None
        elsewhere.append(away.estimate)
    for estimates in (own, elsewhere):
        assert np.mean(estimates) == pytest.approx(DELTA, abs=4 * np.std(estimates) / np.sqrt(150) + 0.005)
    assert abs(np.mean(raw) - DELTA) > 0.03
    assert np.mean(held) >= 0.88


def test_a_sheet_that_lacks_a_tool_verdict_leaves_the_divergence_unmeasured() -> None:
    suite = triples(np.random.default_rng(0), 25)
    human = np.where(suite.unsafe, np.nan, suite.human)
    result = corrected_divergence(
        suite.judge, suite.unsafe, human, suite.probability, INTENTS, np.random.default_rng(0)
    )
    assert result.estimate is None
    assert result.note.startswith("Unmeasured")
