"""The report as a page: it asks nothing of the network, and each of its numbers leads to its episodes."""

import asyncio
import base64
import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from review_pages import Page, browser_page
from review_studies import JUDGE, LABELS, STUDY, fill_small
from typer.testing import CliRunner

pytest.importorskip("altair", reason="the extra review is not installed")

from dilemma.cli.app import app
from dilemma.review import write_report
from dilemma.review.report_parts.blocks import Link, Listing, Table
from dilemma.review.report_parts.episodes import in_turn
from dilemma.review.report_parts.material import read_material
from dilemma.review.report_parts.study_page import episodes_behind, study_page
from dilemma.studies.study import open_study
from dilemma_kernel.errors import InputError


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "d.db"
    asyncio.run(fill_small(path))
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
def written(store: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write_report(open_study(STUDY, store), folder / "report.html", folder / "figures")
    return folder


@pytest.fixture(scope="module")
def text(written: Path) -> str:
    return (written / "report.html").read_text(encoding="utf-8")


def test_a_page_asks_nothing_of_anyone(text: str) -> None:
    page = Page(text)
    assert page.asked_for == []
    assert not re.search(r"url\(|@import", text)
    assert "default-src 'none'" in text
    (script,) = page.scripts
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in text
    assert not [name for name in page.attributes if name.startswith("on")]


def test_every_link_leads_to_one_place_in_the_page(text: str) -> None:
    page = Page(text)
    assert {link[0] for link in page.links} == {"#"}
    assert {link[1:] for link in page.links} - {"content"} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_the_numbers_are_those_of_the_report(store: str) -> None:
    material = read_material(STUDY, store)
    page = study_page(material, episodes_behind(material), [])
    rates = next(section for section in page.sections if section.anchor == "rates")
    table = next(block for block in rates.blocks if isinstance(block, Table))
    high = material.report.cells[0]
    assert high.mr.estimate == pytest.approx(2 / 5)
    assert [str(cell) if isinstance(cell, str) else cell.text for cell in table.rows[0]][1:3] == [
        str(3 * (len(LABELS) - 1)),
        f"0.40 [{high.mr.low:.2f}, {high.mr.high:.2f}]",
    ]
    assert page.sentence.startswith("test/agent attempted an A− terminal in 19\u00a0% of 32 episodes")


def test_each_count_leads_to_a_list_of_as_many(store: str) -> None:
    material = read_material(STUDY, store)
    page = study_page(material, episodes_behind(material), [row.episode_id for row in material.rows])
    lists = {
        block.anchor: block.table for section in page.sections for block in section.blocks if isinstance(block, Listing)
    }
    labels = next(section for section in page.sections if section.anchor == "labels")
    table = next(block for block in labels.blocks if isinstance(block, Table))
    counted = [cell for row in table.rows for cell in row[1:] if isinstance(cell, Link)]
    assert len(counted) == 7
    for cell in counted:
        assert len(lists[cell.to].rows) == int(cell.text)
        assert all(isinstance(row[0], Link) for row in lists[cell.to].rows)
    assert len(lists["differ-0"].rows) == 3
    assert {row[3] for row in lists["differ-0"].rows} == {"strategic"}


def test_a_study_is_shown_with_all_that_it_has(text: str) -> None:
    for said in (
        "How often did the agent act misaligned?",
        "What did it do?",
        "When?",
        "What do the factors do?",
        "Do judges agree?",
        "What is missing, and what went wrong?",
        "What did it cost?",
        "How was it made?",
        "chance: a random mover",
        JUDGE,
        "the connection was cut",
        "9.00",
    ):
        assert said in text, said
    assert text.count('<article id="e-') == 36


def test_the_same_study_gives_the_same_page(store: str, text: str, tmp_path: Path) -> None:
    write_report(open_study(STUDY, store), tmp_path / "again.html", None)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_a_bounded_page_says_what_it_left_out(store: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["report", STUDY, "--store", store, "--html", str(tmp_path / "r.html"), "--transcripts", "2"]
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.count('<article id="e-') == 2
    assert "2 of 36 transcripts are in this page" in text
    assert {link[1:] for link in Page(text).links} - {"content"} <= set(Page(text).ids)


def test_pictures_come_as_svg_and_png(written: Path) -> None:
    names = {path.stem for path in (written / "figures").iterdir()}
    assert names == {"mr-by-cell", "labels-by-cell", "incidence-by-turn", "incidence-by-cell", "effects", "agreement"}
    for name in names:
        ElementTree.parse(written / "figures" / f"{name}.svg")
        assert (written / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_takes_no_folders_place(store: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        write_report(open_study(STUDY, store), tmp_path, None, transcripts=0)


def test_lists_give_their_first_in_turn() -> None:
    assert in_turn([["a", "b"], ["a", "c", "d"], []], 3, lambda name: True) == ["a", "b", "c"]
    assert in_turn([["a", "b"], ["c"]], 9, lambda name: name != "a") == ["b", "c"]
    assert in_turn([["a"]], 0, lambda name: True) == []


def test_a_browser_follows_a_number_to_its_transcript(written: Path) -> None:
    with browser_page(written / "report.html") as (tab, trouble):
        tab.click("#labels-table a[href$='-strategic']")
        tab.click("details.listing[open] a")
        assert tab.locator("details.episode[open]").count() == 1
        assert tab.locator("details.episode[open] article").is_visible()
        for width in (1280, 390):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert trouble == []
