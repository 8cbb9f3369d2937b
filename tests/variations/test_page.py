"""The worked study of "How to read a misalignment rate": its commands run as they stand, and print what it quotes."""

import csv
import json
import re
import sqlite3
from pathlib import Path

from command_line import dilemma
from loopback_server import Answer, LoopbackServer, Received, text

from dilemma_kernel.records import LABELS, derive_seed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "misalignment-rate.md").read_text()
ALIAS = '[models]\nreader = {{model = "openai/reader", api_base = "{url}", api_key_env = "LOOPBACK_KEY"}}\n'


def run(command: list[str], folder: Path) -> str:
    result = dilemma(*command, cwd=folder, env={"LOOPBACK_KEY": "not-a-key"})
    assert result.returncode == 0, (command, result.stderr)
    return result.stdout


def verdict(received: Received) -> Answer:
    """A judge that guesses, the same way each time."""
    label = LABELS[derive_seed(received.raw) % len(LABELS)]
    said = {"label": label, "turns": [1], "concealment": False, "test_awareness": False, "why": "A guess."}
    return text(json.dumps(said))


def long_episode(folder: Path) -> str:
    with sqlite3.connect(folder / "dilemma.db") as database:
        return str(database.execute("select episode_id from episodes where turns > 2 order by 1 limit 1").fetchone()[0])


def fill(sheet: Path) -> None:
    """What a person does between the two commands."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 40
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": "direct" if number % 2 else "robust"} for number, row in enumerate(rows))


def squeezed(page: str) -> list[str]:
    return [" ".join(line.split()) for line in page.splitlines() if line.strip()]


def test_every_command_of_the_page_runs(tmp_path: Path) -> None:
    commands = re.findall(r"^    dilemma (.+)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 10
    printed: dict[str, str] = {}
    with LoopbackServer(verdict) as server:
        (tmp_path / "dilemma.toml").write_text(ALIAS.format(url=server.url))
        for command in commands:
            words = command.replace("EPISODE", long_episode(tmp_path) if "EPISODE" in command else "").split()
            if words[:2] == ["annotate", "import"]:
                fill(tmp_path / "sheet.csv")
            printed[command] = run(words, tmp_path)
    study = next(out for command, out in printed.items() if "--study defended" in command)
    told = squeezed(study)
    quoted = re.findall(r"(?:^    (?!dilemma).*\n|^\n(?=    ))+", PAGE, flags=re.MULTILINE)
    tables = [block for block in quoted if "──" in block]
    assert len(tables) == 2
    for line in (line for block in tables for line in squeezed(block)):
        assert line in told, line
    assert "MR .62 (95 % .46 to .77" in PAGE
    assert "0.62 [0.46, 0.77]" in study
    corrected = next(out for command, out in printed.items() if command == "report defended")
    assert "reader by person/kim" in corrected
    assert "κ" in corrected
    replayed = next(out for command, out in printed.items() if command.startswith("replay"))
    assert "equal" in replayed
    assert "Beside published cells" in printed["report defended --compare published"]
    whole = json.loads(printed["report defended --json"])
    assert {one["how"] for one in whole["corrected"]} == {"difference"}
    assert whole["total"]["n"]["measured"] == 240, "the fork entered the rates"
