"""The page of a study of refusal transfer: its figures are the report's, and each leads to its replies."""

from pathlib import Path

import pytest
from review_pages import Page
from typer.testing import CliRunner

pytest.importorskip("altair", reason="the extra review is not installed")

from dilemma.cli.app import app
from dilemma.review.report_parts.blocks import Table, without_shared
from dilemma.studies.numbers import share
from dilemma.studies.transfer.study import open_transfer_study


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('transfer')}/d.db"
    words = ["transfer", "run", "--model", "scripted/transfer", "--sample", "4", "--systems", "neutral"]
    result = CliRunner().invoke(app, [*words, "--study", "t", "--store", url])
    assert result.exit_code == 0, (result.output, result.exception)
    return url


@pytest.fixture(scope="module")
def folder(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page")
    words = ["transfer", "report", "t", "--store", store, "--html", str(made / "r.html"), "--figures", str(made / "f")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (result.output, result.exception)
    assert f"wrote {made / 'r.html'}" in result.stdout
    return made


def test_the_figures_are_those_of_the_report(store: str, folder: Path) -> None:
    text = (folder / "r.html").read_text(encoding="utf-8")
    report = open_transfer_study("t", store).report()
    for one in report.divergence:
        if one.delta.estimate is not None:
            assert share(one.delta) in text
    assert "Does a refusal in chat survive when a tool call can carry it out?" in text
    assert {"divergence", "verdicts", "refusal-harmful", "refusal-benign"} <= {p.stem for p in (folder / "f").iterdir()}


def test_it_asks_nothing_and_every_link_leads_somewhere(folder: Path) -> None:
    page = Page((folder / "r.html").read_text(encoding="utf-8"))
    assert page.asked_for == []
    assert {link[0] for link in page.links} == {"#"}
    assert {link[1:] for link in page.links} - {"content"} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_report_of_either_instrument_is_one_command(store: str, folder: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["report", "t", "--store", store, "--html", str(tmp_path / "r.html")])
    assert result.exit_code == 0, (result.output, result.exception)
    assert (tmp_path / "r.html").read_bytes() == (folder / "r.html").read_bytes()


def test_a_word_that_all_rows_share_stands_once() -> None:
    table = Table(columns=("model", "arm", "n"), words=2, rows=[["m", "chat", "1"], ["m", "tool", "2"]])
    assert without_shared(table).rows == [["chat", "1"], ["tool", "2"]]
    assert without_shared(table).notes == ["model: m."]
    two = Table(columns=("model", "arm", "n"), words=2, rows=[["m", "chat", "1"], ["o", "tool", "2"]])
    assert without_shared(two) is two
