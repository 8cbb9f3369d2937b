"""The tutorial's commands run as they stand, in their order, and print what the page says."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

from command_line import dilemma

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()


def printed_by(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, (result.args, result.stderr)
    return result.stdout


def an_episode(folder: Path) -> str:
    with sqlite3.connect(folder / "dilemma.db") as database:
        return str(database.execute("select episode_id from episodes limit 1").fetchone()[0])


def squeezed(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def test_every_command_runs_and_prints_what_the_page_says(tmp_path: Path) -> None:
    commands = re.findall(r"^    (dilemma .+)$", PAGE, flags=re.MULTILINE)
    assert len(commands) >= 8
    for command in commands:
        words = command.replace("EPISODE", an_episode(tmp_path) if "EPISODE" in command else "").split()
        printed = printed_by(dilemma(*words[1:], cwd=tmp_path))
        if "--study known" in command:
            assert squeezed(printed) in squeezed(PAGE)
    assert (tmp_path / "known.csv").read_text().count("\n") == 1 + 48


def test_the_python_example_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n)+", PAGE, flags=re.MULTILINE)
    (code,) = [block for block in blocks if "import dilemma" in block]
    script = "\n".join(line[4:] for line in code.splitlines())
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    printed = printed_by(
        subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True)
    )
    assert "misaligned" in printed
