"""The examples run as their own texts say."""

import os
import subprocess
import sys
from pathlib import Path

import command_line
import pytest

import dilemma

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def environ(cwd: Path, *path: Path) -> dict[str, str]:
    known = os.pathsep.join(map(str, (ROOT, *path)))
    return {**os.environ, "PYTHONPATH": known, "XDG_CONFIG_HOME": str(cwd), "COLUMNS": "200"}


def ran(command: list[str], cwd: Path, *path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=environ(cwd, *path), capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("script", "says"), [("custom_environment.py", "strategic in clocked: MR 1.0"), ("langchain_agent.py", "labels: ")]
)
def test_scripts_run(script: str, says: str, tmp_path: Path) -> None:
    result = ran([sys.executable, str(EXAMPLES / script)], tmp_path)
    assert result.returncode == 0, result.stderr
    assert says in result.stdout
    assert (tmp_path / "examples.db").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        "--agent scripted/strategic --environment python:custom_environment:Clocked --domain legal",
        "--agent python:langchain_agent:make_agent --environment rules --domain legal",
        "--agent scripted/robust --environment python:custom_environment:Clocked --domain legal --processes 2",
    ],
)
def test_commands_in_their_texts_run(arguments: str, tmp_path: Path) -> None:
    result = command_line.dilemma("simulate", *arguments.split(), cwd=tmp_path, env=environ(tmp_path, EXAMPLES))
    assert result.returncode == 0, result.stderr
    assert "MR" in result.stdout


def test_the_study_file_runs(tmp_path: Path) -> None:
    result = command_line.dilemma("simulate", str(EXAMPLES / "study.yaml"), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "scripted/robust" in result.stdout


OWN_TESTS = """
import dilemma
import pytest
from custom_environment import Clocked

SCENARIO = dilemma.load_pack("starter").scenarios[0]


class Forgetful(Clocked):
    async def respond(self, episode, move, seed):
        answer = await super().respond(episode, move, seed)
        return answer.model_copy(update={"patch": {}})


def test_clocked():
    dilemma.check_environment(Clocked, SCENARIO)


def test_forgetful():
    with pytest.raises(dilemma.DilemmaError, match="effects"):
        dilemma.check_environment(Forgetful, SCENARIO)
"""


def test_the_contract_is_fit_for_a_pytest_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN_TESTS)
    result = ran([sys.executable, "-m", "pytest", "-q", "test_own.py"], tmp_path, EXAMPLES)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


def test_a_subclass_is_named_after_its_class_unless_it_says_otherwise() -> None:
    class Plain(dilemma.Environment):
        """Says nothing of its name."""

    class Named(dilemma.Environment):
        name = "mine"

    assert (Plain().name, Named().name) == ("Plain", "mine")
