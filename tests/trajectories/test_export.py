"""Exports: the same bytes for the same replies, whole or not at all, and no formula."""

import csv
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import make_scenario
from trajectories_records import CELL, cell, judgement, reply, request, study, trajectory

from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.records import (
    FACTORS,
    Ask,
    Crashed,
    Judgement,
    Measured,
    Scenario,
    StudyRecord,
    Trajectory,
    Unmeasured,
)
from trajectories import Store, export_csv, export_jsonl, open_store
from trajectories import replacing as replacing_module
from trajectories.spreadsheet import COLUMNS, neutral

FILES = [
    "earlier_attempts.jsonl",
    "judgements.jsonl",
    "scenarios.jsonl",
    "study.json",
    "timing.jsonl",
    "trajectories.jsonl",
]


async def fill(store: Store, *, shuffle: int = 0, latency_s: float = 0.5) -> list[Trajectory]:
    """A study of six episodes, one of them run twice, stored in an order of ``shuffle``."""
    made = [
        trajectory(case=case, repeat=repeat, latency_s=latency_s, probe=Ask(reply=reply(latency_s=latency_s)))
        for case in ("core-1", "core-2")
        for repeat in range(3)
    ]
    crashed = trajectory(case="core-1", latency_s=latency_s, ended="crashed", error="boom")
    made[0] = trajectory(case="core-1", latency_s=latency_s, attempt=1)
    await store.save_study(study(), [make_scenario()])
    saved = [crashed, *made]
    random.Random(shuffle).shuffle(saved)
    for one in saved:
        outcome = Crashed(error="boom") if one.ended == "crashed" else Measured(value="direct")
        await store.save(one, [judgement(one.episode_id, outcome=outcome)])
        asked = request(case=one.case, repeat=one.repeat, turn=1, ask=2)
        await store.call_log("a-study").put(one.episode_id, asked, reply(latency_s=latency_s), "gpt-x")
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_every_line_reads_as_its_record(store: Store, tmp_path: Path) -> None:
    made = await fill(store)
    out = await export_jsonl(store, "a-study", tmp_path / "out")
    assert sorted(os.listdir(out)) == FILES
    assert StudyRecord.model_validate_json((out / "study.json").read_bytes()) == study()
    assert [Scenario.model_validate(line) for line in lines(out / "scenarios.jsonl")] == [make_scenario()]
    found = [Trajectory.model_validate(line) for line in lines(out / "trajectories.jsonl")]
    assert [t.episode_id for t in found] == [t.episode_id for t in made]
    assert found[0].turns[0].asks[0].reply.text == "prose"
    assert [Judgement.model_validate(line) for line in lines(out / "judgements.jsonl")] == [
        judgement(t.episode_id) for t in made
    ]
    (earlier,) = lines(out / "earlier_attempts.jsonl")
    assert Trajectory.model_validate(earlier["trajectory"]).error == "boom"
    assert [Judgement.model_validate(j).outcome for j in earlier["judgements"]] == [Crashed(error="boom")]


async def test_same_replies_same_bytes(tmp_path: Path) -> None:
    """Whatever the order in which they ended, and however long they took."""
    exports = []
    for number in range(4):
        async with open_store(str(tmp_path / f"{number}.db")) as store:
            await fill(store, shuffle=number, latency_s=number + 1.0)
            exports.append(contents(await export_jsonl(store, "a-study", tmp_path / f"{number}")))
    timings = {export.pop("timing.jsonl") for export in exports}
    assert all(export == exports[0] for export in exports)
    assert len(timings) == 4


async def test_clocks_and_provider_ids_live_apart(store: Store, tmp_path: Path) -> None:
    saved = await fill(store, latency_s=0.5)
    out = await export_jsonl(store, "a-study", tmp_path / "out")
    for name in FILES:
        text = (out / name).read_text()
        assert ("latency_s" in text) == ("id-0.5" in text) == (name == "timing.jsonl")
        assert "call_1" not in text
    found = lines(out / "timing.jsonl")
    assert [(line["case"], line["repeat"]) for line in found] == [(made.case, made.repeat) for made in saved]
    assert found[0] == {
        "case": "core-1",
        "cell": CELL.key,
        "repeat": 0,
        "turn": 1,
        "role": "agent",
        "ask": 2,
        "model": "gpt-x",
        "latency_s": 0.5,
        "attempts": 2,
        "waited_s": 0.0,
        "provider_id": "id-0.5",
    }


