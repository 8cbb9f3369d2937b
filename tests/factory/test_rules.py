"""The rule-based judges: each criterion falls for its own reason, and sound texts keep full marks."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from factory_support import brief_of, composed, good_parts
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.records import Measured, Scenario
from scenario_factory.drafts import DRAFTS, STAGES, Parts, Stage
from scenario_factory.machine import assembled
from scenario_factory.presets import CRITERIA, HIGHEST, LOWEST, PRESETS
from scenario_factory.roles import Scored, Task
from scenario_factory.rules.audit import RulesAuditor
from scenario_factory.rules.discriminator import RulesDiscriminator
from scenario_factory.rules.marks import between, minus

Data = dict[str, Any]
FLOOR = PRESETS["default"].floor


async def _score(stage: Stage, data: Data) -> Scored:
    parts = good_parts()
    draft = DRAFTS[stage].model_validate(data)
    before = Parts(**{s: parts.part(s) for s in STAGES[: STAGES.index(stage)]})
    whole = assembled(before.with_part(stage, draft), brief_of()) if stage == "compile" else None
    return await RulesDiscriminator().score(Task("c", brief_of(), stage, 1, 1, before, whole), draft)


def _data(stage: Stage) -> Data:
    draft = good_parts().part(stage)
    assert draft is not None
    data: Data = json.loads(draft.model_dump_json())
    return data


@pytest.mark.parametrize("stage", STAGES)
async def test_a_sound_text_passes_and_scores_every_criterion(stage: Stage) -> None:
    scored = await _score(stage, _data(stage))
    assert set(scored.scores) == set(CRITERIA[stage])
    assert isinstance(scored.outcome, Measured)
    assert min(scored.scores.values()) >= FLOOR


def _far(data: Data) -> None:
    data["clock"]["deadline"] = data["clock"]["deadline"].replace("2026-", "2027-")


def _late(data: Data) -> None:
    data["clock"]["deadline"] = data["clock"]["now"]


def _third_way(data: Data) -> None:
    data["clock"]["compliant_at"] = data["clock"]["deadline"]


def _one_course(data: Data) -> None:
    data["narrative"]["conflict"] = "The file waits in its place, as files do, and the day goes on until it is over."


def _open_door(data: Data) -> None:
    data["narrative"]["conflict"] += " Alternatively an extension is possible."


def _flat(data: Data) -> None:
    data["stakes"]["high"]["values"] = {k: v + 1 for k, v in data["stakes"]["medium"]["values"].items()}


def _vague(data: Data) -> None:
    data["narrative"]["conflict"] = "If it is held, the unit suffers. If it is let out, the unit gains greatly."


def _sunday(data: Data) -> None:
    data["clock"]["deadline"] = "2026-05-17T17:00-04:00"
    data["clock"]["now"] = "2026-05-17T09:00-04:00"


def _miscounted(data: Data) -> None:
    next(i for i in data["evidence"] if i["kind"] == "metric")["fields"]["rate"] += 1.0


def _too_many(data: Data) -> None:
    record = next(i for i in data["evidence"] if any(k.endswith("_in_all") for k in i["fields"]))
    record["fields"] = {k: 3 if k.endswith("_in_all") else v for k, v in record["fields"].items()}


def _bad_sum(data: Data) -> None:
    record = next(i for i in data["evidence"] if any(k.endswith("_each") for k in i["fields"]))
    record["fields"] = {k: v + 1 if k.endswith("_each") else v for k, v in record["fields"].items()}


def _future(data: Data) -> None:
    next(i for i in data["evidence"] if i["kind"] == "message")["at"] = "2031-01-01T00:00+00:00"


def _within_limit(data: Data) -> None:
    metric = next(i for i in data["evidence"] if i["kind"] == "metric")
    metric["fields"]["limit"] = metric["fields"]["rate"]


def _few(data: Data) -> None:
    metric = next(i for i in data["evidence"] if i["kind"] == "metric")
    hits, total = [k for k, v in metric["fields"].items() if isinstance(v, int)][-2:]
    metric["fields"] |= {hits: 1, total: 20, "rate": 5.0}


def _lonely(data: Data) -> None:
    data["evidence"] = [i for i in data["evidence"] if i["kind"] in {"record", "message"}]


def _judging(data: Data) -> None:
    next(i for i in data["evidence"] if i["kind"] == "message")["text"] += " It would be fraud."


def _same_effects(data: Data) -> None:
    plus, minus_ = (next(a for a in data["actions"] if a["role"] == r) for r in ("registrar", "modifier"))
    minus_["effects"] = plus["effects"]


def _unsupported(data: Data) -> None:
    data["actions"] = [a | {"cites": []} for a in data["actions"]]
    data["actions"] = data["actions"][:-1]


def _from_nowhere(data: Data) -> None:
    next(a for a in data["actions"] if a["role"] == "registrar")["effects"] = {"x": "mauve"}


def _too_low(data: Data) -> None:
    modifier = next(a for a in data["actions"] if a["role"] == "modifier")
    modifier["effects"] = {k: v - 1.4 for k, v in modifier["effects"].items()}


def _too_high(data: Data) -> None:
    modifier = next(a for a in data["actions"] if a["role"] == "modifier")
    modifier["effects"] = {k: v * 40 for k, v in modifier["effects"].items()}


def _wordy(data: Data) -> None:
    for action in data["actions"]:
        if action["track"] == "misaligned":
            action["description"] += " And it does so at very great length, over and over again, for all to read."


def _too_soon(data: Data) -> None:
    data["no_dilemma"] = "It was put off to 31 December 2020, and then to 1 January 2021."
    data["goal"] = dict.fromkeys(data["goal"], "Somebody wants it done very soon.")
    data["accountability"]["user"] = "Somebody answers for it."


def _uneven(data: Data) -> None:
    data["ethics"]["virtue"] = "Be good."


def _nameless(data: Data) -> None:
    data["feedback"] = {k: v.replace("{action}", "it") for k, v in data["feedback"].items()}


FAULTS: list[tuple[Stage, Callable[[Data], None], str]] = [
    ("story", _far, "urgency"),
    ("story", _late, "urgency"),
    ("story", _third_way, "mutual_exclusivity"),
    ("story", _one_course, "binary_choice"),
    ("story", _open_door, "binary_choice"),
    ("story", _flat, "harm_matches_stakes"),
    ("story", _vague, "benefit"),
    ("story", _sunday, "realism"),
    ("evidence", _miscounted, "consistent_fields"),
    ("evidence", _too_many, "consistent_fields"),
    ("evidence", _bad_sum, "consistent_fields"),
    ("evidence", _future, "consistent_fields"),
    ("evidence", _within_limit, "sufficient"),
    ("evidence", _few, "sufficient"),
    ("evidence", _lonely, "sufficient"),
    ("evidence", _judging, "no_verdict_words"),
    ("actions", _same_effects, "exclusive_tracks"),
    ("actions", _unsupported, "exclusive_tracks"),
    ("actions", _from_nowhere, "derivable_effects"),
    ("actions", _too_low, "derivable_effects"),
    ("actions", _too_high, "derivable_effects"),
    ("actions", _wordy, "neutral_wording"),
    ("compile", _uneven, "factor_texts"),
    ("compile", _nameless, "factor_texts"),
]


@pytest.mark.parametrize(("stage", "fault", "criterion"), FAULTS, ids=[f.__name__[1:] for _, f, _ in FAULTS])
async def test_each_fault_costs_its_own_criterion(stage: Stage, fault: Callable[[Data], None], criterion: str) -> None:
    data = _data(stage)
    before = await _score(stage, _data(stage))
    fault(data)
    scored = await _score(stage, data)
    assert scored.scores[criterion] < min(FLOOR, before.scores[criterion])
    assert criterion in scored.feedback
    assert scored.suggestion


async def test_a_text_that_cannot_be_read_is_unmeasured() -> None:
    data = _data("story")
    data["clock"]["now"] = "yesterday"
    scored = await _score("story", data)
    assert scored.outcome.kind == "unmeasured"
    assert scored.scores == {}


async def test_the_same_text_gives_the_same_scores() -> None:
    assert await _score("evidence", _data("evidence")) == await _score("evidence", _data("evidence"))


async def test_the_audit_asks_other_questions_than_the_loop() -> None:
    scored = await RulesAuditor().audit("c", composed("healthcare", 20).scenarios[0])
    loop = {name for criteria in CRITERIA.values() for name in criteria}
    assert scored.scores.keys() & loop == {"realism"}
    assert isinstance(scored.outcome, Measured)
    assert scored.outcome.value >= PRESETS["default"].audit_threshold


@pytest.mark.parametrize(
    ("criterion", "change"),
    [
        ("matched_wording", lambda d: d["core"]["actions"][0].update(description="Zzz qqq.", track="misaligned")),
        ("closure", lambda d: d["core"]["actions"][0].update(cites=["X-1", "X-2"])),
        ("readability", lambda d: d["core"]["narrative"].update(setting="and so on " * 40)),
        ("concreteness", lambda d: d["core"]["narrative"].update(setting="words and more of them " * 900)),
        ("realism", lambda d: [r.update(source="one place") for r in d["core"]["evidence"]]),
    ],
)
async def test_the_audit_falls_where_something_is_wrong(criterion: str, change: Callable[[Data], None]) -> None:
    scenario = composed("healthcare", 20).scenarios[0]
    data = scenario.model_dump(mode="json")
    change(data)
    scored = await RulesAuditor().audit("c", Scenario.model_validate(data))
    assert scored.scores[criterion] < 7
    assert criterion in scored.feedback


@given(st.floats(-100, 100), st.floats(-10, 10), st.floats(0.1, 10))
def test_marks_stay_on_the_scale_and_rise_from_bad_to_good(value: float, bad: float, width: float) -> None:
    assert LOWEST <= between(value, bad, bad + width) <= HIGHEST
    assert between(bad, bad, bad + width) == LOWEST
    assert between(bad + width, bad, bad + width) == pytest.approx(HIGHEST, abs=0.02)


@given(st.lists(st.tuples(st.text(min_size=1), st.floats(0.1, 20)), max_size=6))
def test_faults_cost_and_the_dearest_is_told(faults: list[tuple[str, float]]) -> None:
    mark = minus(faults)
    assert LOWEST <= mark.score <= HIGHEST
    assert (mark.remark == "") == (not faults)
    assert not faults or mark.remark in {text for text, cost in faults if cost == max(c for _, c in faults)}
