"""The starter pack keeps what it promises, scenario by scenario."""

import re
from itertools import product
from pathlib import Path

import pytest

from dilemma_kernel.records import FACTORS, Scenario
from dilemma_kernel.semantics.checks import check_scenario
from dilemma_kernel.semantics.render import agent_system, observation, opening
from scenario_factory import load_pack, load_scenario
from scenario_factory.packs import MANIFEST

FOLDER = Path(__file__).parents[2] / "scenario_factory" / "starter"
PACK = load_pack("starter")
DOMAINS = ("healthcare", "finance", "cybersecurity", "coding", "education", "legal")
PRESSURES = ("loyalty", "self-preservation")
RENDERED = {name: factor.levels for name, factor in FACTORS.items() if factor.kind == "rendering"}
each_scenario = pytest.mark.parametrize("scenario", PACK.scenarios, ids=lambda scenario: scenario.name)


def test_six_domains_by_two_pressures() -> None:
    found = [(scenario.core.domain, scenario.core.pressure) for scenario in PACK.scenarios]
    assert sorted(found) == sorted(product(DOMAINS, PRESSURES))
    assert len({scenario.core_id for scenario in PACK.scenarios}) == 12


def test_files_are_named_by_domain_and_pressure() -> None:
    files = {path.stem: load_scenario(path) for path in FOLDER.glob("*.yaml") if path.name != MANIFEST}
    assert {stem: f"{s.core.domain}-{s.core.pressure}" for stem, s in files.items()} == {stem: stem for stem in files}


def test_licence_and_canary() -> None:
    assert PACK.licence == "Apache-2.0"
    assert re.search(r"canary [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", PACK.canary)
    for path in FOLDER.glob("*-*.yaml"):
        assert path.read_text(encoding="utf-8").splitlines()[0] == f"# {PACK.canary}"


@each_scenario
def test_every_machine_check_passes(scenario: Scenario) -> None:
    assert check_scenario(scenario) == ()


@each_scenario
def test_the_standard_six_with_closed_parameters(scenario: Scenario) -> None:
    actions = scenario.core.actions
    kinds = sorted((action.track, action.role, action.terminal) for action in actions)
    assert kinds == [
        ("aligned", "executor", True),
        ("aligned", "registrar", False),
        ("aligned", "validator", False),
        ("misaligned", "executor", True),
        ("misaligned", "inhibitor", False),
        ("misaligned", "modifier", False),
    ]
    for action in actions:
        properties = action.parameters["properties"]
        assert 1 <= len(properties) <= 3
        assert sorted(action.parameters["required"]) == sorted(properties)
        assert action.parameters["additionalProperties"] is False
        for schema in properties.values():
            assert schema.keys() & {"enum", "maxLength", "maximum"}, "a bound that a small model can keep to"


@each_scenario
def test_parts_are_of_the_promised_size(scenario: Scenario) -> None:
    kinds = [record.kind for record in scenario.core.evidence]
    assert 5 <= len(kinds) <= 8
    assert kinds.count("clause") >= 2
    assert len(kinds) - kinds.count("clause") >= 3
    assert 5 <= len(scenario.core.initial_state) <= 8


@each_scenario
def test_every_level_renders_and_differs(scenario: Scenario) -> None:
    assert {name: tuple(levels) for name, levels in scenario.factors.items()} == RENDERED
    for factor, levels in RENDERED.items():
        said = {
            level: agent_system(scenario, {factor: level})
            + opening(scenario, {factor: level})
            + "".join(observation(scenario, action, action.name, {factor: level}) for action in scenario.core.actions)
            for level in levels
        }
        assert len(set(said.values())) == len(levels), factor
        assert all("{" not in text and "}" not in text for text in said.values())


@each_scenario
def test_stakes_say_the_numbers_that_the_records_hold(scenario: Scenario) -> None:
    """A level's words give each of its values, and each value stands in the evidence."""
    for level, rendering in scenario.factors["stakes"].items():
        records = opening(scenario, {"stakes": level}).split("Records at hand:")[1]
        for slot, value in rendering.values.items():
            written = f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)
            assert re.search(rf"(?<![\d.,]){re.escape(written)}(?![\d]|[.,]\d)", rendering.text), (level, slot)
            assert re.search(rf"(?<![\d.]){re.escape(str(value))}(?!\d)", records), (level, slot)


@each_scenario
def test_only_stakes_own_slots_in_the_core(scenario: Scenario) -> None:
    owners = {factor for factor, levels in scenario.factors.items() if any(r.values for r in levels.values())}
    assert owners == {"stakes"}


@each_scenario
def test_the_prompt_fits_a_small_context(scenario: Scenario) -> None:
    levels = {"ethics": "deontological"}
    words = len((agent_system(scenario, levels) + " " + opening(scenario, levels)).split())
    assert words < 900


@each_scenario
def test_removing_the_conflict_changes_that_paragraph_only(scenario: Scenario) -> None:
    present = opening(scenario, {"conflict": "present"}).split("\n\n")
    removed = opening(scenario, {"conflict": "removed"}).split("\n\n")
    assert [a == b for a, b in zip(present, removed, strict=True)].count(False) == 1


def test_order_in_the_files_tells_no_track() -> None:
    """At each of the six places, half of the scenarios have an A+ action."""
    places = zip(*([a.track for a in scenario.core.actions] for scenario in PACK.scenarios), strict=True)
    assert [tracks.count("aligned") for tracks in places] == [6] * 6


def test_answers_of_probes_are_spread() -> None:
    answers = [scenario.probe.answer for scenario in PACK.scenarios]
    assert all(answers.count(place) >= 2 for place in range(4))
