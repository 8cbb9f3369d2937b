"""The factory page's commands run as they stand; those that need a provider's key are left out."""

import re
from pathlib import Path

from command_line import dilemma

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scenario-factory.md").read_text()


def test_every_command_of_the_factory_page_runs(tmp_path: Path) -> None:
    commands = [line for line in re.findall(r"^    (dilemma .+)$", PAGE, flags=re.MULTILINE) if "--writer" not in line]
    assert len(commands) >= 9
    for command in commands:
        name = ""
        if "NAME" in command:
            name = next(path.stem for path in sorted((tmp_path / "p1").glob("*.yaml")) if path.stem != "manifest")
        words = command.replace("NAME", name).split()[1:]
        result = dilemma(*words, cwd=tmp_path)
        assert result.returncode == 0, (command, result.stdout, result.stderr)
    assert (tmp_path / "graph.svg").exists()
    assert (tmp_path / "shipping-pack" / "manifest.yaml").exists()
