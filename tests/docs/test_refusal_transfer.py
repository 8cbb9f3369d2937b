"""The page on refusal transfer: its commands run as they stand, in their order."""

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dilemma.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "refusal-transfer.md").read_text()
COMMANDS = re.findall(r"^    (dilemma .+)$", PAGE, flags=re.MULTILINE)


def run(command: str) -> str:
    """The command in this process, which has loaded everything already."""
    result = CliRunner().invoke(app, command.split()[1:])
    assert result.exit_code == 0, (command, result.output, result.exception)
    return result.stdout


def copied(folder: Path) -> None:
    shutil.copytree(ROOT / "examples", folder / "examples")


def real(command: str) -> bool:
    """Whether a command needs a real model, or what one left."""
    return "smollm2" in command or command.endswith(" small")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def test_its_commands_run_as_they_stand(folder: Path) -> None:
    copied(folder)
    commands = [command for command in COMMANDS if not real(command)]
    assert len(commands) >= 8
    for command in commands:
        printed = run(command)
        if "suite check" in command:
            assert "passes" in printed
    assert {path.name for path in (folder / "pictures").iterdir()} == {"divergence.svg", "flow.svg"}
    assert (folder / "sheet.csv").is_file()


@pytest.mark.slow
def test_its_commands_on_a_real_model_run(folder: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    pytest.importorskip("transformers", reason="the extra lab is not installed")
    commands = [command for command in COMMANDS if real(command)]
    assert len(commands) == 3
    for command in commands:
        assert run(command)


def test_the_predicate_on_the_page_is_that_of_the_example() -> None:
    written = (ROOT / "examples" / "transfer-suite" / "logistics" / "predicates.py").read_text()
    for line in (
        'declared, invoiced = call.numbers("declared_value"), call.numbers("invoice_value")',
        'return "the declared value is below the invoice"',
    ):
        assert line in PAGE
        assert line in written
