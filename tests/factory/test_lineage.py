"""Lineage and pictures: every attempt is kept, and can be looked at."""

import re
import xml.etree.ElementTree as ET

from factory_support import composed, good_parts, judge_script, scripted_team, through, writer_script
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.records import Attempt, Scenario
from scenario_factory.drafts import STAGES
from scenario_factory.drawing import MOST_STATES, action_svg, lineage_svg
from scenario_factory.lineage import MemoryLineage, lineage_lines
from scenario_factory.presets import PRESETS
from scenario_factory.svg import Picture, clean


def _rewritten() -> tuple[Attempt, ...]:
    """The attempts of an accepted candidate that had a rewrite."""
    attempts = composed("healthcare", 20).attempts
    for name in {a.candidate for a in attempts}:
        own = tuple(a for a in attempts if a.candidate == name)
        if own[-1].scenario and any(a.kind == "rewrite" and a.stage == "story" for a in own):
            return own
    raise AssertionError("no rewrite of a story")


async def test_attempts_are_found_by_name_by_id_and_by_candidate() -> None:
    store = MemoryLineage()
    await store.put(composed("healthcare", 20).attempts)
    own = _rewritten()
    last = own[-1]
    assert last.scenario is not None
    assert last.scenario_id is not None
    for key in (last.scenario, last.scenario_id, last.candidate):
        assert await store.attempts(key) == own
    assert await store.attempts("nobody") == ()


async def test_putting_twice_changes_nothing() -> None:
    store = MemoryLineage()
    await store.put(_rewritten())
    held = store.all()
    await store.put(_rewritten())
    assert store.all() == held


def test_every_round_is_kept_with_what_it_was_judged_by() -> None:
    made = composed("healthcare", 20)
    report = made.generation.report
    assert len({a.candidate for a in made.attempts}) == report.attempted
    assert sum(a.kind == "rewrite" for a in made.attempts) == report.rewrites
    rejected = {r.candidate: r for r in report.rejections}
    for name, rejection in rejected.items():
        last = [a for a in made.attempts if a.candidate == name][-1]
        assert (last.decision, last.stage, last.round) == ("reject", rejection.stage, rejection.rounds)
        assert last.scores == rejection.scores
        assert rejection.reasons
    names = {a.scenario for a in made.attempts if a.scenario}
    assert names == set(report.names) == {s.name for s in made.scenarios}


def test_an_attempt_survives_its_json() -> None:
    for attempt in _rewritten():
        assert Attempt.model_validate_json(attempt.model_dump_json()) == attempt


def test_the_rounds_read_as_a_diff() -> None:
    lines = lineage_lines(_rewritten())
    text = "\n".join(lines)
    assert next(line.split()[1].rstrip(",") for line in lines if line.startswith("## ")) == "story"
    assert "--- round 1" in text
    assert "+++ round 2" in text
    assert re.search(r"^-(?!--).+", text, re.MULTILINE)
    assert re.search(r"^\+(?!\+\+).+", text, re.MULTILINE)
    assert "feedback: " in text
    assert text.count("-> accept") == len(STAGES)


async def test_rounds_without_text_or_score_read_as_well() -> None:
    rules = PRESETS["default"]
    team, _, _ = scripted_team(rules, lambda request: "no JSON", judge_script(lambda stage, turn: 9))
    ended = await through(team, rules)
    assert "problem: it is not one JSON object" in "\n".join(lineage_lines(ended.attempts))
    team, _, _ = scripted_team(rules, writer_script(good_parts()), judge_script(lambda stage, turn: "nonsense"))
    ended = await through(team, rules)
    text = "\n".join(lineage_lines(ended.attempts))
    assert "unmeasured, unreadable scores" in text
    assert "(the same text)" in text
    assert "unmeasured" in lineage_svg(ended.attempts)


def test_the_graph_is_drawn_with_every_action_and_both_ends() -> None:
    scenario = composed("healthcare", 20).scenarios[0]
    picture = action_svg(scenario)
    assert picture == action_svg(scenario)
    root = ET.fromstring(picture)
    assert root.tag.endswith("svg")
    words = " ".join(element.text or "" for element in root.iter() if element.text)
    assert all(action.name in words for action in scenario.core.actions)
    assert "A+ end" in words
    assert "A− end" in words
    titles = {element.text for element in root.iter() if element.tag.endswith("title")}
    assert {f"A{'+' if a.track == 'aligned' else '−'} {a.name}" for a in scenario.core.actions} <= titles


def test_words_of_a_scenario_are_escaped_in_a_picture() -> None:
    scenario = composed("healthcare", 20).scenarios[0]
    hostile = "</text><script>alert(1)</script>\x1b[31m\u202e&"
    changed = Scenario.model_validate(scenario.model_dump() | {"title": hostile})
    picture = action_svg(changed)
    ET.fromstring(picture)
    assert "<script" not in picture
    assert "\x1b" not in picture
    assert "\u202e" not in picture


def test_a_large_graph_is_cut_and_says_so() -> None:
    scenario = composed("healthcare", 20).scenarios[0]
    data = scenario.model_dump(mode="json")
    for number in range(5):
        name = f"extra_{number}"
        data["core"]["state_schema"]["properties"][name] = {"type": "boolean"}
        data["core"]["state_schema"]["required"].append(name)
        data["core"]["initial_state"][name] = False
        template = next(a for a in data["core"]["actions"] if a["role"] == "registrar")
        data["core"]["actions"].append(template | {"key": name, "name": f"note_{name}", "effects": {name: True}})
    picture = action_svg(Scenario.model_validate(data))
    assert re.search(r"and \d+ states more", picture)
    assert picture.count("<rect") < MOST_STATES + 6


def test_rounds_are_drawn_stage_by_stage() -> None:
    own = _rewritten()
    root = ET.fromstring(lineage_svg(own))
    words = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert [w for w in words if w in STAGES] == list(STAGES)
    assert words.count("accept") == len(STAGES)
    ET.fromstring(lineage_svg(()))


@given(st.text(max_size=60))
def test_any_words_make_a_sound_picture(text: str) -> None:
    picture = Picture(text)
    picture.words(1, 2, text)
    picture.line((0, 0), (9, 9), "#000", title=text)
    ET.fromstring(picture.svg())
    assert "\n" not in clean(text)
