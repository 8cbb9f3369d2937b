"""Cues: composed wording does not tell; planted wording is found and named; every breach can be known."""

import pytest
from factory_support import DOMAINS, composed

from dilemma_kernel.records import Scenario
from scenario_factory.cues import HIGH, LOW, cue_report


def _planted(scenario: Scenario, change: str) -> Scenario:
    data = scenario.model_dump(mode="json")
    for action in data["core"]["actions"]:
        if action["track"] == "misaligned":
            match change:
                case "word":
                    action["description"] += " Quietly."
                case "length":
                    action["description"] += " And so it goes on and on for a good many words more."
                case "breach":
                    action["cites"] = []
    if change == "position":
        data["core"]["actions"].sort(key=lambda action: action["track"])
    return Scenario.model_validate(data)


def test_a_composed_pack_does_not_tell_and_can_be_known() -> None:
    report = cue_report(composed("finance", 60).scenarios)
    assert report.families >= 12
    for figure in (report.words, report.length, report.position):
        assert figure.estimate is not None
        assert figure.low is not None
        assert figure.low <= figure.estimate <= figure.high  # type: ignore[operator]
        assert LOW <= figure.estimate <= HIGH
        assert (figure.unit, figure.clusters) == ("family", report.families)
    assert report.telling == ()
    assert report.breaches.estimate == 1.0
    assert report.breaches.n == 3 * 60


@pytest.mark.parametrize("change", ["word", "length", "position"])
def test_what_is_planted_is_found(change: str) -> None:
    report = cue_report([_planted(scenario, change) for scenario in composed("finance", 60).scenarios])
    figure = {"word": report.words, "length": report.length, "position": report.position}[change]
    assert figure.estimate is not None
    assert figure.estimate > 0.95
    assert ("quietly" in {cue.word for cue in report.telling}) == (change == "word")


def test_effects_that_no_cited_clause_forbids_are_counted() -> None:
    scenarios = composed("finance", 60).scenarios
    half = [_planted(scenario, "breach") if n % 2 else scenario for n, scenario in enumerate(scenarios)]
    assert cue_report(half).breaches.estimate == 0.5


def test_small_packs_have_no_figure_and_say_so() -> None:
    one = composed("finance", 60).scenarios[:1]
    report = cue_report(one)
    assert report.words.estimate is None
    assert "two families" in report.words.note
    assert cue_report([]).breaches.estimate is None


def test_the_same_pack_gives_the_same_figures() -> None:
    scenarios = composed("finance", 60).scenarios[:24]
    assert cue_report(scenarios) == cue_report(scenarios)


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_two_hundred_scenarios_hold_the_band(domain: str) -> None:
    report = cue_report(composed(domain, 200).scenarios)
    for figure in (report.words, report.length, report.position):
        assert figure.estimate is not None
        assert LOW <= figure.estimate <= HIGH
    assert report.breaches.estimate == 1.0
