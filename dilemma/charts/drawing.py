"""Drawing a chart: Vega-Lite inside vl-convert, with nothing asked of the network."""

import json
import re
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any, Protocol, TypeVar

import vl_convert

from dilemma.charts.theme import CONFIG, GRID, INK, MUTED, PAPER, label_text
from dilemma_kernel.errors import InputError

T = TypeVar("T")

_NOWHERE = ["https://nowhere.invalid/"]
"""The only address that data may come from, and there is none: a chart carries its data."""

_IN_PAGE = {
    INK: "var(--chart-ink)",
    MUTED: "var(--chart-muted)",
    GRID: "var(--chart-grid)",
    PAPER: "var(--chart-paper)",
}
_GROUP = re.compile(r"<(?:g|path|text)\b[^>]*>")
_SPOKEN = re.compile(r' (?:role|aria-roledescription|aria-label)="[^"]*"')
"""What Vega says of each part to a screen reader; in a page the picture is one, with one text."""

_PIXELS_PER_POINT = 3.0
"""300 dots an inch on paper, at the size at which the words read as 9 points."""


class Chart(Protocol):
    """Any chart of Altair: single, layered, concatenated, faceted."""

    def to_dict(self) -> dict[str, Any]: ...


def paper_svg(chart: Chart) -> str:
    """The chart as an SVG file, on white paper."""
    return _drawn(vl_convert.vegalite_to_svg, _spec(chart), allowed_base_urls=_NOWHERE)


def paper_png(chart: Chart) -> bytes:
    """The chart as a PNG, at 300 dots an inch."""
    return _drawn(vl_convert.vegalite_to_png, _spec(chart), scale=_PIXELS_PER_POINT, allowed_base_urls=_NOWHERE)


def page_svg(chart: Chart, title: str) -> str:
    """The chart as SVG to stand in a page: no paper of its own, ink in the page's colours (``theme.CHART_CSS``).

    Args:
        chart: what to draw.
        title: what a screen reader says.
    """
    svg = _GROUP.sub(lambda found: _SPOKEN.sub("", found[0]), paper_svg(chart))
    for colour, variable in _IN_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{variable}"')
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(label_text(title, 300))}" ', 1)


def save_figure(chart: Chart, folder: Path, name: str) -> tuple[Path, Path]:
    """Write a chart as ``name.svg`` and ``name.png`` into ``folder``, which is made where it is missing.

    Args:
        chart: what to draw.
        folder: where the files go; earlier ones of the same name are replaced.
        name: the files' name, without a suffix.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: the folder cannot be written.
    """
    paths = folder / f"{name}.svg", folder / f"{name}.png"
    drawn = paper_svg(chart), paper_png(chart)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(f"{drawn[0]}\n", encoding="utf-8")
        paths[1].write_bytes(drawn[1])
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from error
    return paths


def _spec(chart: Chart) -> dict[str, Any]:
    """The chart's own settings win over the theme's."""
    spec = chart.to_dict()
    own = {name: value for name, value in spec.get("config", {}).items() if name != "view"}
    return {**spec, "config": {**CONFIG, **own}}


def _drawn(draw: Callable[..., T], spec: dict[str, Any], **how: Any) -> T:
    try:
        return draw(json.dumps(spec), **how)
    except ValueError as error:
        reason = str(error).splitlines()[0][:200] if str(error) else "no reason given"
        raise InputError(f"a picture cannot be drawn: {reason}") from error
