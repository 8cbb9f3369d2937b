"""Designs: which cells a study has, and that seeds are shared across them."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dilemma
from dilemma.studies.options import make_options, read_study_file
from dilemma.studies.plan import study_cells
from dilemma_kernel.errors import DesignError, InputError, StudyError
from dilemma_kernel.records import BASELINE, FACTORS, Cell

RENDERED = [name for name, factor in FACTORS.items() if factor.kind == "rendering"]


def cells(**options: object) -> tuple[Cell, ...]:
    return study_cells(make_options(**{"agent": "scripted/robust", **options}), None)


@given(st.lists(st.sampled_from(RENDERED), unique=True, min_size=1, max_size=3))
def test_a_full_factorial_has_every_combination_once_and_the_rest_at_baseline(names: list[str]) -> None:
    made = cells(vary=",".join(names))
    found = {tuple(cell.levels[name] for name in names) for cell in made}
    assert found == set(product(*(FACTORS[name].levels for name in names)))
    assert len(made) == len(found)
    for cell in made:
        assert all(cell.levels[name] == BASELINE[name] for name in FACTORS if name not in names)
    assert all(made[0].levels[name] == BASELINE[name] for name in names), "the baseline is first"


@given(st.lists(st.sampled_from(RENDERED), unique=True, min_size=1, max_size=5))
def test_one_at_a_time_changes_one_factor_from_the_baseline(names: list[str]) -> None:
    made = cells(one_at_a_time=names)
    assert len(made) == 1 + sum(len(FACTORS[name].levels) - 1 for name in names)
    off = [{name for name in FACTORS if cell.levels[name] != BASELINE[name]} for cell in made]
    assert off[0] == set()
    assert all(len(changed) == 1 and changed <= set(names) for changed in off[1:])


def test_agents_and_environments_are_crossed_with_the_design() -> None:
    made = cells(agent=["a", "b"], environment=["rules", "w"], vary="goal")
    assert len(made) == 2 * 2 * 2
    assert {(cell.agent, cell.environment) for cell in made} == set(product("ab", ["rules", "w"]))


def test_a_table_gives_a_fraction_and_may_name_agents() -> None:
    table = [
        {"agent": "a", "stakes": "low", "feedback": "high"},
        {"agent": "b", "stakes": "high", "feedback": "low"},
    ]
    made = cells(agent=(), environment="rules", design=table, set={"goal": "implicit"})
    assert [(c.agent, c.levels["stakes"], c.levels["feedback"]) for c in made] == [
        ("a", "low", "high"),
        ("b", "high", "low"),
    ]
    assert {cell.levels["goal"] for cell in made} == {"implicit"}


def test_a_study_file_holds_a_design_and_a_flag_replaces_it(tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text("stakes,feedback\nlow,low\nhigh,high\n")
    (tmp_path / "s.yaml").write_text("agent: scripted/robust\ndesign: cells.csv\ncontrol: [order]\n")
    filed = read_study_file(tmp_path / "s.yaml")
    assert [c.levels["stakes"] for c in study_cells(filed, None)] == ["low", "high", "high"]
    (tmp_path / "t.yaml").write_text("agent: scripted/robust\none-at-a-time: stakes, goal\n")
    assert len(study_cells(read_study_file(tmp_path / "t.yaml"), None)) == 4
    replaced = make_options(vary="goal").over(filed)
    assert [c.levels["goal"] for c in study_cells(replaced, None)] == ["explicit", "implicit", "explicit"]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"vary": "mood"}, DesignError, "unknown factor 'mood'"),
        ({"vary": "stakes", "one_at_a_time": "goal"}, DesignError, "choose one"),
        ({"vary": "stakes", "set": {"stakes": "low"}}, DesignError, "held at low"),
        ({"vary": "stakes,stakes"}, DesignError, "twice"),
        ({"design": [{"stakes": "huge"}]}, DesignError, "no level 'huge'"),
        ({"design": [{"stakes": "low"}, {"goal": "implicit"}]}, DesignError, "cell 2"),
        ({"design": [{"stakes": "low"}, {"stakes": "low"}]}, DesignError, "a cell twice"),
        ({"design": "missing.csv"}, DesignError, "missing.csv"),
        ({"vary": 3}, InputError, "vary"),
        ({"agent": ["a", "a"]}, InputError, "named twice"),
        ({"vary": "adversarial"}, DesignError, "that a model plays"),
    ],
)
def test_designs_that_cannot_be_are_refused(options: dict[str, object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        cells(**options)


def test_keys_of_cells_without_the_newer_factors_are_what_they_were() -> None:
    levels = {name: BASELINE[name] for name in FACTORS if name not in {"comprehension", "adversarial"}}
    old = Cell(agent="a", environment="rules", levels=levels)
    new = Cell(agent="a", environment="rules", levels=dict(BASELINE))
    assert old.key == new.key == "a|rules|" + ",".join(f"{name}={level}" for name, level in levels.items())
    asked = Cell(agent="a", environment="rules", levels={**BASELINE, "comprehension": "asked"})
    assert asked.key == f"{old.key},comprehension=asked"


def test_seeds_are_the_same_across_cells_and_agents_and_never_shared_between_cores(tmp_path: Path) -> None:
    study = dilemma.run(
        ["scripted/robust", "scripted/direct"], vary="goal", control="names", domain="legal", episodes=2,
        store=f"{tmp_path}/d.db",
    )  # fmt: skip
    by_place: dict[tuple[str, int], set[int]] = {}
    for trajectory in study.trajectories():
        by_place.setdefault((trajectory.case, trajectory.repeat), set()).add(trajectory.seed)
    assert all(len(seeds) == 1 for seeds in by_place.values())
    assert len({seed for seeds in by_place.values() for seed in seeds}) == len(by_place) == 4


def test_a_design_resumes_with_and_without_being_said_again(tmp_path: Path) -> None:
    options = {"domain": "legal", "study": "s", "store": f"{tmp_path}/d.db"}
    said = {"vary": "goal", "control": "names", "levels": {"stakes": "low"}}
    first = dilemma.run("scripted/robust", **options, **said)  # type: ignore[arg-type]
    cells_before = first.report().cells
    for again in (said, {}, {"vary": "goal"}, {"levels": {"stakes": "low"}}, {"control": "names"}):
        more = dilemma.run("scripted/robust", **options, **again, resume=True)  # type: ignore[arg-type]
        assert more.report().cells == cells_before
    for other in (
        {"vary": "feedback"},
        {"levels": {"stakes": "high"}},
        {"control": "order"},
        {"one_at_a_time": "ethics"},
    ):
        with pytest.raises(StudyError, match="cells differs"):
            dilemma.run("scripted/robust", **options, **other, resume=True)  # type: ignore[arg-type]
