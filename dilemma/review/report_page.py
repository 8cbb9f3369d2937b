"""``dilemma report STUDY --html``: one file that asks nothing of the network. Also its pictures, for a paper."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from dilemma.charts import save_figure
from dilemma.review.report_parts.blocks import Page
from dilemma.review.report_parts.episodes import picked
from dilemma.review.report_parts.material import read_material, read_whole
from dilemma.review.report_parts.pictures import WIDTH
from dilemma.review.report_parts.study_page import episodes_behind, study_page
from dilemma.review.report_parts.writing import Transcripts, write_page
from dilemma.studies.study import Study
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Scenario

TRANSCRIPTS = 200
"""Transcripts in a page at most, where nothing else is asked for."""

MOST_CHARS = 12 * 2**20
"""Characters of all transcripts together; those beyond are left out, and the page says so."""


def write_report(
    study: Study,
    html: Path | None,
    figures: Path | None,
    *,
    transcripts: int = TRANSCRIPTS,
    sheet_from: str | None = None,
    published: bool = False,
) -> list[Path]:
    """Write the page, or its pictures, or both.

    Args:
        study: a study of dilemmas.
        html: the page's file, replaced where it is there; None for no page.
        figures: a folder for the pictures, each as SVG and PNG; None for none.
        transcripts: transcripts in the page at most.
        sheet_from: another study, whose sheet corrects judges here.
        published: lay the published cells beside.

    Returns:
        What was written.

    Raises:
        InputError: a file cannot be written.
    """
    material = read_material(study.name, study.url, sheet_from=sheet_from, published=published)
    found = episodes_behind(material)
    wanted = picked(found, transcripts) if html else []
    held = hold(study.url, wanted, dict(material.scenarios))
    return write(study_page(material, found, [name for name, _ in held]), [text for _, text in held], html, figures)


def hold(url: str, episodes: Sequence[str], scenarios: dict[str, Scenario]) -> list[tuple[str, Markup]]:
    """Ids and transcripts of these episodes, as many as fit."""
    writer = Transcripts(scenarios)
    held: list[tuple[str, Markup]] = []
    room = MOST_CHARS
    for whole in read_whole(url, episodes):
        text = writer.html(whole)
        room -= len(text)
        if room < 0:
            break
        held.append((whole.trajectory.episode_id, text))
    return held


def write(page: Page, transcripts: Sequence[Markup], html: Path | None, figures: Path | None) -> list[Path]:
    """Write a page that is put together, or its pictures, or both."""
    written: list[Path] = []
    if html is not None:
        _write_text(html, write_page(page, transcripts))
        written.append(html)
    for picture in page.pictures() if figures is not None else ():
        assert figures is not None
        written += save_figure(picture.draw(width=WIDTH), figures, picture.name)
    return written


def _write_text(path: Path, pieces: Iterator[str]) -> None:
    """Whole or not at all: what stands at ``path`` goes only once the new page is there."""
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the page a name such as {path / 'report.html'}")
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            for piece in pieces:
                file.write(piece)
        partial.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)
