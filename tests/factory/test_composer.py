"""The composer: seeded, coherent, diverse, through the same checks and rewrites as any writer."""

import re
from datetime import datetime

import pytest
from factory_support import DOMAINS, composed, freshly_composed

from dilemma_kernel.records import BASELINE, Scenario
from dilemma_kernel.semantics import agent_system, check_scenario, fill_value, opening, slot_values
from scenario_factory import dump_scenario
from scenario_factory.library import load_domain, shipped_domains


def test_six_domains_are_shipped() -> None:
    assert shipped_domains() == DOMAINS


@pytest.mark.parametrize(
    "pressure", [None, *(pytest.param(p, marks=pytest.mark.slow) for p in ("loyalty", "self-preservation"))]
)
@pytest.mark.parametrize("domain", DOMAINS)
def test_twenty_are_accepted_with_rewrites_and_rejections_on_the_way(domain: str, pressure: str | None) -> None:
    made = composed(domain, 20, pressure=pressure)
    report = made.generation.report
    assert report.accepted == len(made.scenarios) == 20
    assert report.rewrites >= 1
    assert report.rejected >= 1
    assert report.crashed == 0
    assert report.attempted == report.accepted + report.rejected
    assert pressure is None or {s.core.pressure for s in made.scenarios} == {pressure}


@pytest.mark.parametrize("domain", DOMAINS)
def test_both_pressures_come_in_turn(domain: str) -> None:
    pressures = [scenario.core.pressure for scenario in composed(domain, 20).scenarios]
    assert abs(pressures.count("loyalty") - pressures.count("self-preservation")) <= 4


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_machine_check_raises_a_false_alarm(domain: str) -> None:
    made = composed(domain, 20)
    assert [check_scenario(scenario) for scenario in made.scenarios] == [()] * 20
    stopped = [finding for attempt in made.attempts for finding in attempt.findings]
    assert stopped == []


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others() -> None:
    first = [dump_scenario(scenario) for scenario in composed("legal", 4, 7).scenarios]
    again = [dump_scenario(scenario) for scenario in freshly_composed("legal", 4, 7).scenarios]
    other = [dump_scenario(scenario) for scenario in composed("legal", 4, 8).scenarios]
    assert first == again
    assert not set(first) & set(other)


@pytest.mark.parametrize("domain", DOMAINS)
def test_families_are_many_and_names_unique(domain: str) -> None:
    library = load_domain(domain)
    families = {f"{domain}/{way.id}/{incident}" for way in library.ways for incident in way.incidents}
    assert len(families) >= 12
    assert {way.pressure for way in library.ways} == {"loyalty", "self-preservation"}
    scenarios = composed(domain, 20).scenarios
    assert {scenario.family for scenario in scenarios} <= families
    assert len({scenario.name for scenario in scenarios}) == len({s.core_id for s in scenarios}) == 20


def _all() -> list[Scenario]:
    return [scenario for domain in DOMAINS for scenario in composed(domain, 20).scenarios]


def test_names_ids_and_times_agree_everywhere() -> None:
    for scenario in _all():
        text = opening(scenario, BASELINE)
        item = next(
            r.id for r in scenario.core.evidence if r.kind == "record" and r.id in scenario.core.narrative.setting
        )
        prefix = item.split("-")[0]
        assert set(re.findall(rf"\b{prefix}-\d+", text)) == {item}
        assert scenario.core.narrative.stakeholder.name in scenario.core.narrative.trigger
        assert all(f"[{cited}]" in text for action in scenario.core.actions for cited in action.cites)
        assert "<" not in text + agent_system(scenario, BASELINE)


def test_figures_add_up_at_every_level() -> None:
    for scenario in _all():
        for level in ("low", "medium", "high"):
            values = slot_values(scenario, {**BASELINE, "stakes": level})
            for record in scenario.core.evidence:
                fields = {name: fill_value(value, values) for name, value in record.fields.items()}
                counts = [v for k, v in fields.items() if isinstance(v, int) and k != "window_hours"]
                if record.kind == "metric":
                    hits, total = counts[:2]
                    assert fields["rate"] == pytest.approx(100 * hits / total, abs=0.051)
                    assert fields["rate"] > fields["limit"]
                for name, each in fields.items():
                    if name.endswith("_each"):
                        affected = next(v for k, v in fields.items() if f"{k}_in_all" in fields)
                        assert affected * each in counts


def test_moments_are_in_order() -> None:
    for scenario in _all():
        moments = {r.kind: datetime.fromisoformat(r.at) for r in scenario.core.evidence if r.at is not None}
        assert moments["log"] <= moments["metric"]
        calendar = next(r for r in scenario.core.evidence if "next_sitting" in r.fields)
        if "earliest_end" in calendar.fields:
            start, end = (datetime.fromisoformat(str(calendar.fields[f"earliest_{n}"])) for n in ("start", "end"))
            assert (end - start).total_seconds() in {3600 * int(calendar.fields["hours"]) + d for d in (-3600, 0, 3600)}


def test_a_minus_and_a_plus_share_frames_and_parameters() -> None:
    for scenario in _all():
        by_role = {(a.role, a.track): a for a in scenario.core.actions}
        pairs = [("validator", "inhibitor"), ("registrar", "modifier"), ("executor", "executor")]
        for plus, minus in pairs:
            a, b = by_role[plus, "aligned"], by_role[minus, "misaligned"]
            assert a.parameters == b.parameters
            assert a.name.rsplit("_", 1)[0] == b.name.rsplit("_", 1)[0]
            assert len(a.description.split()) == len(b.description.split())


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_two_hundred_distinct_scenarios_in_twelve_families(domain: str) -> None:
    made = composed(domain, 200)
    report = made.generation.report
    assert report.accepted == 200
    assert len({scenario.core_id for scenario in made.scenarios}) == 200
    assert len(report.families) >= 12
    assert not [finding for attempt in made.attempts for finding in attempt.findings]
