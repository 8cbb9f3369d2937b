"""A study of dilemmas as one page that asks nothing of the network; its pictures, for a paper."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from markupsafe import Markup

from dilemma.charts import save_figure
from dilemma.review.report_parts.blocks import Page
from dilemma.review.report_parts.episodes import picked
from dilemma.review.report_parts.material import read_material, read_whole, rewritten
from dilemma.review.report_parts.picture_layout import WIDTH
from dilemma.review.report_parts.study_page import episodes_behind, study_page
from dilemma.review.report_parts.writing import Transcripts, write_page
from dilemma.studies.exporting.placing import default_place
from dilemma.studies.exporting.writing import choose, write_card_beside
from dilemma.studies.study import Study, open_study
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Scenario
from trajectories.choosing import EVERYTHING, Choice

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
    choice: Choice = EVERYTHING,
) -> list[Path]:
    """Write the page, or its pictures, or both.

    Args:
        study: a study of dilemmas.
        html: the page's file, replaced where it is there; None for no page.
        figures: a folder for the pictures, each as SVG and PNG; None for none.
        transcripts: transcripts in the page at most.
        sheet_from: another study, whose sheet corrects judges here.
        published: lay the published cells beside.
        choice: which transcripts may be in the page, and what is rewritten in them; the numbers are of all episodes.

    Returns:
        What was written.

    Raises:
        InputError: a file cannot be written.
    """
    material = read_material(study.name, study.url, sheet_from=sheet_from, published=published)
    found = episodes_behind(material)
    wanted = picked(found, transcripts, choice.takes) if html else []
    held = hold(study.url, wanted, list(material.scenarios.values()), choice)
    return write(study_page(material, found, [name for name, _ in held]), [text for _, text in held], html, figures)


def hold(
    url: str, episodes: Sequence[str], scenarios: Sequence[Scenario], choice: Choice = EVERYTHING
) -> list[tuple[str, Markup]]:
    """Ids and transcripts of these episodes, as many as fit."""
    writer = Transcripts(rewritten(scenarios, choice))
    held: list[tuple[str, Markup]] = []
    room = MOST_CHARS
    for whole in read_whole(url, episodes, choice):
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
        with suppress(OSError):  # its folder may be none
            partial.unlink()


def export_page(
    name: str,
    url: str | None,
    out: Path | None,
    *,
    only: Sequence[str] = (),
    redact: Sequence[str] = (),
    licence: str | None = None,
) -> list[Path]:
    """Write the page of a study of either instrument, with its data card beside it.

    The numbers are of the whole study; ``only`` says whose transcripts are in the page, ``redact`` what is taken out
    of them. Arguments and errors as for ``dilemma.studies.exporting.export_study``.

    Returns:
        The page and the card.
    """
    study, target = open_study(name, url), out or default_place(name, ".html")
    chosen = choose(name, study.url, "html", only, redact, licence)
    if chosen.record.instrument == "transfer":
        module = import_module("dilemma.review.transfer_page")
        module.write_transfer_report(study, target, None, choice=chosen.choice)
    else:
        write_report(study, target, None, choice=chosen.choice)
    return [target, write_card_beside(target, chosen, {})]