async def test_a_reply_without_a_timing_has_a_line_all_the_same(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [make_scenario()])
    await store.call_log("a-study").put("key", request(), reply().model_copy(update={"timing": None}), "mine")
    (line,) = lines(await export_jsonl(store, "a-study", tmp_path / "out") / "timing.jsonl")
    assert (line["model"], line["latency_s"], line["provider_id"]) == ("mine", None, None)


async def test_hostile_text_is_json_still(store: Store, tmp_path: Path) -> None:
    hostile = 'a\0b \ud800 \u2028 "\n\\ud800 \x1b[31m =1+1'
    await store.save_study(study(), [])
    await store.save(trajectory(opening=hostile, initial_state={"x": hostile}), [])
    out = await export_jsonl(store, "a-study", tmp_path / "out")
    (line,) = (out / "trajectories.jsonl").read_bytes().decode().removesuffix("\n").split("\n")
    assert json.loads(line)["opening"] == json.loads(line)["initial_state"]["x"] == hostile


async def test_an_unknown_study(store: Store, tmp_path: Path) -> None:
    for export in (export_jsonl, export_csv):
        with pytest.raises(StudyError, match="no study 'nothing'"):
            await export(store, "nothing", tmp_path / "out")
    assert not (tmp_path / "out").exists()


async def test_a_study_without_episodes(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [])
    assert lines(await export_jsonl(store, "a-study", tmp_path / "out") / "trajectories.jsonl") == []
    assert (await export_csv(store, "a-study", tmp_path / "x.csv")).read_text().splitlines() == [",".join(COLUMNS)]


async def test_an_earlier_export_is_replaced(store: Store, tmp_path: Path) -> None:
    folder, file = tmp_path / "out", tmp_path / "x.csv"
    folder.mkdir()
    await fill(store)
    for _ in range(2):
        await export_jsonl(store, "a-study", folder)
        await export_csv(store, "a-study", file)
    before = contents(folder), file.read_bytes()
    await store.save(trajectory(case="core-9"), [])
    await export_jsonl(store, "a-study", folder)
    await export_csv(store, "a-study", file)
    assert (contents(folder), file.read_bytes()) != before
    assert len(lines(folder / "trajectories.jsonl")) == 7
    assert sorted(os.listdir(tmp_path)) == ["out", "x.csv", *sorted(p for p in os.listdir(tmp_path) if "x.db" in p)]


async def test_what_is_not_an_earlier_export_is_left_alone(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [])
    await store.save_study(study("other"), [])
    await store.save(trajectory("other"), [])
    await export_jsonl(store, "other", tmp_path / "of-another")
    await export_csv(store, "other", tmp_path / "of-another.csv")
    mine = tmp_path / "mine"
    await export_jsonl(store, "a-study", mine)
    (mine / "notes.txt").write_text("precious")
    (tmp_path / "file").write_text("precious")
    for target in (mine, tmp_path / "of-another", tmp_path / "file", tmp_path / "x.jsonl", tmp_path):
        with pytest.raises(InputError):
            await export_jsonl(store, "a-study", target)
    for target in (mine, tmp_path / "of-another.csv", tmp_path / "file"):
        with pytest.raises(InputError):
            await export_csv(store, "a-study", target)
    assert (mine / "notes.txt").read_text() == (tmp_path / "file").read_text() == "precious"
    assert json.loads((tmp_path / "of-another" / "study.json").read_text())["name"] == "other"


@pytest.mark.parametrize("export", [export_jsonl, export_csv])
async def test_a_place_that_cannot_be_written(store: Store, tmp_path: Path, export: Any) -> None:
    await store.save_study(study(), [])
    (tmp_path / "file").write_text("text")
    for target in (tmp_path / "no" / "out", tmp_path / "file" / "out", tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match="cannot be written") as raised:
            await export(store, "a-study", target)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("export", [export_jsonl, export_csv])
