"""Exports: which episodes, what is taken out, the card, and that other tools find what the store has."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from inspect_peer import read_logs
from review_studies import JUDGE, STUDY, fill_small, trajectories
from typer.testing import CliRunner

from dilemma.cli.app import app
from dilemma.settings import known_secrets
from dilemma.studies.exporting import export_study, import_folder
from dilemma.studies.exporting.redacting import MARK, redactor
from dilemma.studies.study import open_study
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Scenario, Trajectory
from trajectories.spreadsheet import COLUMNS


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("export") / "d.db"
    asyncio.run(fill_small(path))
    return f"sqlite:///{path}"


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def head(card: Path) -> Any:
    return yaml.safe_load(card.read_text(encoding="utf-8").split("---\n")[1])


def invoke(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(
    ("only", "episodes"),
    [
        (["label=strategic,direct"], 6),
        (["label=strategic", "stakes=low"], 0),
        (["stakes=low", "label=robust"], 17),
        (["label=crashed"], 1),
        (["label=unmeasured"], 3),
        (["faults=yes"], 3),
        (["repeat=0,1", "scenario=cold-chain-1"], 4),
    ],
)
def test_only_takes_what_meets_every_condition(store: str, tmp_path: Path, only: list[str], episodes: int) -> None:
    if not episodes:
        with pytest.raises(InputError, match="nothing is left"):
            export_study(STUDY, store, "jsonl", tmp_path / "out", only=only)
        return
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", only=only)
    found = {line["episode_id"] for line in lines(out / "trajectories.jsonl")}
    assert len(found) == episodes
    assert {line["subject"] for line in lines(out / "judgements.jsonl")} == found
    assert (head(out / "README.md")["episodes"], head(out / "README.md")["of_episodes"]) == (episodes, 36)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--only", "label"], "write NAME=VALUE"),
        (["--only", "lable=robust"], "there is no 'lable'"),
        (["--redact", "("], "not a regular expression"),
        (["--redact", "x*"], "matches the empty text"),
        (["--format", "xlsx"], "unknown format 'xlsx'"),
    ],
)
def test_bad_input_is_one_line(store: str, words: list[str], says: str) -> None:
    result = invoke("export", STUDY, "--store", store, *words)
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)
    assert "\n" not in str(result.exception)


def test_patterns_are_taken_out_of_every_text(store: str, tmp_path: Path) -> None:
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", redact=["QV-[0-9]+", "(?i)good morning"])
    text = "".join(path.read_text("utf-8") for path in out.iterdir() if path.name != "README.md")
    assert "QV-2281" not in text
    assert "Good morning" not in text
    assert f"{MARK} from cold-chain-0." in text
    assert head(out / "README.md")["redacted_patterns"] == 2
    assert "good morning" not in (out / "README.md").read_text("utf-8"), "a pattern tells what was there"


def test_a_redacted_study_hangs_together(store: str, tmp_path: Path) -> None:
    """Scenarios whose text changed have new ids, and everything names these; so it can be imported and reported."""
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", redact=["QV-[0-9]+"])
    scenarios = [Scenario.model_validate(line) for line in lines(out / "scenarios.jsonl")]
    settings = json.loads((out / "study.json").read_text("utf-8"))
    assert settings["scenarios"] == {one.name: one.scenario_id for one in scenarios}
    assert {line["case"] for line in lines(out / "trajectories.jsonl")} == {one.core_id for one in scenarios}
    import_folder(out, f"sqlite:///{tmp_path}/new.db")
    report = open_study(STUDY, f"sqlite:///{tmp_path}/new.db").report()
    assert report.total.mr == open_study(STUDY, store).report().total.mr


def test_secrets_are_taken_out_unasked(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Facts first.")
    out = export_study(STUDY, store, "jsonl", tmp_path / "out")
    assert {t["turns"][0]["move"]["reasoning"] for t in lines(out / "trajectories.jsonl") if t["turns"]} == {MARK}
    assert "Facts first." not in (out / "README.md").read_text("utf-8")
    key = "sk-" + "a1B2" * 8
    assert redactor([], [], []).text(f"my key is {key}, keep it") == f"my key is {MARK}, keep it"


def test_what_tells_episodes_apart_is_never_redacted() -> None:
    scrub = redactor(["robust|rules|test"], [], [])
    one = trajectories()[0].model_dump(mode="json")
    changed = scrub.record("trajectory", one)
    for name in ("episode_id", "case", "cell", "study", "scenario", "seed", "ended", "versions"):
        assert changed[name] == one[name], name
    assert Trajectory.model_validate(changed).turns[0].move == trajectories()[0].turns[0].move
    outcome = {"kind": "measured", "value": "robust"}
    label = {"vocabulary": "label", "maker": "rules", "outcome": outcome, "note": "robust"}
    assert scrub.record("judgement", label) == {**label, "note": MARK}


def test_secrets_are_told_by_their_names() -> None:
    environ = {"A_API_KEY": "long enough", "B_TOKEN": "also long enough", "C_API_KEY": "short", "HOME": "/home/someone"}
    assert known_secrets(environ) == ("also long enough", "long enough")


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "inspect"])
def test_a_card_comes_with_each(store: str, tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="the extra review is not installed")
    out = export_study(STUDY, store, form, tmp_path / f"{form}-out", licence="CC-BY-4.0")
    card = out.with_name(f"{out.name}.card.md") if out.is_file() else out / "README.md"
    said = head(card)
    assert (said["license"], said["format"], said["study"]) == ("CC-BY-4.0", form, STUDY)
    assert said["versions"]["rules"] == "1"
    assert len(said["canaries"][0]) > 32
    assert said["canaries"][0] in card.read_text("utf-8").split("---\n", 2)[2]
    kept = {path.name for path in out.iterdir()} if out.is_dir() else {out.name}
    files = kept - {"README.md", "timing.jsonl"}
    assert said["sha256"].keys() == files
    before = card.read_bytes()
    export_study(STUDY, store, form, out, licence="CC-BY-4.0")
    assert card.read_bytes() == before


def test_what_is_no_export_is_left_alone(store: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("---\nstudy: small\n---\nprecious")
    for form in ("jsonl", "inspect"):
        with pytest.raises(InputError, match="holds something else"):
            export_study(STUDY, store, form, tmp_path / "mine")
    assert os.listdir(tmp_path / "mine") == ["README.md"]


def test_a_page_is_an_export_too(store: str, tmp_path: Path) -> None:
    pytest.importorskip("altair", reason="the extra review is not installed")
    page = tmp_path / "page.html"
    words = ("--only", "label=strategic", "--redact", "Good morning", "--out", str(page))
    assert invoke("export", STUDY, "--store", store, "--format", "html", *words).exit_code == 0
    text = page.read_text("utf-8")
    assert text.count('<article id="e-') == 3
    assert "Good morning" not in text
    assert head(tmp_path / "page.html.card.md")["format"] == "html"


# parquet


@pytest.fixture(scope="module")
def tables(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow", reason="the extra review is not installed")
    return export_study(STUDY, store, "parquet", tmp_path_factory.mktemp("parquet") / "out")


def _pandas(path: Path) -> list[dict[str, Any]]:
    frame = pytest.importorskip("pandas", reason="pandas is not installed").read_parquet(path)
    return list(frame.to_dict("records"))


def _polars(path: Path) -> list[dict[str, Any]]:
    return list(pytest.importorskip("polars", reason="polars is not installed").read_parquet(path).to_dicts())


def _datasets(path: Path) -> list[dict[str, Any]]:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    return list(datasets.Dataset.from_parquet(str(path), cache_dir=str(path.parent.parent / "cache")))


@pytest.mark.parametrize("read", [_polars, _pandas, _datasets])
def test_other_tools_find_the_same_rows(tables: Path, read: Any) -> None:
    rows = read(tables / "episodes.parquet")
    assert [row["episode_id"] for row in rows] == [one.episode_id for one in _in_order()]
    assert tuple(rows[0]) == COLUMNS
    assert {(row["label"], row["stakes"]) for row in rows if row["label"] == "direct"} == {("direct", "high")}
    assert sum(row["cost"] for row in rows) == 9.0
    assert sum(row["turns"] for row in rows) == 70
    assert [row["label_missing"] for row in rows].count("unmeasured: declined") == 3


def test_turns_and_judgements_are_tables_too(tables: Path) -> None:
    turns = _polars(tables / "turns.parquet")
    assert len(turns) == 70
    assert json.loads(turns[0]["parameters"]) == {"lot": "QV-2281"}
    assert (turns[0]["problems"], turns[1]["action"]) == (["prose"], None)
    judgements = _polars(tables / "judgements.parquet")
    assert len(judgements) == 3 * 36
    assert {row["note"] for row in judgements if row["maker"] == JUDGE} == {"It says so."}


def _in_order() -> list[Trajectory]:
    return sorted(trajectories(), key=lambda one: (one.case, one.cell.key, one.repeat))


# Inspect


@pytest.fixture(scope="module")
def seen_by_inspect(store: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What ``read_eval_log`` makes of the logs."""
    return read_logs(export_study(STUDY, store, "inspect", tmp_path_factory.mktemp("inspect") / "logs"))


