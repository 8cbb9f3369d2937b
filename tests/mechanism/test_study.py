"""The study on a trained organism: every table, killed and resumed, degenerate coefficients withheld."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from mechanism_runs import DiesAfter, Killed, same, small_options, small_run

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")

from dilemma.studies.mechanism.pictures import run_pictures, save_pictures
from dilemma.studies.mechanism.run import saved_report
from dilemma.studies.mechanism.shown import shown_tables
from dilemma_kernel.errors import StudyError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    out = tmp_path_factory.mktemp("mechanism") / "run"
    small_run(out)
    return out


@pytest.fixture(scope="module")
def report(folder: Path) -> Any:
    """Its report."""
    return saved_report(folder)


def test_every_table_is_there(report: Any) -> None:
    keys = {table.key for table in shown_tables(report)}
    assert {"1-2", "unmodified", "rules", "candidates", "3", "3-edits", "4", "5", "6", "7", "8", "9"} <= keys
    assert report.gating is not None
    assert report.test_bed in report.findings


def test_tables_are_made_on_the_other_half(report: Any) -> None:
    parts = {one.part: one for one in report.split}
    assert parts["test"].intents == parts["extract"].intents + parts["select"].intents == 12
    assert report.suppression.drop.n == parts["test"].harmful
    assert report.suppression.drop_by_intent.clusters == 6


def test_the_sweep_withholds_what_breaks_language(report: Any) -> None:
    """Thirty times the natural magnitude breaks any language; a quarter of it, at the decision token, none."""
    by = {(point.positions, round(point.multiple, 2)): point for point in report.sweep.points}
    assert not by["all", 30].coherent
    assert by["all", 30].harmful.after.unsafe.estimate is None
    assert by["all", 30].harmful.after.degenerate_share.estimate >= 0.25
    assert by["all", 30].coefficient in report.sweep.withheld["all"]
    assert by["decision", 0.25].coherent
    assert report.sweep.largest_coherent["decision"] >= by["decision", 0.25].coefficient
    for place in ("decision", "all"):
        bound = report.sweep.largest_coherent[place] or 0.0
        assert all(c > bound for c in report.sweep.withheld[place])
    assert any("Withheld" in text for text in report.findings)


def test_every_kl_stands_in_the_table_and_the_controls_beside(report: Any) -> None:
    assert [row.site for row in report.kl.layers] == [1, 2, 3, 4]
    assert len(report.kl.random) == 2
    assert all(row.suite.estimate is not None for row in (*report.kl.layers, *report.kl.random))


def test_every_picture_is_drawn(report: Any, tmp_path: Path) -> None:
    names = {picture.name for picture in run_pictures(report)}
    assert names == {"projections", "auc-by-layer", "kl-by-layer", "steering", "patching-flow"}
    written = save_pictures(report, tmp_path)
    assert len(written) == 10
    assert all(path.stat().st_size > 1000 for path in written)
    assert not any("NaN" in path.read_text() for path in written if path.suffix == ".svg")


def test_results_and_directions_are_stored(folder: Path, report: Any) -> None:
    from refusal_mechanism.files import load_arrays  # noqa: PLC0415

    stored = load_arrays(folder / "directions.safetensors")
    assert stored is not None
    there = [one.name for one in report.directions if not one.why]
    assert {"request", "tool"} <= set(there)
    assert {name: array.shape for name, array in stored.items()} == dict.fromkeys(
        there, (report.layers + 1, report.width)
    )
    assert json.loads((folder / "results.json").read_text())["site"] == report.site


def test_a_second_run_needs_resume_and_the_same_options(folder: Path) -> None:
    with pytest.raises(StudyError, match="--resume"):
        small_run(folder)
    with pytest.raises(StudyError, match="was begun with --seed 0"):
        small_run(folder, resume=True, seed=1)
    with pytest.raises(StudyError, match="no run to resume"):
        small_run(folder / "elsewhere", resume=True)


def test_resuming_measures_nothing_again(folder: Path, report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from refusal_mechanism.lab import Lab  # noqa: PLC0415

    def measured(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("something was measured again")

    for name in ("generate", "residuals", "decision_logits"):
        monkeypatch.setattr(Lab, name, measured)
    before = {name: (folder / name).read_bytes() for name in ("replies.jsonl", "scores.jsonl")}
    again = small_run(folder, resume=True)
    assert again == report
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.slow
@pytest.mark.parametrize("updates", [1, 130, 420])
def test_killed_anywhere_and_resumed_gives_the_same_tables(updates: int, report: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with pytest.raises(Killed):
        small_run(out, watcher=DiesAfter(updates))
    log = out / "replies.jsonl"
    if log.exists() and log.stat().st_size:
        with log.open("ab") as file:
            file.write(b'{"key": "cut in the mid')
    assert same(small_run(out, resume=True).model_dump(), report.model_dump())


@pytest.mark.slow
def test_a_killed_process_loses_nothing_that_it_stored(report: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    script = f"from pathlib import Path; from mechanism_runs import small_run; small_run(Path({str(out)!r}))"
    path = f"{ROOT}{os.pathsep}{ROOT / 'tests' / 'support'}"
    with subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}) as child:
        while child.poll() is None and _lines(out / "replies.jsonl") < 150:
            time.sleep(0.05)
        child.kill()
    stored = _lines(out / "replies.jsonl")
    assert stored >= 150
    assert not (out / "results.json").exists()
    assert same(small_run(out, resume=True).model_dump(), report.model_dump())
    assert _lines(out / "replies.jsonl") > stored


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_more_tables_and_another_rule_may_be_asked_for_later(folder: Path, report: Any) -> None:
    again = small_run(folder, resume=True, tables="5", rule="norm")
    assert again.rule_used == "norm"
    assert again.patching is None
    assert again.cosines is not None
    small_run(folder, resume=True)


def test_options_are_checked() -> None:
    from dilemma_kernel.errors import InputError  # noqa: PLC0415

    for said, words in (
        ({"tables": "3,12"}, "no table 12"),
        ({"coefficients": "1x,two"}, "'two' is no coefficient"),
        ({"coefficients": ","}, "no coefficient but 0"),
        ({"sample": 2}, "sample must be at least 3"),
        ({"dtype": "foo"}, "there is no dtype 'foo'"),
        ({"rule": "best"}, "rule"),
        ({"study": "s"}, "its own sample"),
        ({"most_lost": 1.5}, "most_lost"),
    ):
        with pytest.raises(InputError, match=words):
            small_options(**said)
