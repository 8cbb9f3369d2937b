"""The commands of the page on the mechanism run as they stand, on the organisms that the tests hold."""

import re
import shutil
from pathlib import Path

import pytest
from command_line import dilemma
from mechanism_organisms import organism

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mechanism.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (dilemma .+)$", PAGE, flags=re.MULTILINE)


@pytest.mark.slow
def test_every_command_runs_and_the_pair_is_told_apart(tmp_path: Path) -> None:
    """What needs a model that is not ours is left out."""
    for kind in ("override", "mediated"):
        shutil.copytree(organism(kind), tmp_path / kind)
    said = {}
    for command in (line for line in COMMANDS if "hf/smollm2" not in line):
        result = dilemma(*command.split()[1:], cwd=tmp_path, timeout=1200)
        assert result.returncode == 0, (command, result.stderr[-2000:])
        said[command] = result.stdout
    first, second = (out for command, out in said.items() if " run " in command)
    assert "Prediction without mediation" in first
    assert "Mediation: the direction predicts unsafe calls" in second
    assert "Rule norm chose" in next(out for command, out in said.items() if " directions " in command)
    assert "Qwen3-14B" in next(out for command, out in said.items() if "--compare published" in command)
    page = (tmp_path / "mediated-run" / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "://" not in re.sub(r'xmlns(:\w+)?="http[^"]*"', "", page)


def test_every_picture_of_the_page_is_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", PAGE)
    assert len(pictures) >= 5
    assert all((ROOT / "docs" / name).is_file() for name in pictures)
