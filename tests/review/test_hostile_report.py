"""Sixty hostile transcripts: nothing of them runs, breaks a page or an export, or reaches a terminal as an escape."""

import asyncio
import csv
import json
import re
from pathlib import Path

import pytest
from review_hostile import HOSTILE, STUDY, fill_hostile, hostile_judgements, hostile_scenario, hostile_trajectories
from review_pages import Page, browser_page

pytest.importorskip("altair", reason="the extra review is not installed")

from dilemma.cli.transcript import print_transcript
from dilemma.review import write_report
from dilemma.studies.exporting import export_study
from dilemma.studies.study import StoredEpisode, open_study
from dilemma_kernel.unseen import is_unseen

OURS = frozenset(
    {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "dl",
        "div",
        "dt",
        "dd",
        "nav",
        "ul",
        "li",
        "main",
        "section",
        "figure",
        "svg",
        "g",
        "rect",
        "path",
        "text",
        "line",
        "tspan",
        "defs",
        "clippath",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "article",
        "span",
        "b",
        "del",
        "ins",
        "footer",
        "script",
        "lineargradient",
        "stop",
        "br",
    }
)
"""Every tag that our templates and pictures write, and no other."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("hostile") / "d.db"
    asyncio.run(fill_hostile(path))
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def page(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(open_study(STUDY, store), path, None)
    return path


def test_nothing_of_theirs_is_markup(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    read = Page(text)
    assert read.tags <= OURS
    assert not [name for name in read.attributes if name.startswith(("on", "hx-", "style"))]
    assert read.asked_for == []
    assert {link[0] for link in read.links} == {"#"}
    assert len(read.scripts) == 1
    assert text.count('<article id="e-') == len(HOSTILE)


def test_nothing_of_theirs_is_unseen_or_unbounded(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not [char for char in set(text) if is_unseen(char)]
    assert 'class="unseen">U+202E<' in text
    assert 'class="unseen">U+0000<' in text
    assert len(text) < 8 * 2**20
    assert "are not in this page" in text


def test_a_browser_runs_nothing_of_theirs(page: Path) -> None:
    with browser_page(page) as (tab, trouble):
        tab.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true })")
        tab.wait_for_timeout(300)
        assert tab.evaluate("window.__ran") is None
        assert tab.evaluate("document.scripts.length") == 1
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1280
        assert trouble == []


def test_no_escape_of_theirs_reaches_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for trajectory in hostile_trajectories():
        stored = StoredEpisode(
            trajectory=trajectory, scenario=hostile_scenario(), judgements=tuple(hostile_judgements(trajectory))
        )
        print_transcript(stored, as_json=False)
    shown = capsys.readouterr().out
    assert not [char for char in set(shown) if is_unseen(char)]
    assert "<U+001B>" in shown


def test_no_export_breaks_and_no_cell_is_a_formula(store: str, tmp_path: Path) -> None:
    jsonl = export_study(STUDY, store, "jsonl", tmp_path / "jsonl")
    told = [json.loads(line)["opening"] for line in (jsonl / "trajectories.jsonl").read_text("utf-8").split("\n")[:-1]]
    assert told == list(HOSTILE.values())
    table = export_study(STUDY, store, "csv", tmp_path / "x.csv")
    csv.field_size_limit(2**25)
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == len(HOSTILE) + 1
    assert not [cell for row in rows for cell in row if re.match(r"[=+\-@\t\r\n＝＋－＠]", cell)]
    card = (tmp_path / "x.csv.card.md").read_text("utf-8")
    assert "<script" not in card.split("---\n", 2)[2]


def test_parquet_and_inspect_hold_them(store: str, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    folder = export_study(STUDY, store, "parquet", tmp_path / "parquet")
    assert pq.read_table(folder / "episodes.parquet").num_rows == len(HOSTILE)
    assert pq.read_table(folder / "turns.parquet").num_rows == 2 * len(HOSTILE)
    logs = export_study(STUDY, store, "inspect", tmp_path / "inspect")
    (log,) = logs.glob("*.json")
    text = log.read_text("ascii")
    assert len(json.loads(text)["samples"]) == len(HOSTILE)
