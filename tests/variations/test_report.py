"""What a report says of a design: effects, interactions, time, faults, published cells."""

import json
from pathlib import Path
from random import Random

import pytest
from envs_play import world
from study_agents import move_at_random, random_mover
from variation_agents import moved_by_stakes, several

import dilemma
from dilemma.cli.tables import print_report
from dilemma.studies.report import Report
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, derive_seed
from dilemma_kernel.statistics import published_cells

SCENARIOS = several(8)


@pytest.fixture(scope="module")
def factorial(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("factorial")
    return dilemma.run(
        moved_by_stakes(), "rules", scenarios=SCENARIOS, vary="stakes,goal", episodes=8, turns=2,
        store=f"{folder}/d.db",
    ).report(published=True)  # fmt: skip


def test_effects_are_found_where_they_are_and_not_elsewhere(factorial: Report) -> None:
    effects = {effect.name: effect for effect in factorial.effects}
    assert list(effects) == ["stakes: low − high", "stakes: medium − high", "goal: implicit − explicit"]
    low = effects["stakes: low − high"]
    assert low.estimate == pytest.approx(0.6, abs=0.15)
    assert low.p_adjusted is not None
    assert low.p_adjusted < 0.001
    assert low.clusters == 8
    assert effects["goal: implicit − explicit"].estimate == pytest.approx(0, abs=1e-9), (
        "the seeds of paired cells are the same"
    )
    assert len(factorial.interactions) == 2
    assert {effect.name for effect in factorial.gee_interactions} == {e.name for e in factorial.interactions}


def test_the_gee_stands_beside_and_says_where_it_cannot(factorial: Report) -> None:
    assert [effect.name for effect in factorial.gee] == [effect.name for effect in factorial.effects]
    assert all(effect.estimate is not None or effect.note.startswith("Unmeasured") for effect in factorial.gee)


def test_levels_are_pooled_over_the_cells_that_stand_at_each(factorial: Report) -> None:
    rows = {(one.factor, one.level): one for one in factorial.by_factor}
    assert rows["stakes", "low"].cells == 2
    assert rows["goal", "implicit"].cells == 3
    assert rows["stakes", "low"].mr.n == 2 * 8 * 8
    assert not any(one.note for one in factorial.by_factor)


def test_published_cells_lie_beside_ours(factorial: Report) -> None:
    assert {(one.factor, one.level) for one in factorial.comparison} == {
        ("stakes", level) for level in ("low", "medium", "high")
    }
    for one in factorial.comparison:
        theirs = next(c for c in published_cells() if (c.factor, c.level) == (one.factor, one.level))
        assert one.published.estimate == pytest.approx(theirs.mr_pct / 100, abs=5e-4)
        assert one.ours.estimate is not None
        assert one.difference == pytest.approx(one.ours.estimate - (one.published.estimate or 0))


def test_every_question_is_a_table_with_words_under_it(factorial: Report, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(factorial, as_json=False)
    page = capsys.readouterr().out
    for part in (
        "What is MR at each level?", "What does each level do?", "Does one factor change another's effect?",
        "Beside published cells", "95 % by t over 8 cores", "Holm: p corrected for 3 effects", "linearised by core",
        "logistic GEE", "An anchor and no target",
    ):  # fmt: skip
        assert part in page, part
    print_report(factorial, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(factorial.model_dump_json())
    assert {"study", "cells", "total", "effects", "interactions", "gee", "by_factor", "controls", "agreement"} <= set(
        told
    )


def test_one_at_a_time_has_no_interactions_and_compares_with_the_baseline(tmp_path: Path) -> None:
    report = dilemma.run(
        moved_by_stakes(1, 0), "rules", scenarios=SCENARIOS, one_at_a_time="stakes,goal", turns=2,
        store=f"{tmp_path}/d.db",
    ).report()  # fmt: skip
    assert report.interactions == ()
    effects = {effect.name: effect for effect in report.effects}
    assert effects["stakes: low − high"].estimate == pytest.approx(1)
    assert effects["stakes: low − high"].low is None, "no spread, no interval"
    rows = {(one.factor, one.level): one for one in report.by_factor}
    assert rows["goal", "implicit"].cells == rows["goal", "explicit"].cells == 1
    assert {cell.mr.method for cell in report.cells} == {
        "Wilson with n = 8, one for each core: every core has the same share"
    }


def test_a_fraction_whose_levels_are_confounded_is_unmeasured(tmp_path: Path) -> None:
    table = [{"stakes": "low", "goal": "implicit"}, {"stakes": "high", "goal": "explicit"}]
    report = dilemma.run(
        moved_by_stakes(), "rules", scenarios=SCENARIOS[:3], design=table, turns=2, store=f"{tmp_path}/d.db"
    ).report()
    assert all(effect.estimate is None for effect in report.effects)
    assert all("cannot tell it apart" in effect.note for effect in report.effects)
    assert all(one.note for one in report.by_factor)


def test_agents_and_worlds_are_factors_and_adversarial_is_a_level(tmp_path: Path) -> None:
    pressed: dict[str, set[bool]] = {}

    def play_world(request: ChatRequest) -> str:
        assert request.context is not None
        level = "on" if "adversarial=on" in request.context.cell else "off"
        pressed.setdefault(level, set()).add("Pressure level" in request.messages[-1].content)
        return world(request)

    report = dilemma.run(
        [random_mover("test/a"), random_mover("test/b")], ScriptedModel(play_world, name="test/world"),
        domain="legal", vary="adversarial", turns=4, store=f"{tmp_path}/d.db",
    ).report()  # fmt: skip
    assert [effect.name for effect in report.effects] == ["agent: test/b − test/a", "adversarial: on − off"]
    assert pressed == {"on": {True}, "off": {False}}


def test_faulty_cores_are_dropped_from_every_cell(tmp_path: Path) -> None:
    def flawed(request: ChatRequest) -> str:
        assert request.context is not None
        bad = request.context.repeat == 0 and "goal=implicit" in request.context.cell
        return "no JSON at all" if bad and "Signature" not in request.messages[0].content else world(request)

    report = dilemma.run(
        random_mover(), ScriptedModel(flawed, name="test/world"), domain=["legal", "coding"], vary="goal",
        episodes=2, turns=3, store=f"{tmp_path}/d.db",
    ).report()  # fmt: skip
    free = report.fault_free
    assert free is not None
    assert free.dropped == 4
    assert [rate.n for rate in free.rates] == [0, 0]
    assert report.total.faults > 0


def test_without_faults_there_is_nothing_to_leave_out(factorial: Report) -> None:
    assert factorial.fault_free is None


@pytest.mark.parametrize("goes_on", [False, True])
def test_incidence_counts_the_first_breach_and_never_passes_one(goes_on: bool, tmp_path: Path) -> None:
    report = dilemma.run(
        "scripted/random", scenarios=SCENARIOS, episodes=5, turns=5, continue_=goes_on, store=f"{tmp_path}/d.db"
    ).report()
    found = report.total.incidence
    assert found is not None
    last = {curve.cause: curve.points[-1].estimate or 0 for curve in found.curves}
    assert last["misaligned"] == pytest.approx(report.total.mr.estimate)
    for turn in range(len(found.at_risk)):
        assert sum(curve.points[turn].estimate or 0 for curve in found.curves) <= 1 + 1e-12
    assert last["crashed"] == last["declined"] == 0


def test_crashes_and_refusals_are_causes(tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        draw = Random(derive_seed(request.context.model_dump_json())).random()
        if draw < 0.2:
            raise ValueError("broken")
        return ChatReply(text="I will not do this.", cost=0.0) if draw < 0.6 else move_at_random(request)

    report = dilemma.run(
        ScriptedModel(answer, name="test/odd"), "rules", scenarios=SCENARIOS, episodes=6, turns=4,
        store=f"{tmp_path}/d.db",
    ).report()  # fmt: skip
    found = report.total.incidence
    assert found is not None
    last = {curve.cause: curve.points[-1].estimate or 0 for curve in found.curves}
    assert last["crashed"] > 0
    assert last["declined"] > 0
    assert sum(last.values()) <= 1 + 1e-12
