"""Forest plots: a row each, with an estimate, its interval, and what to compare it with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from dilemma.charts import COLOURS, INK, MUTED, label_text
from dilemma.charts.drawing import Chart
from dilemma.review.report_parts.picture_layout import WIDTH, legend_of, name_axis, row_height, tick_axis, title_of

MOST_ROWS = 60
"""Rows of a forest plot; a longer one cannot be read."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A row of a forest plot: an estimate with its interval, and a mark to compare it with."""

    name: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    mark: float | None = None
    range: tuple[float, float] | None = None
    """How far the estimate could move with what is missing."""


def forest(
    bars: Sequence[Bar],
    *,
    what: str,
    mark: str | None = None,
    missing: str | None = None,
    domain: tuple[float, float] | None = (0.0, 1.0),
    zero: bool = False,
    title: str,
    subtitle: str = "",
    width: int = WIDTH,
) -> Chart:
    """Estimates with intervals, a row each.

    Args:
        bars: the rows, from the top.
        what: name of the estimate, for the axis and the legend.
        mark: name of the marks, where rows have one.
        missing: name of the ranges over what is missing, where rows have one.
        domain: of the axis; None for what the data take.
        zero: draw a line at 0.
        title: over the picture.
        subtitle: under the title.
        width: ``WIDTH`` or ``NARROW``.
    """
    names = [label_text(bar.name) for bar in bars]
    scale = alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=zero, nice=True)
    looks = _looks(_kinds(what, mark, missing), width)
    layers = [
        *_origin(what, scale, width, is_drawn=zero),
        *_marks(_forest_base(names, bars, width), (what, mark, missing), (scale, width), looks),
    ]
    heading = title_of(title, subtitle, width)
    return alt.layer(*layers).properties(width=width, height=row_height(names, width), title=heading)


def _forest_base(names: Sequence[str], bars: Sequence[Bar], width: int) -> alt.Chart:
    rows = [_forest_row(name, bar) for name, bar in zip(names, bars, strict=True)]
    return alt.Chart(alt.InlineData(values=rows)).encode(y=name_axis(names, width))


def _kinds(what: str, mark: str | None, missing: str | None) -> dict[str, tuple[str, str]]:
    """What a row can show -> its colour and shape."""
    return {
        what: (COLOURS["blue"], "circle"),
        **({missing: (MUTED, "square")} if missing else {}),
        **({mark: (COLOURS["vermilion"], "diamond")} if mark else {}),
    }


def _marks(
    base: alt.Chart,
    said: tuple[str, str | None, str | None],
    along: tuple[alt.Scale, int],
    looks: Mapping[str, Any],
) -> Iterator[alt.Chart]:
    """Ranges, intervals, estimates and marks, each where rows have it, from the back to the front."""
    (what, mark, missing), (scale, width) = said, along

    def kind(name: str, field: str) -> alt.Chart:
        text = name.replace("\\", "").replace("'", "’")
        return base.transform_calculate(kind=f"'{text}'").transform_filter(f"isValid(datum.{field})")

    def at(field: str) -> alt.X:
        return _along(field, what, scale, width)

    if missing:
        ranged = kind(missing, "least").mark_rule(strokeWidth=7, opacity=0.35)
        yield ranged.encode(x=at("least"), x2="most:Q", color=looks["color"])
    yield kind(what, "low").mark_rule(strokeWidth=2.5).encode(x=at("low"), x2="high:Q", color=looks["color"])
    yield kind(what, "estimate").mark_point(opacity=1, size=80, filled=True).encode(x=at("estimate"), **looks)
    if mark:
        yield kind(mark, "mark").mark_point(opacity=1, size=60, filled=True).encode(x=at("mark"), **looks)


def _origin(what: str, scale: alt.Scale, width: int, *, is_drawn: bool) -> Iterator[alt.Chart]:
    """A line at 0, where it is asked for."""
    if is_drawn:
        line = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=INK, strokeDash=[3, 3])
        yield line.encode(x=_along("at", what, scale, width))


def _along(field: str, what: str, scale: alt.Scale, width: int) -> alt.X:
    return alt.X(f"{field}:Q", title=what, scale=scale, axis=tick_axis(width))


def _looks(kinds: Mapping[str, tuple[str, str]], width: int) -> dict[str, Any]:
    """Colour and shape of what a row shows, with one legend that explains both; none for a single kind."""
    legend = legend_of(width) if len(kinds) > 1 else None
    domain = list(kinds)
    colours = alt.Scale(domain=domain, range=[colour for colour, _ in kinds.values()])
    shapes = alt.Scale(domain=domain, range=[shape for _, shape in kinds.values()])
    return {
        "color": alt.Color("kind:N", title=None, scale=colours, legend=legend),
        "shape": alt.Shape("kind:N", title=None, scale=shapes, legend=legend),
    }


def _forest_row(name: str, bar: Bar) -> dict[str, object]:
    least, most = bar.range or (None, None)
    return {
        "name": name,
        "estimate": bar.estimate,
        "low": bar.low,
        "high": bar.high,
        "mark": bar.mark,
        "least": least,
        "most": most,
    }
