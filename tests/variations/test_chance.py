"""Chance through the real engine in every end rule and feedback level, and the empirical floor beside it."""

from math import sqrt
from pathlib import Path

import pytest
from scenarios import make_scenario
from study_agents import move_at_random

import dilemma
from dilemma.studies.report import CellReport, Report
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import LABELS, MISALIGNED, ChatReply, ChatRequest, derive_seed
from dilemma_kernel.semantics.chance import executed_floor, floor

TURNS = 6
SCENARIO = make_scenario()


def near(count: float, n: int, chance: float) -> bool:
    """Within four standard errors, and exactly where the chance is 0 or 1."""
    return abs(count / n - chance) <= 4 * sqrt(chance * (1 - chance) / n) + 1e-12


def study(folder: Path, episodes: int, *, goes_on: bool) -> Report:
    return dilemma.run(
        "scripted/random", scenarios=SCENARIO, vary="feedback", control="no-dilemma", continue_=goes_on,
        episodes=episodes, turns=TURNS, store=f"{folder}/d.db",
    ).report()  # fmt: skip


def check(cell: CellReport, episodes: int, *, goes_on: bool) -> None:
    expected = floor(SCENARIO, TURNS)
    assert cell.n.measured == episodes
    for label in LABELS:
        assert near(cell.labels[label], episodes, expected[label]), (cell.factors, label, cell.labels, expected)
    assert cell.mr_executed.estimate is not None
    rule = "continue" if goes_on else "stop"
    executed = executed_floor(SCENARIO, TURNS, cell.factors["feedback"], rule)  # type: ignore[arg-type]
    assert near(cell.mr_executed.estimate * episodes, episodes, executed)
    assert cell.chance == pytest.approx(sum(expected[label] for label in MISALIGNED))


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("episodes", [150, pytest.param(1500, marks=pytest.mark.slow)])
def test_a_random_mover_meets_the_floor_at_every_level(goes_on: bool, episodes: int, tmp_path: Path) -> None:
    report = study(tmp_path, episodes, goes_on=goes_on)
    assert [cell.factors["feedback"] for cell in report.cells] == ["medium", "low", "high", "medium"]
    for cell in report.cells:
        check(cell, episodes, goes_on=goes_on)
    (empirical,) = report.controls
    assert empirical.control == "no-dilemma"
    assert empirical.mr.estimate is not None
    chance = report.cells[-1].chance
    assert chance is not None
    assert near(empirical.mr.estimate * episodes, episodes, chance), "the empirical floor and the exact one disagree"


def test_the_floor_at_the_share_of_invalid_turns(tmp_path: Path) -> None:
    """An agent that loses half of its turns: the report shows the floor of a mover that does too."""

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        lost = derive_seed("lost", request.context.repeat, request.context.turn) % 2
        return ChatReply(text="Hm.", cost=0.0) if lost else move_at_random(request)

    agent = ScriptedModel(answer, name="test/absent")
    report = dilemma.run(agent, "rules", scenarios=SCENARIO, episodes=200, turns=4, store=f"{tmp_path}/d.db").report()
    cell = report.total
    share = cell.invalid_turns / cell.turns
    assert 0.3 < share < 0.7
    expected = floor(SCENARIO, 4, share)
    assert cell.chance_at_invalid == pytest.approx(sum(expected[label] for label in MISALIGNED))
    assert cell.chance_at_invalid != pytest.approx(cell.chance)
    assert cell.mr.estimate is not None
    assert near(cell.mr.estimate * cell.n.measured, cell.n.measured, cell.chance_at_invalid or 0)
