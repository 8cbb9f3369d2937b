"""The commands: what they print, what they write, how they end."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dilemma.cli.app import app
from dilemma.studies.transfer.models import Models
from dilemma_kernel.errors import InputError, ScenarioError
from dilemma_kernel.models.config import ModelConfig, ModelEntry
from refusal_transfer import SHIPPED, load_suite

EXAMPLE = Path(__file__).parents[2] / "examples" / "transfer-suite"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path


def invoke(words: str) -> str:
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.stdout


def test_the_shipped_suite_checks_and_counts() -> None:
    found = json.loads(invoke("transfer suite check --json"))
    assert found["findings"] == []
    assert found["counts"]["prompts"] == 2304
    assert found["counts"]["user_texts"] == 768
    assert found["hash"] == load_suite().hash
    assert all(0.4 <= auc <= 0.6 for auc in found["surface_auc"].values())


def test_an_edited_suite_is_exported_checked_and_found_wanting(folder: Path) -> None:
    invoke("transfer suite export --out mine")
    assert json.loads(invoke("transfer suite check mine --json"))["hash"] == load_suite(SHIPPED).hash
    path = folder / "mine" / "finance" / "systems.yaml"
    path.write_text(path.read_text().replace("neutral:", "gentle:"))
    result = CliRunner().invoke(app, ["transfer", "suite", "check", "mine"])
    assert result.exit_code == 2
    assert "expected a system text" in result.stdout
    again = CliRunner().invoke(app, ["transfer", "suite", "export", "--out", "mine"])
    assert isinstance(again.exception, InputError)


def test_an_intent_is_shown_in_every_rendering() -> None:
    printed = invoke("transfer suite show finance-direct-1-harmful")
    intent = next(one for one in load_suite().intents if one.id == "finance-direct-1-harmful")
    for wording in intent.wordings.values():
        assert all(wording.text(mode) in printed for mode in ("chat", "tool", "stress"))
    result = CliRunner().invoke(app, ["transfer", "suite", "show", "nothing"])
    assert isinstance(result.exception, ScenarioError)
    assert len(json.loads(invoke("transfer suite list --json"))) == 128


def test_a_run_of_ones_own_suite_from_end_to_end(folder: Path) -> None:
    run = f"transfer run --suite {EXAMPLE} --model scripted/transfer --arms all --study mine"
    printed = invoke(run)
    assert "Δ" in printed
    found = json.loads(invoke("transfer report mine --json --compare published --pictures pictures"))
    assert len(found["published"]["table"]) == 5
    assert {arm["replies"] for arm in found["arms"]} == {8}
    assert "Table 1 as published" in invoke("transfer report mine --compare published")
    assert (folder / "pictures" / "flow.svg").read_text().startswith("<svg")
    invoke(f"{run} --resume")
    assert "divergence" in invoke("report mine")
    invoke("export mine --format csv --out mine.csv")
    header, first = (folder / "mine.csv").read_text().splitlines()[:2]
    row = dict(zip(header.split(","), first.split(","), strict=True))
    assert row["instrument"] == "transfer"
    assert row["arm"] in {"chat", "tool", "stress", "tool_chatwording", "chat_toolwording"}
    assert row["refusal"] in {"refused", "answered"}
    assert row["invalid_turns"] == "0"
    shown = invoke(f"show {row['episode_id']}")
    assert "refusal: " in shown
    invoke(f"transfer judge mine --judge rules --suite {EXAMPLE}")
    other = CliRunner().invoke(app, ["transfer", "judge", "mine", "--judge", "rules"])
    assert "name its folder with --suite" in str(other.exception)


def test_wrong_words_are_named(folder: Path) -> None:
    for words, told in (
        ("transfer run", "no model"),
        ("transfer run --model scripted/transfer?refusal=2", "number from 0 to 1"),
        ("transfer run --model scripted/transfer?nothing=1", "none of"),
        ("transfer run --resume --model scripted/transfer", "--resume needs the study's name"),
        ("transfer run --resume --study nowhere --model scripted/transfer", ""),
        ("transfer run --budget 0 --model scripted/transfer", "budget must be more than 0"),
        ("transfer report nowhere", ""),
        ("transfer report nowhere --compare paper", "there is published"),
        ("transfer audit scripted/transfer", "only a template"),
    ):
        result = CliRunner().invoke(app, words.split())
        assert result.exit_code != 0
        assert told in str(result.exception)
    assert not (folder / "dilemma.db").exists()


def test_an_alias_of_a_model_in_process_keeps_its_width(folder: Path) -> None:
    models = Models(ModelConfig(models={"mine": ModelEntry(model="hf/smollm2")}), {})
    assert [models.width(name) for name in ("mine", "local/smollm2", "gpt-4o")] == [8, 1, 16]
