"""Coverage by the acceptance rule, with fewer studies than the benchmark; naive intervals must fail it."""

from dataclasses import astuple

import numpy as np
import pytest

from benchmarks.coverage import REPORTED, Setting, effect_coverage, gee_coverage, rate_coverage, settings, verdict
from benchmarks.coverage_divergence import CENTRES, delta_coverage, redraw_coverage
from dilemma_kernel.statistics.intervals import wilson_interval
from dilemma_kernel.statistics.rates import rate_arrays

STUDIES = 4_000
FITTED = 1_000
ACCEPTED = [setting for setting in settings() if setting.mr != REPORTED]
CORRELATED = [setting for setting in ACCEPTED if setting.icc and setting.episodes > 1]


def name(setting: Setting) -> str:
    return "{}x{}-icc{}-mr{}".format(*astuple(setting))


def rng(setting: Setting) -> np.random.Generator:
    return np.random.default_rng([round(1000 * value) for value in astuple(setting)])


@pytest.mark.parametrize("setting", ACCEPTED, ids=name)
def test_the_rate_interval_covers(setting: Setting) -> None:
    found = rate_coverage(setting, STUDIES, 0, rng(setting))
    assert verdict(found["rate"], STUDIES) == "pass"


@pytest.mark.parametrize("setting", CORRELATED, ids=name)
def test_wilson_over_episodes_falls_short_where_cores_differ(setting: Setting) -> None:
    found = rate_coverage(setting, STUDIES, 0, rng(setting))
    assert verdict(found["Wilson over episodes"], STUDIES) == "under"


@pytest.mark.parametrize("setting", [s for s in ACCEPTED if s.episodes == 1], ids=name)
def test_with_one_episode_a_core_the_linearised_interval_is_too_wide(setting: Setting) -> None:
    found = rate_coverage(setting, STUDIES, 0, rng(setting))
    assert verdict(found["linearised"], STUDIES) == "over"


def test_the_bootstrap_falls_short_with_twelve_cores() -> None:
    setting = Setting(12, 10, 0.2, 0.8)
    found = rate_coverage(setting, FITTED, FITTED, rng(setting))
    assert verdict(found["percentile bootstrap"], FITTED) == "under"


@pytest.mark.parametrize("setting", ACCEPTED, ids=name)
def test_the_paired_effect_covers(setting: Setting) -> None:
    assert verdict(effect_coverage(setting, STUDIES, 0, rng(setting))["paired"], STUDIES) == "pass"


@pytest.mark.parametrize("setting", [s for s in ACCEPTED if s.episodes > 1], ids=name)
def test_the_gee_covers(setting: Setting) -> None:
    found = gee_coverage(setting, FITTED, rng(setting))
    assert verdict(found["GEE where shown"], FITTED) == "pass"


@pytest.mark.parametrize("setting", [s for s in ACCEPTED if s.episodes == 1], ids=name)
def test_with_one_episode_a_core_the_gee_is_not_shown(setting: Setting) -> None:
    assert gee_coverage(setting, FITTED, rng(setting))["share shown"] == 0


@pytest.mark.parametrize("icc", [0.1, 0.3])
def test_robust_z_falls_short_with_twelve_cores(icc: float) -> None:
    setting = Setting(12, 10, icc, 0.8)
    assert verdict(gee_coverage(setting, 4 * FITTED, rng(setting))["robust z"], 4 * FITTED) == "under"


@pytest.mark.parametrize("suite", CENTRES)
def test_the_divergence_covers_by_intent_and_not_by_triple(suite: str) -> None:
    found = delta_coverage(*CENTRES[suite], FITTED, 0, np.random.default_rng(7))
    assert verdict(found["64 intents"], FITTED) == "pass"
    assert verdict(found["Wilson over triples"], FITTED) == "under"


def test_a_redraw_of_the_chat_propensity_is_no_finding() -> None:
    found = redraw_coverage(1.2, FITTED, np.random.default_rng(9), same_wording=False)
    assert verdict(found["covers 0"], FITTED) == "pass"
    assert found["mean difference"] == pytest.approx(0, abs=0.006)


def test_where_the_redraw_shares_the_wording_the_null_is_the_larger() -> None:
    found = redraw_coverage(1.2, FITTED, np.random.default_rng(9), same_wording=True)
    assert found["mean difference"] < -0.006


def test_a_narrow_interval_fails_the_rule() -> None:
    p = 0.5
    hits = np.random.default_rng(0).binomial(10, p, (STUDIES, 12)).astype(float)
    low, high = wilson_interval(rate_arrays(hits, np.full_like(hits, 10)).estimate, 240, 0.95)
    assert verdict(float(((low <= p) & (p <= high)).mean()), STUDIES) == "under"
