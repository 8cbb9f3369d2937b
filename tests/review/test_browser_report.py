"""The report page in a real browser: axe-core finds no fault in it, and nothing runs off it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="the extra review is not installed")

from review_browser import Noted, chromium, faults, needs_chromium, watched
from review_studies import STUDY, fill_small

from dilemma.review import write_report, write_transfer_report
from dilemma.studies.study import open_study
from dilemma.studies.transfer.run import transfer

pytestmark = needs_chromium

PAGES = ("episodes", "transfer")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of each instrument."""
    folder = tmp_path_factory.mktemp("reports")
    url = f"sqlite:///{folder}/d.db"
    asyncio.run(fill_small(folder / "d.db"))
    write_report(open_study(STUDY, url), folder / "episodes.html", None, transcripts=6)
    asyncio.run(transfer("scripted/transfer", arms="all", sample=2, store=url, study="t"))
    write_transfer_report(open_study("t", url), folder / "transfer.html", None, transcripts=6)
    return folder


@pytest.fixture(scope="module")
def page(pages: Path) -> Iterator[tuple[Any, Noted]]:
    with chromium() as browser:
        yield watched(browser)


def shown(page: Any, path: Path, width: int) -> None:
    """The page with everything that is folded out."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_fault(page: tuple[Any, Noted], pages: Path, name: str, scheme: str, width: int) -> None:
    tab, noted = page
    tab.emulate_media(color_scheme=scheme)
    shown(tab, pages / f"{name}.html", width)
    assert faults(tab, {"minor", "moderate", "serious", "critical"}) == []
    assert noted.errors == []
    assert [address for address in noted.elsewhere if not address.startswith("file:")] == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_runs_off_the_page(page: tuple[Any, Noted], pages: Path, name: str, width: int) -> None:
    """Tables and pictures that are wider scroll in a place of their own; every picture fits a telephone."""
    tab, _ = page
    shown(tab, pages / f"{name}.html", width)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    wide = "[...document.querySelectorAll('figure')].filter(one => one.scrollWidth > one.clientWidth + 1).length"
    assert tab.evaluate(wide) == 0
    if width == 1280:
        assert tab.evaluate(wide.replace("'figure'", "'.scroll'")) == 0


def test_words_are_large_enough_to_read(page: tuple[Any, Noted], pages: Path) -> None:
    """No word of a page or a picture is smaller than 11 pixels."""
    tab, _ = page
    sizes = """[...document.querySelectorAll('main *, header *')].filter(one => one.checkVisibility()
        && [...one.childNodes].some(inner => inner.nodeType === 3 && inner.data.trim()))
        .map(one => [parseFloat(getComputedStyle(one).fontSize), one.outerHTML.slice(0, 120)])"""
    for name in PAGES:
        for width in (1280, 390):
            shown(tab, pages / f"{name}.html", width)
            assert [found for found in tab.evaluate(sizes) if found[0] < 11] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_link_leads_to_a_transcript_with_its_heading_in_sight(
    page: tuple[Any, Noted], pages: Path, width: int
) -> None:
    tab, _ = page
    tab.emulate_media(reduced_motion="reduce")
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto((pages / "episodes.html").as_uri())
    tab.click("#episodes details.listing > summary")
    tab.click("#episodes details.listing[open] a")
    tab.wait_for_function("document.querySelector('details.episode[open]')")
    box = tab.locator("details.episode[open] > summary").bounding_box()
    assert 0 <= box["y"] < 450
