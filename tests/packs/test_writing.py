"""What is written reads back as it was, and reads well."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dilemma_kernel.records import Action, Evidence, Scenario
from scenario_factory import dump_scenario, load_pack, load_scenario, write_scenario
from scenario_factory.yaml_reading import parse_yaml, read_record
from scenario_factory.yaml_writing import dump_yaml

PACK = load_pack("starter")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.sampled_from(
    ["yes", "off", "~", "1_000", "012", "10:30", "=", "<<", "{slot}", "- a", "a: b", "#", "'", '"', "a\n\n  b\n", " x "]
)
SCALARS = TEXTS | st.booleans() | st.none() | st.integers(-(10**15), 10**15) | st.floats(-1e15, 1e15)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def _round_trip(scenario: Scenario) -> Scenario:
    return read_record(Scenario, parse_yaml(dump_scenario(scenario).encode(), "written.yaml"), "written.yaml")


@settings(deadline=None)
@given(value=st.dictionaries(KEYS, SCALARS | st.lists(SCALARS) | st.dictionaries(KEYS, SCALARS), max_size=6))
def test_any_json_value_reads_back(value: dict[str, object]) -> None:
    assert parse_yaml(dump_yaml(value).encode(), "written.yaml") == value


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(
    number=st.integers(0, len(PACK.scenarios) - 1),
    text=TEXTS,
    fields=st.dictionaries(KEYS, SCALARS, max_size=5),
    result=TEXTS,
)
def test_a_scenario_with_any_text_reads_back(
    number: int, text: str, fields: dict[str, str | int | float | bool | None], result: str
) -> None:
    scenario = PACK.scenarios[number]
    evidence = Evidence(id="X-1", kind="log", source=text, text=text, fields=fields)
    action = Action.model_validate({**dict(scenario.core.actions[0]), "result": result, "effects": fields})
    core = scenario.core.model_copy(update={"evidence": (evidence,), "actions": (action,)})
    changed = scenario.model_copy(update={"core": core, "no_dilemma": text})
    again = _round_trip(changed)
    assert again == changed
    assert (again.core_id, again.scenario_id) == (
        Scenario(**dict(changed)).core_id,
        Scenario(**dict(changed)).scenario_id,
    )


def test_writing_is_a_fixed_point(tmp_path: Path) -> None:
    for scenario in PACK.scenarios:
        file = tmp_path / "one.yaml"
        write_scenario(scenario, file, PACK.canary)
        first = file.read_text(encoding="utf-8")
        assert load_scenario(file) == scenario
        write_scenario(load_scenario(file), file, PACK.canary)
        assert file.read_text(encoding="utf-8") == first


def test_the_text_is_for_people() -> None:
    for scenario in PACK.scenarios:
        lines = dump_scenario(scenario, (PACK.canary,)).splitlines()
        assert lines[:3] == [f"# {PACK.canary}", "format: 1", f"name: {scenario.name}"]
        assert max(map(len, lines)) <= 120
        heads = [line.split(":")[0] for line in lines if line[0].isalpha()]
        assert heads == ["format", "name", "title", "core", "factors", "no_dilemma", "probe"]
