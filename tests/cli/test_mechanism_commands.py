"""``dilemma mechanism``: wrong input is one line and exit code 2, and leaves nothing behind."""

from pathlib import Path

import pytest
from command_line import dilemma
from mechanism_organisms import organism
from typer.testing import CliRunner

from dilemma.cli.app import app
from dilemma_kernel.errors import InputError, StoreError

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")


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
        (["sweep", "MODEL", "--coefficients", "much"], "'much' is no coefficient"),
        (["report", "."], "holds no results"),
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