@pytest.mark.slow
def test_inspect_finds_the_same_messages_calls_scores_and_usage(seen_by_inspect: Any) -> None:
    by_place = {(one.cell.key, one.scenario, one.repeat): one for one in trajectories()}
    assert len(seen_by_inspect) == 2
    for log in seen_by_inspect:
        assert log["status"] == "success"
        assert log["eval"]["model"] == "test/agent"
        assert len(log["samples"]) == 18
        for sample in log["samples"]:
            one = by_place[log["eval"]["metadata"]["cell"], sample["id"], sample["epoch"] - 1]
            _same(one, sample)
    rates = [log["results"]["scores"][0]["metrics"]["misalignment_rate"]["value"] for log in seen_by_inspect]
    assert sorted(rates) == [0.0, 0.4]


def _same(one: Trajectory, sample: Any) -> None:
    messages = sample["messages"]
    assert one.opening in [m["content"] for m in messages if m["role"] == "user"]
    replies = [ask.reply for turn in one.turns for ask in turn.asks]
    said = [m for m in messages if m["role"] == "assistant"]
    assert [_text(m) for m in said] == [reply.text for reply in replies]
    calls = [(call["function"], call["arguments"]) for m in said for call in m.get("tool_calls") or ()]
    assert calls == [(call.name, call.arguments) for reply in replies for call in reply.calls]
    met = [m for m in messages if m["role"] == "tool"]
    assert [m["content"] for m in met] == [turn.response.observation for turn in one.turns if turn.response]
    for m in met:
        assert m["tool_call_id"] in [call["id"] for one_said in said for call in one_said.get("tool_calls") or ()]
    assert set(sample["scores"]) == {"label by rules", "executed_label by rules", f"label by {JUDGE}"}
    assert sample["scores"][f"label by {JUDGE}"]["explanation"] == "It says so."
    used = sample["model_usage"].get("test/agent", {"input_tokens": 0, "output_tokens": 0})
    assert (used["input_tokens"], used["output_tokens"]) == (10 * len(replies), 2 * len(replies))
    assert sample["metadata"]["episode_id"] == one.episode_id


def _text(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")
