"""Blocks to HTML. Everything that is written passes ``dilemma.review.text``."""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dilemma.charts import CHART_CSS, page_svg
from dilemma.review.report_parts.blocks import Heading, Link, Listing, Page, Picture, Table
from dilemma.review.report_parts.episodes import episode_anchor
from dilemma.review.report_parts.material import Whole
from dilemma.review.report_parts.picture_layout import NARROW, WIDTH
from dilemma.review.text import TEXT_CSS, line, shown, written_out
from dilemma.review.transcript import in_words, transcript
from dilemma_kernel.records import Scenario

FIRST, MOST = 2_000, 20_000
"""Characters of a text that a transcript shows at once, and that it holds at most."""

_FOLDER = Path(__file__).parent.parent / "templates" / "report"


def write_page(page: Page, transcripts: Iterable[Markup]) -> Iterator[str]:
    """The page, piece by piece.

    Args:
        page: what it says.
        transcripts: as ``transcript_html`` makes them.
    """
    made = _environment()
    script, style = _text("report.js"), _text("report.css") + CHART_CSS + TEXT_CSS
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    stream = made.get_template("page.html").stream(
        page=page, transcripts=transcripts, style=Markup(style), script=Markup(script), digest=digest
    )
    stream.enable_buffering(200)
    yield from stream


class Transcripts:
    """Writes transcripts.

    Args:
        scenarios: scenario_id -> scenario, of the study.
    """

    def __init__(self, scenarios: dict[str, Scenario]) -> None:
        self._scenarios = scenarios
        self._template = _environment().get_template("transcript.html")

    def html(self, whole: Whole) -> Markup:
        """One episode."""
        scenario = self._scenarios.get(whole.trajectory.scenario_id)
        seen = transcript(whole.trajectory, scenario, whole.judgements)
        raw = [[in_words(ask.reply) for ask in turn.asks] for turn in whole.trajectory.turns]
        return Markup(self._template.render(seen=seen, trajectory=whole.trajectory, raw=raw))


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("dilemma.review", "templates/report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=written_out,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(said=_said, one=line, svg=_svg, anchor=episode_anchor)
    made.tests.update(
        link=_is(Link), table=_is(Table), picture=_is(Picture), listing=_is(Listing), heading=_is(Heading)
    )
    return made


def _said(text: str) -> Markup:
    return shown(text, first=FIRST, most=MOST)


def _svg(picture: Picture) -> Markup:
    """Twice, of which a page shows the one that fits."""
    wide, narrow = (page_svg(picture.draw(width=width), picture.title) for width in (WIDTH, NARROW))
    return Markup('<div class="wide">{}</div><div class="narrow">{}</div>').format(Markup(wide), Markup(narrow))


def _is(kind: type[object]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, kind)


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
