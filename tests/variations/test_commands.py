"""The commands of this area, as a person types them wrong; and the power of a design."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dilemma
from dilemma.cli.app import app
from dilemma_kernel.errors import DesignError, InputError, StudyError

WRONG = [
    ("simulate --agent scripted/robust --vary mood", DesignError, "unknown factor"),
    ("simulate --agent scripted/robust --vary stakes --one-at-a-time goal", DesignError, "choose one"),
    ("simulate --agent scripted/robust --control mood", DesignError, "unknown control"),
    ("simulate --agent scripted/robust --design missing.csv", DesignError, "missing.csv"),
    ("simulate --agent scripted/robust --assume mr=.5,icc=.2", DesignError, "--dry-run"),
    ("simulate --agent scripted/robust --dry-run --assume mr=.5", DesignError, "expected mr="),
    ("simulate --agent scripted/robust --dry-run --assume mr=2,icc=.1", DesignError, "between 0 and 1"),
    ("simulate --agent scripted/robust --dry-run --assume mr=.5,icc=.1 --from s", DesignError, "one place"),
    ("simulate --agent scripted/robust --dry-run --from nosuch --store d.db", StudyError, "nosuch"),
    ("report s --compare mine --store d.db", InputError, "published"),
    ("report s --sheet-from nosuch --store d.db", StudyError, "nosuch"),
    ("classify s --store d.db", InputError, "--judge"),
    ("classify nosuch --judge scripted/robust --store d.db", InputError, "scripted/robust"),
    ("annotate sheet s --n 0 --out x.csv --store d.db", InputError, "--n"),
    ("annotate import missing.csv --store d.db", InputError, "missing.csv"),
    ("replay ffffffffffff --store d.db", InputError, "ffff"),
    ("fork ffffffffffff --at-turn 1 --agent scripted/robust --store d.db", InputError, "ffff"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("commands")
    dilemma.run("scripted/random", domain=["legal", "coding"], vary="goal", episodes=3, study="s", store=f"{made}/d.db")
    return made


@pytest.mark.parametrize(("command", "error", "says"), WRONG)
def test_wrong_input_is_said_in_one_line(
    command: str, error: type[Exception], says: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, command.split())
    assert isinstance(result.exception, error), result.exception
    assert says in str(result.exception)
    assert "\n" not in str(result.exception)
    assert sorted(p.name for p in folder.iterdir() if not p.name.startswith("d.db")) == []


def test_the_power_of_a_design_and_of_its_controls(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    design = ["--vary", "goal", "--control", "order", "--episodes", "10"]
    base = ["simulate", "--agent", "scripted/robust", *design, "--dry-run", "--json"]
    told = json.loads(CliRunner().invoke(app, [*base, "--assume", "mr=.5,icc=.2,slope=.4"]).stdout)["power"]
    found = {(one["name"], round(one["effect"], 2)): one["power"] for one in [*told["effects"], *told["controls"]]}
    for name in ("goal: implicit − explicit", "order: fixed − shuffled"):
        powers = [found[name, size] for size in (0.05, 0.1, 0.15, 0.2)]
        assert powers == sorted(powers)
        assert powers[0] < 0.2 < 0.7 < powers[3]
    assert 12 < told["cores_needed"] < 100
    more = json.loads(CliRunner().invoke(app, [*base, "--from", "s", "--store", "d.db"]).stdout)["power"]
    assert more["source"] == "study s"
    assert 0 < more["assumptions"]["mr"] < 1
    page = CliRunner().invoke(app, [*base[:-1], "--assume", "mr=.5,icc=.2"]).stdout
    assert "What can this design find?" in page
    assert "cores for every effect of 0.10 at power 0.9" in page


def test_one_cell_has_no_effect_to_find(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    command = "simulate --agent scripted/robust --dry-run --assume mr=.5,icc=.2"
    assert "no effect to find" in CliRunner().invoke(app, command.split()).stdout
