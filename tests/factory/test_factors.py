"""Factors on the frozen core: one level changes that factor's words and the numbers it owns, and nothing else."""

import difflib

import pytest
from factory_support import DOMAINS, composed
from hypothesis import given, settings
from hypothesis import strategies as st

from dilemma_kernel.records import BASELINE, FACTORS, Scenario
from dilemma_kernel.semantics import agent_system, observation, opening, slot_values
from dilemma_kernel.semantics.render import evidence_text, factor_text
from dilemma_kernel.semantics.slots import written

RENDERED = [name for name, factor in FACTORS.items() if factor.kind == "rendering"]
SEEN = [name for name in RENDERED if name != "feedback"]
"""Factors whose words stand in the prompts. Feedback's meet an attempt, and decide whether it takes effect."""
scenarios = st.builds(
    lambda domain, number: composed(domain, 20).scenarios[number], st.sampled_from(DOMAINS), st.integers(0, 19)
)
levels = st.fixed_dictionaries({name: st.sampled_from(FACTORS[name].levels) for name in RENDERED})


@pytest.fixture(scope="module", autouse=True)
def _made() -> None:
    """What is drawn from is made before anything is drawn."""
    for domain in DOMAINS:
        composed(domain, 20)


def _prompt(scenario: Scenario, cell: dict[str, str]) -> str:
    met = "\n".join(observation(scenario, action, action.name, cell) for action in scenario.core.actions)
    return "\n\n".join((agent_system(scenario, cell), opening(scenario, cell), met))


def _changed(before: str, after: str) -> tuple[list[str], list[str]]:
    """Words that went and words that came."""
    old, new = before.split(), after.split()
    gone, come = [], []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += old[i:j]
            come += new[k:m]
    return gone, come


@settings(deadline=None, max_examples=60)
@given(scenarios, levels, st.sampled_from(SEEN), st.data())
def test_a_level_changes_its_own_words_and_numbers_alone(
    scenario: Scenario, cell: dict[str, str], factor: str, data: st.DataObject
) -> None:
    other = data.draw(st.sampled_from(FACTORS[factor].levels))
    before, after = {**BASELINE, **cell}, {**BASELINE, **cell, factor: other}
    held = [
        {
            *factor_text(scenario, factor, levels, {"action": "+"}).split(),
            *(str(value) for value in slot_values(scenario, levels).values()),
            *(written(value) for value in slot_values(scenario, levels).values()),
            *(action.name for action in scenario.core.actions),
            *(f"{action.name}," for action in scenario.core.actions),
            *(word for action in scenario.core.actions for word in action.result.split()),
        }
        for levels in (before, after)
    ]
    gone, come = _changed(_prompt(scenario, before), _prompt(scenario, after))
    assert set(gone) <= held[0]
    assert set(come) <= held[1]
    if before == after:
        assert (gone, come) == ([], [])


@settings(deadline=None, max_examples=60)
@given(scenarios, levels)
def test_feedback_is_met_by_a_minus_alone_and_refuses_at_its_height(scenario: Scenario, cell: dict[str, str]) -> None:
    full = {**BASELINE, **cell}
    for level in FACTORS["feedback"].levels:
        other = {**full, "feedback": level}
        assert (agent_system(scenario, other), opening(scenario, other)) == (
            agent_system(scenario, full),
            opening(scenario, full),
        )
    for action in scenario.core.actions:
        words = factor_text(scenario, "feedback", full, {"action": action.name})
        met = observation(scenario, action, action.name, full)
        if action.track == "aligned":
            assert met == action.result
        else:
            assert met.startswith(words)
            assert (action.result in met) == (cell["feedback"] != "high")


@settings(deadline=None, max_examples=60)
@given(scenarios, levels)
def test_stakes_alone_move_the_evidence(scenario: Scenario, cell: dict[str, str]) -> None:
    full = {**BASELINE, **cell}
    texts = [evidence_text(record, slot_values(scenario, full)) for record in scenario.core.evidence]
    for factor in RENDERED:
        for level in FACTORS[factor].levels:
            values = slot_values(scenario, {**full, factor: level})
            moved = [evidence_text(record, values) for record in scenario.core.evidence] != texts
            assert moved == (factor == "stakes" and level != full["stakes"])


@settings(deadline=None, max_examples=60)
@given(scenarios)
def test_stakes_grow_in_words_and_records_together(scenario: Scenario) -> None:
    held = [slot_values(scenario, {**BASELINE, "stakes": level}) for level in ("low", "medium", "high")]
    for name in held[0]:
        low, medium, high = (int(str(values[name])) for values in held)
        assert 0 < low < medium < high
        assert f"{{{name}}}" in scenario.factors["stakes"]["high"].text
        assert any(value == f"{{{name}}}" for record in scenario.core.evidence for value in record.fields.values())


@settings(deadline=None, max_examples=60)
@given(scenarios, levels, st.text(min_size=1, max_size=30).filter(str.strip))
def test_every_rendering_has_the_same_core(scenario: Scenario, cell: dict[str, str], words: str) -> None:
    """Mending one rendering, or a control, leaves ``core_id``; the core's own words do not."""
    factor = next(iter(cell))
    text = words.replace("{", "").replace("}", "") or "x"
    rendering = scenario.factors[factor][cell[factor]].model_copy(update={"text": text})
    mended = scenario.model_copy(
        update={
            "factors": {**scenario.factors, factor: {**scenario.factors[factor], cell[factor]: rendering}},
            "no_dilemma": f"{text}.",
        }
    )
    mended = Scenario.model_validate(mended.model_dump())
    assert mended.core_id == scenario.core_id
    assert (mended.scenario_id == scenario.scenario_id) == (mended.factors == scenario.factors)
    narrative = scenario.core.narrative.model_copy(update={"trigger": f"{text} {scenario.core.narrative.trigger}"})
    moved = scenario.core.model_copy(update={"narrative": narrative})
    assert Scenario.model_validate(scenario.model_dump() | {"core": moved.model_dump()}).core_id != scenario.core_id
