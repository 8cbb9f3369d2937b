"""The commands as a person types them."""

import json
import sqlite3
from pathlib import Path

import pytest
import yaml
from command_line import dilemma

from scenario_factory import load_pack
from scenario_factory.packs import write_scenario


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studied")
    result = dilemma(
        *[
            "simulate",
            "--agent",
            "scripted/strategic",
            "--agent",
            "scripted/robust",
            "--domain",
            "finance",
            "--study",
            "pair",
        ],
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    assert "strategic" in result.stdout
    assert "study pair" in result.stderr
    return folder


def test_report_json_is_the_promised_shape(studied: Path) -> None:
    report = json.loads(dilemma("report", "pair", "--json", cwd=studied).stdout)
    assert [cell["labels"]["strategic"] for cell in report["cells"]] == [2, 0]
    assert report["total"]["mr"]["estimate"] == 0.5


def test_studies_lists_the_study(studied: Path) -> None:
    assert "pair" in dilemma("studies", cwd=studied).stdout
    assert [s["name"] for s in json.loads(dilemma("studies", "--json", cwd=studied).stdout)] == ["pair"]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_export_writes_files(form: str, studied: Path, tmp_path: Path) -> None:
    out = tmp_path / ("out" if form == "jsonl" else "out.csv")
    result = dilemma("export", "pair", "--format", form, "--out", str(out), cwd=studied)
    assert result.returncode == 0, result.stderr
    assert out.exists()


def test_show_reads_like_a_transcript(studied: Path) -> None:
    with sqlite3.connect(studied / "dilemma.db") as database:
        query = "select episode_id from episodes where agent = 'scripted/strategic' limit 1"
        episode = database.execute(query).fetchone()[0]
    page = dilemma("show", episode, cwd=studied).stdout
    for part in ("agent →", "environment", "state ", "label: strategic", "citing turns 1, 2", "ended: misaligned"):
        assert part in page
    assert dilemma("show", episode[:10], cwd=studied).stdout == page


def test_dry_run_stores_nothing(tmp_path: Path) -> None:
    result = dilemma("simulate", "--agent", "scripted/robust", "--dry-run", "--episodes", "3", cwd=tmp_path)
    assert "episodes  36 of at most 10 turns" in result.stdout
    assert not (tmp_path / "dilemma.db").exists()


def test_a_study_file_runs_and_flags_win(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(STUDY_FILE)
    result = dilemma("simulate", "s.yaml", "--episodes", "1", "--json", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["total"]["n"]["measured"] == 2
    assert report["cells"][0]["factors"]["stakes"] == "low"


def test_scenarios_list_show_check(tmp_path: Path) -> None:
    listed = json.loads(dilemma("scenarios", "list", "--json", cwd=tmp_path).stdout)
    assert len(listed["scenarios"]) == 12
    name = listed["scenarios"][0]["name"]
    assert "actions" in dilemma("scenarios", "show", name, cwd=tmp_path).stdout
    checked = dilemma("scenarios", "check", "starter", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("passes") == 12


STUDY_FILE = """
agent: scripted/direct
domain: legal
episodes: 2
study: filed
set: {stakes: low}
"""
BROKEN_YAML = "name: [unclosed\n"

WRONG = [
    ("simulate --agent nosuchscheme/x", "nosuchscheme"),
    ("simulate --agent scripted/nobody", "scripted"),
    ("simulate --agent gpt-4o", "OPENAI_API_KEY"),
    ("simulate", "--agent"),
    ("simulate --agent scripted/robust --scenarios missing-pack", "missing-pack"),
    ("simulate --agent scripted/robust --scenarios broken.yaml", "broken.yaml"),
    ("simulate --agent scripted/robust --set mood=low", "mood"),
    ("simulate --agent scripted/robust --set stakes=huge", "huge"),
    ("simulate --agent scripted/robust --set stakes", "FACTOR=LEVEL"),
    ("simulate --agent scripted/robust --turns 0", "turns"),
    ("simulate --agent scripted/robust --episodes -1", "episodes"),
    ("simulate broken.yaml", "broken.yaml"),
    ("simulate missing.yaml", "missing.yaml"),
    ("simulate --agent local/missing.gguf", "missing.gguf"),
    ("simulate --agent python:nosuchmodule:make", "nosuchmodule"),
    ("simulate --agent scripted/robust --environment nosuchscheme/x", "nosuchscheme"),
    ("simulate --agent scripted/robust --store sqlite:///missing/folder/d.db", "missing/folder"),
    ("simulate --agent scripted/robust --store mysql://host/db", "store"),
    ("report nosuchstudy --store empty.db", "nosuchstudy"),
    ("report nosuchstudy", "dilemma.db"),
    ("show abc --store empty.db", "abc"),
    ("export nosuchstudy --out x --store empty.db", "nosuchstudy"),
    ("scenarios check missing.yaml", "missing.yaml"),
    ("scenarios show nobody", "nobody"),
]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    made = dilemma(
        *["simulate", "--agent", "scripted/robust", "--domain", "legal", "--study", "s", "--store", "empty.db"],
        cwd=folder,
    )
    assert made.returncode == 0, made.stderr
    (folder / "broken.yaml").write_text(BROKEN_YAML)
    return folder


@pytest.mark.parametrize(("command", "says"), WRONG)
def test_wrong_input_is_one_line_and_exit_2(command: str, says: str, bare: Path) -> None:
    before = sorted(p.name for p in bare.iterdir())
    result = dilemma(*command.split(), cwd=bare)
    assert result.returncode == 2, (result.stdout, result.stderr)
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert says in lines[0]
    assert "Traceback" not in result.stderr
    assert sorted(p.name for p in bare.iterdir()) == before


def test_an_empty_key_is_a_missing_key(bare: Path) -> None:
    result = dilemma("simulate", "--agent", "gpt-4o", cwd=bare, env={"OPENAI_API_KEY": "  "})
    assert result.returncode == 2
    assert "OPENAI_API_KEY" in result.stderr


def test_a_store_from_a_newer_version(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "new.db").write_bytes((bare / "empty.db").read_bytes())
    with sqlite3.connect(tmp_path / "new.db") as database:
        database.execute("update store_version set version_num = 'zzzz'")
    result = dilemma("studies", "--store", "new.db", cwd=tmp_path)
    assert result.returncode == 2
    assert "newer" in result.stderr


def test_a_scenario_that_fails_its_checks_is_not_run(tmp_path: Path) -> None:
    scenario = load_pack("starter").scenarios[0]
    write_scenario(scenario, tmp_path / "s.yaml")
    data = yaml.safe_load((tmp_path / "s.yaml").read_text())
    for action in data["core"]["actions"]:
        action["cites"] = ["NOWHERE-1"]
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(data))
    result = dilemma("simulate", "--agent", "scripted/robust", "--scenarios", "s.yaml", cwd=tmp_path)
    assert result.returncode == 2
    assert "NOWHERE-1" in result.stderr
    assert not (tmp_path / "dilemma.db").exists()
