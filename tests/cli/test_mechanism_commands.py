"""``dilemma mechanism``: wrong input is one line and exit code 2, and leaves nothing behind."""

import json
from pathlib import Path

import pytest
from command_line import dilemma
from mechanism_organisms import organism
from typer.testing import CliRunner

from dilemma.cli.app import app
from dilemma_kernel.errors import InputError, StoreError

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")

from mechanism_reports import hand_report


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "no/such/folder/here"], "no model folder"),
        (["run", "MODEL", "--suite", "nowhere"], "nowhere"),
        (["run", "MODEL", "--tables", "2"], "there is no table 2"),
        (["run", "MODEL", "--sample", "999"], "between 1 and"),
        (["run", "MODEL", "--systems", "unheard-of"], "unheard-of"),
        (["run", "MODEL", "--study", "s", "--store", "sqlite:///none.db"], "none.db"),
        (["run", "MODEL", "--resume"], "no run to resume"),
        (["run", "MODEL", "--sample", "2"], "sample must be at least 3"),
        (["run", "MODEL", "--dtype", "foo"], "there is no dtype 'foo'; there are auto, float32"),
        (["sweep", "MODEL", "--coefficients", "much"], "'much' is no coefficient"),
        (["sweep", "MODEL", "--coefficients", "0x"], "no coefficient but 0"),
        (["report", "."], "holds no results"),
        (["report", ".", "--what", "sweep"], "holds no results of sweep"),
        (["report", ".", "--what", "all"], "there are run, directions, sweep"),
    ],
)
def test_wrong_input(arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = [str(organism("override")) if word == "MODEL" else word for word in arguments]
    error = CliRunner().invoke(app, ["mechanism", *given]).exception
    assert isinstance(error, InputError | StoreError)
    assert words in str(error)
    assert "\n" not in str(error)
    assert not list(tmp_path.iterdir())


def test_wrong_input_ends_with_two_and_one_line(tmp_path: Path) -> None:
    result = dilemma("mechanism", "report", ".", cwd=tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


def test_each_of_a_folders_results_can_be_reported(tmp_path: Path) -> None:
    for what, name in (("run", "results"), ("sweep", "sweep")):
        (tmp_path / f"{name}.json").write_text(hand_report(model=f"hf/{what}").model_dump_json(), encoding="utf-8")
    for said, shown in (([], "hf/run"), (["--what", "run"], "hf/run"), (["--what", "sweep"], "hf/sweep")):
        result = CliRunner().invoke(app, ["mechanism", "report", str(tmp_path), *said, "--json"])
        assert json.loads(result.stdout)["model"] == shown
    CliRunner().invoke(app, ["mechanism", "report", str(tmp_path), "--what", "sweep", "--html"])
    assert [path.name for path in tmp_path.glob("*.html")] == ["report-sweep.html"]


def test_results_of_an_older_form_are_to_be_made_anew(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text('{"model": "hf/old"}', encoding="utf-8")
    error = CliRunner().invoke(app, ["mechanism", "report", str(tmp_path)]).exception
    assert "is broken or of an older form: make it anew with mechanism" in str(error)
    assert "\n" not in str(error)
