"""``generate``, ``domains`` and the pictures of ``scenarios``, as a person types them."""

import json
import subprocess
from pathlib import Path

import pytest
from command_line import dilemma


def typed(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return dilemma(*line.split(), cwd=cwd, env={"COLUMNS": "160"})


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    result = typed("generate --domain healthcare --count 6 --seed 1 --out p1 --json", folder)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["accepted"] == 6
    assert report["pack"] == "p1"
    return folder


def test_the_same_command_changes_nothing(generated: Path) -> None:
    before = files_of(generated / "p1")
    assert typed("generate --domain healthcare --count 6 --seed 1 --out p1", generated).returncode == 0
    assert files_of(generated / "p1") == before


def test_another_folder_gives_the_same_bytes_and_another_seed_others(generated: Path) -> None:
    for seed, out in ((1, "same"), (2, "other")):
        made = typed(f"generate --domain healthcare --count 6 --seed {seed} --out {out}", generated)
        assert made.returncode == 0, made.stderr
    scenarios = {name: text for name, text in files_of(generated / "p1").items() if name.endswith(".yaml")}
    again = {name: text for name, text in files_of(generated / "same").items() if name.endswith(".yaml")}
    assert again == scenarios
    assert not set(files_of(generated / "other")) & (set(scenarios) - {"manifest.yaml"})


def test_what_was_generated_passes_its_checks_and_runs(generated: Path) -> None:
    checked = dilemma("scenarios", "check", "p1", cwd=generated)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("passes") == 6
    ran = typed("simulate --scenarios p1 --agent scripted/random --study g --json", generated)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["total"]["n"]["measured"] == 6


def test_lineage_and_graph_of_a_generated_scenario(generated: Path) -> None:
    name = next(path.stem for path in sorted((generated / "p1").glob("*.yaml")) if path.stem != "manifest")
    page = dilemma("scenarios", "lineage", name, cwd=generated).stdout
    assert "## story, round 1" in page
    assert "-> accept" in page
    drawn = dilemma("scenarios", "graph", name, "--pack", "p1", "--out", "g.svg", cwd=generated)
    assert drawn.returncode == 0, drawn.stderr
    assert (generated / "g.svg").read_text().startswith("<svg")
    assert dilemma("scenarios", "lineage", name, "--out", "l.svg", cwd=generated).returncode == 0
    assert (generated / "l.svg").read_text().startswith("<svg")


def test_a_domain_of_ones_own(tmp_path: Path) -> None:
    listed = json.loads(dilemma("domains", "list", "--json", cwd=tmp_path).stdout)
    assert {d["domain"] for d in listed} == {"healthcare", "finance", "cybersecurity", "coding", "education", "legal"}
    assert dilemma("domains", "new", "shipping", cwd=tmp_path).returncode == 0
    assert dilemma("domains", "check", "shipping.yaml", cwd=tmp_path).returncode == 0
    made = dilemma("generate", "--domain", "shipping.yaml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "scenarios" / "shipping-0" / "manifest.yaml").exists()
    assert dilemma("domains", "new", "shipping", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("generate --domain astrology", "astrology"),
        ("generate --domain legal --count 0", "--count"),
        ("generate --domain legal --pressure greed", "greed"),
        ("generate --domain legal --out a --into b", "--into"),
        ("generate --domain legal --into missing", "missing"),
        ("generate --domain legal --preset best", "best"),
        ("generate --domain legal --writer nosuchscheme/x", "nosuchscheme"),
        ("scenarios lineage nobody --store s.db", "s.db"),
        ("domains show astrology", "astrology"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(command: str, says: str, tmp_path: Path) -> None:
    result = dilemma(*command.split(), cwd=tmp_path)
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert says in result.stderr
    assert not list(tmp_path.iterdir())