async def test_an_export_that_fails_leaves_the_earlier_one(
    store: Store, tmp_path: Path, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store)
    out = tmp_path / "exports" / "out"
    out.parent.mkdir()
    await export(store, "a-study", out)
    before = contents(out) if out.is_dir() else out.read_bytes()
    monkeypatch.setattr(replacing_module, "_put", _no_room)
    with pytest.raises(InputError, match="No space left"):
        await export(store, "a-study", out)
    assert (contents(out) if out.is_dir() else out.read_bytes()) == before
    assert os.listdir(out.parent) == ["out"]


def _no_room(*_: Path) -> None:
    raise OSError(28, "No space left on device")


def test_a_folder_comes_back_where_the_new_one_cannot_take_its_place(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").touch()
    with pytest.raises(InputError), replacing_module.replacing(out, lambda place: None):
        pass  # nothing was made
    assert os.listdir(out) == ["old"]
    assert os.listdir(tmp_path) == ["out"]


async def rows(store: Store, tmp_path: Path) -> list[dict[str, str]]:
    out = await export_csv(store, "a-study", tmp_path / "x.csv")
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def test_a_row_an_episode(store: Store, tmp_path: Path) -> None:
    await fill(store)
    found = await rows(store, tmp_path)
    assert len(found) == 6
    row = found[0]
    assert tuple(row) == COLUMNS
    assert (row["study"], row["episode_id"], row["attempt"]) == ("a-study", trajectory().episode_id, "1")
    assert (row["agent"], row["environment"]) == ("scripted/direct", "rules")
    assert {name: row[name] for name in FACTORS} == CELL.levels
    assert (row["ended"], row["label"], row["label_missing"], row["executed_label"]) == ("budget", "direct", "", "")
    assert (row["turns"], row["faults"], row["invalid_turns"], row["cost"]) == ("2", "1", "1", "0.25")


async def test_no_label_is_never_an_empty_reason(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [])
    for repeat, outcome in enumerate((Unmeasured(why="declined"), Crashed(error="boom"))):
        one = trajectory(repeat=repeat)
        await store.save(one, [judgement(one.episode_id, outcome=outcome)])
    found = await rows(store, tmp_path)
    assert {(row["label"], row["label_missing"]) for row in found} == {
        ("", "unmeasured: declined"),
        ("", "crashed: boom"),
    }


async def test_the_newest_rule_labels(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [])
    one = trajectory()
    versions = {"9": "failed", "10": "strategic", "2": "robust"}
    by_rules = [judgement(one.episode_id, value, version=version) for version, value in versions.items()]
    await store.save(one, [*by_rules, judgement(one.episode_id, "stalling", maker="ada", version="99")])
    assert [row["label"] for row in await rows(store, tmp_path)] == ["strategic"]


async def test_formulas_are_neutralised_and_numbers_are_not(store: Store, tmp_path: Path) -> None:
    await store.save_study(study(), [])
    one = trajectory(cell=cell('=HYPERLINK("http://x")'), domain="@SUM(1)", error="\t=1\r\n+2\0", cost=-1.5)
    await store.save(one, [judgement(one.episode_id, outcome=Crashed(error="-1"))])
    (row,) = await rows(store, tmp_path)
    assert row["agent"] == '\'=HYPERLINK("http://x")'
    assert row["domain"] == "'@SUM(1)"
    assert row["error"] == "'\t=1\r\n+2\\0"
    assert (row["cost"], row["label_missing"]) == ("-1.5", "crashed: -1")


@given(st.text(st.characters()))
@settings(max_examples=300, deadline=None)
def test_no_cell_begins_like_a_formula(text: str) -> None:
    cell = neutral(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    cell.encode()
    assert cell.removeprefix("'").replace("\\0", "\0") == text.removeprefix("'").replace("\\0", "\0") or "\\" in cell
