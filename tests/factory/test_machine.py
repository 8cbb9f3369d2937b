"""The machine checks by stage: each fault is found where its text can still be mended; together they are all checks."""

import ast
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from factory_support import brief_of, composed, good_parts
from pydantic import ValidationError

from dilemma_kernel.semantics import checks
from scenario_factory import machine
from scenario_factory.drafts import DRAFTS, STAGES, Parts, Rule, Stage
from scenario_factory.machine import MAX_FINDINGS, assembled, machine_findings

Data = dict[str, Any]


def _called(module: Any) -> set[str]:
    tree = ast.parse(inspect.getsource(module))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return {name for name in called if name.startswith("check_")}


def test_the_stages_run_every_check_there_is() -> None:
    assert _called(machine) == _called(checks)


def test_sound_parts_pass_stage_by_stage() -> None:
    parts, so_far = good_parts(), Parts()
    for stage in STAGES:
        draft = parts.part(stage)
        assert draft is not None
        so_far = so_far.with_part(stage, draft)
        assert machine_findings(stage, so_far, brief_of()) == ()


def _action(data: Data, role: str) -> Data:
    return next(a for a in data["actions"] if a["role"] == role)


def _change(path: str, value: Any) -> Callable[[Data], None]:
    def change(data: Data) -> None:
        *way, last = path.split(".")
        place: Any = data
        for part in way:
            place = place[int(part) if part.isdigit() else part]
        place[int(last) if last.isdigit() else last] = value

    return change


def _uncited(data: Data) -> None:
    _action(data, "modifier")["cites"] = ["MET-1"]


def _tame(data: Data) -> None:
    _action(data, "modifier")["effects"] = dict.fromkeys(_action(data, "modifier")["effects"], 0.1)


def _outside(data: Data) -> None:
    _action(data, "registrar")["effects"] = {"weather": "fine"}


def _rule_of_nothing(data: Data) -> None:
    next(item for item in data["evidence"] if item["kind"] == "clause")["rule"]["variable"] = "weather"


def _rule_broken(data: Data) -> None:
    clause = [item for item in data["evidence"] if item["kind"] == "clause"][1]
    clause["rule"] |= {"relation": "not", "value": data["variables"][1]["start"]}


FAULTS: list[tuple[Stage, Callable[[Data], None], str]] = [
    ("story", _change("narrative.trigger", " "), "is empty"),
    ("story", _change("narrative.conflict", "A dilemma, this."), "names the instrument"),
    ("story", _change("clock.deadline", "tomorrow"), "ISO 8601"),
    ("story", _change("clock.deadline", "2020-01-01T00:00+00:00"), "after clock.now"),
    ("story", _change("stakes.low.values", {}), "same slots"),
    ("story", _change("narrative.trigger", "Up to {count} of them by 17:00."), "no factor level gives the slot"),
    ("story", _change("stakes.high.text", "All of {affected}, and {."), "a single '{'"),
    ("evidence", _change("evidence.0.id", "LOG 1"), "has blanks"),
    ("evidence", _change("evidence.0.at", None), "has a moment"),
    ("evidence", _change("evidence.0.text", "This was illegal."), "legal verdict"),
    ("evidence", _change("evidence.0.text", "See {weather}."), "no factor owns"),
    ("evidence", _change("variables.0.start", "upside down"), "starts do not fit"),
    ("evidence", _rule_of_nothing, "which is no variable"),
    ("evidence", _rule_broken, "does not hold at the beginning"),
    ("actions", _change("actions.0.name", "two words"), "no tool name"),
    ("actions", _change("actions.0.description", "The inhibitor at work."), "names a role"),
    ("actions", _uncited, "no record's id"),
    ("actions", _tame, "breach none"),
    ("actions", _outside, "no variable of the state"),
    ("actions", _change("outcomes.aligned", {}), "is empty"),
    ("compile", _change("goal.implicit", ""), "expected words"),
    ("compile", _change("feedback.low", "The misaligned act is stored."), "names a track"),
    ("compile", _change("feedback.low", "See LOG-1: {action}."), "looks like a record's id"),
    ("compile", _change("accountability.user", "Since Monday 3 June 2025."), "is a Tuesday"),
    ("compile", _change("no_dilemma", ""), "is empty"),
    ("compile", _change("probe.choices", ["a", "a", "b", "c"]), "not all different"),
]


@pytest.mark.parametrize(("stage", "fault", "says"), FAULTS, ids=[f"{s}-{t}" for s, _, t in FAULTS])
def test_a_fault_is_found_at_its_own_stage(stage: Stage, fault: Callable[[Data], None], says: str) -> None:
    parts = good_parts()
    draft = parts.part(stage)
    assert draft is not None
    data = draft.model_dump(mode="json")
    fault(data)
    changed = parts.model_copy(update={stage: DRAFTS[stage].model_validate(data)})
    changed = changed.model_copy(update=dict.fromkeys(STAGES[STAGES.index(stage) + 1 :]))
    found = machine_findings(stage, changed, brief_of())
    assert any(says in finding for finding in found), found


@pytest.mark.parametrize(
    ("stage", "path", "value"),
    [
        ("evidence", "evidence.0.rule", {"variable": "x", "relation": "equals", "value": 1}),
        ("evidence", "variables", [{"name": f"v{n}", "start": 1} for n in range(13)]),
        ("evidence", "variables.0.name", "Two Words"),
        ("actions", "actions", []),
        ("actions", "actions.0.track", "grey"),
        ("compile", "probe.answer", 9),
        ("compile", "goal", {"implicit": "x"}),
    ],
)
def test_what_the_records_refuse_never_becomes_a_draft(stage: Stage, path: str, value: Any) -> None:
    draft = good_parts().part(stage)
    assert draft is not None
    data = draft.model_dump(mode="json")
    _change(path, value)(data)
    with pytest.raises(ValidationError):
        DRAFTS[stage].model_validate(data)


@pytest.mark.parametrize("value", ["much", True, None])
def test_bounds_of_rules_are_numbers(value: Any) -> None:
    with pytest.raises(ValidationError, match="needs a number"):
        Rule(variable="x", relation="at_most", value=value)


def test_findings_are_bounded_and_a_missing_text_is_one() -> None:
    parts = good_parts()
    story = json.loads(parts.model_dump_json())["story"]
    story["narrative"]["capabilities"] = [f"aligned {number}" for number in range(100)]
    found = machine_findings("story", Parts(story=DRAFTS["story"].model_validate(story)), brief_of())  # type: ignore[arg-type]
    assert len(found) == MAX_FINDINGS
    assert machine_findings("story", Parts(), brief_of()) == ("the text is missing or longer than 60,000 characters",)


def test_parts_become_the_scenario_of_their_family() -> None:
    scenario = assembled(good_parts(), brief_of())
    assert scenario.family == brief_of().family
    assert scenario.name.startswith("pump-library-vendor-patch-")
    assert checks.check_scenario(scenario) == ()
    assert composed("healthcare", 20).scenarios[0].core_id != scenario.core_id
