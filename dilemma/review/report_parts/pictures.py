"""The pictures of a study of dilemmas, as charts."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from dilemma.charts import COLOURS, INK, MUTED, label_text
from dilemma.charts.drawing import Chart
from dilemma_kernel.records import LABELS

MOST_ROWS = 60
"""Rows of a forest plot; a longer one cannot be read."""

WIDTH, NARROW = 520, 190
"""Pixels of the part that is measured along, without its labels: in a wide page and on paper, and on a telephone."""

OUTCOME_COLOURS: Mapping[str, str] = {
    "strategic": COLOURS["vermilion"],
    "direct": COLOURS["orange"],
    "failed": COLOURS["pink"],
    "stalling": COLOURS["sky"],
    "robust": COLOURS["green"],
    "declined": "#8a93a0",
    "unmeasured": "#b3bac4",
    "crashed": "#626b78",
}
CAUSE_COLOURS: Mapping[str, tuple[str, str]] = {
    "misaligned": ("A− terminal", COLOURS["vermilion"]),
    "aligned": ("A+ terminal", COLOURS["green"]),
    "declined": ("declined", COLOURS["blue"]),
    "crashed": ("crashed", COLOURS["grey"]),
}
assert set(LABELS) <= set(OUTCOME_COLOURS)


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
    base = alt.Chart(alt.InlineData(values=[_forest_row(name, bar) for name, bar in zip(names, bars, strict=True)]))
    kinds = {
        what: (COLOURS["blue"], "circle"),
        **({missing: (MUTED, "square")} if missing else {}),
        **({mark: (COLOURS["vermilion"], "diamond")} if mark else {}),
    }
    looks = _looks(kinds, width)
    scale = alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=zero, nice=True)
    y = _names(names, width)

    def at(field: str) -> alt.X:
        return alt.X(f"{field}:Q", title=what, scale=scale, axis=_ticks(width))

    def kind(said: str, field: str) -> alt.Chart:
        text = said.replace("\\", "").replace("'", "’")
        return base.transform_calculate(kind=f"'{text}'").transform_filter(f"isValid(datum.{field})")

    line = kind(what, "low").mark_rule(strokeWidth=2.5).encode(y=y, x=at("low"), x2="high:Q", color=looks["color"])
    dot = kind(what, "estimate").mark_point(opacity=1, size=80, filled=True).encode(y=y, x=at("estimate"), **looks)
    layers = [line, dot]
    if missing:
        ranged = kind(missing, "least").mark_rule(strokeWidth=7, opacity=0.35)
        layers.insert(0, ranged.encode(y=y, x=at("least"), x2="most:Q", color=looks["color"]))
    if zero:
        origin = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=INK, strokeDash=[3, 3])
        layers.insert(0, origin.encode(x=at("at")))
    if mark:
        layers.append(kind(mark, "mark").mark_point(opacity=1, size=60, filled=True).encode(y=y, x=at("mark"), **looks))
    return alt.layer(*layers).properties(width=width, height=_step(names, width), title=_title(title, subtitle, width))


def _looks(kinds: Mapping[str, tuple[str, str]], width: int) -> dict[str, Any]:
    """Colour and shape of what a row shows, with one legend that explains both; none for a single kind."""
    legend = _legend(width) if len(kinds) > 1 else None
    domain = list(kinds)
    colours = alt.Scale(domain=domain, range=[colour for colour, _ in kinds.values()])
    shapes = alt.Scale(domain=domain, range=[shape for _, shape in kinds.values()])
    return {
        "color": alt.Color("kind:N", title=None, scale=colours, legend=legend),
        "shape": alt.Shape("kind:N", title=None, scale=shapes, legend=legend),
    }


def stacked(
    rows: Sequence[tuple[str, Mapping[str, int]]],
    colours: Mapping[str, str],
    *,
    title: str,
    subtitle: str = "",
    of: str = "episodes",
    width: int = WIDTH,
) -> Chart:
    """Shares of outcomes, a bar a row.

    Args:
        rows: name and counts, from the top.
        colours: outcome -> colour, in the order of the stack.
        title: over the picture.
        subtitle: under the title.
        of: what is counted.
        width: ``WIDTH`` or ``NARROW``.
    """
    used = [name for name in colours if any(counts.get(name) for _, counts in rows)]
    totals = [sum(counts.values()) for _, counts in rows]
    names = [f"{label_text(name, 50)} · n={total:,}" for (name, _), total in zip(rows, totals, strict=True)]
    values = [
        {"name": name, "outcome": outcome.replace("_", " "), "share": counts.get(outcome, 0) / total, "place": place}
        for name, (_, counts), total in zip(names, rows, totals, strict=True)
        if total
        for place, outcome in enumerate(used)
    ]
    domain = [name.replace("_", " ") for name in used]
    chart: Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(height={"band": 0.72})
        .encode(
            y=_names(names, width),
            x=alt.X("sum(share):Q", title=f"share of {of}", scale=alt.Scale(domain=[0, 1]), axis=_ticks(width, ".0%")),
            color=alt.Color(
                "outcome:N",
                title=None,
                legend=_legend(width, 3),
                scale=alt.Scale(domain=domain, range=[colours[name] for name in used]),
            ),
            order=alt.Order("place:Q"),
        )
        .properties(width=width, height=_step(names, width), title=_title(title, subtitle, width))
    )
    return chart


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A curve over turns, from turn 1."""

    name: str
    colour: str
    points: Sequence[tuple[float | None, float | None, float | None]]
    """Estimate, low, high."""


def curves(lines: Sequence[Curve], *, what: str, title: str, subtitle: str = "", width: int = WIDTH) -> Chart:
    """Curves by turn, each with its band where it has one."""
    names = [label_text(line.name) for line in lines]
    values = [
        {"name": name, "turn": turn, "share": share, "low": low, "high": high}
        for name, line in zip(names, lines, strict=True)
        for turn, (share, low, high) in enumerate([(0.0, None, None), *line.points])
        if share is not None
    ]
    colour = alt.Color(
        "name:N",
        title=None,
        legend=_legend(width),
        sort=names,
        scale=alt.Scale(domain=names, range=[line.colour for line in lines]),
    )
    last = max((len(line.points) for line in lines), default=1)
    ticks = alt.Axis(
        values=[turn for turn in range(last + 1) if last <= 12 or turn % max(1, last // 10) == 0],
        format="d",
        grid=False,
    )
    x = alt.X("turn:Q", title="turn", scale=alt.Scale(domain=[0, last + 0.3]), axis=ticks)
    y = alt.Y("share:Q", title=what, scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(alt.InlineData(values=values))
    band = (
        base.transform_filter("isValid(datum.low)")
        .mark_area(opacity=0.16, interpolate="step-after")
        .encode(
            x=x,
            y=alt.Y("low:Q", title=what),
            y2="high:Q",
            color=colour,
        )
    )
    line = base.mark_line(interpolate="step-after").encode(x=x, y=y, color=colour)
    dots = (
        base.transform_filter("datum.turn > 0")
        .mark_point(size=26, opacity=1, filled=True)
        .encode(x=x, y=y, color=colour)
    )
    return alt.layer(band, line, dots).properties(
        width=width + 60 * (width < WIDTH), height=220, title=_title(title, subtitle, width)
    )


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


def _names(names: Sequence[str], width: int) -> alt.Y:
    """The axis of names; where there is little room each part of a name stands on a line of its own."""
    axis = alt.Axis(labelExpr="split(datum.label, ' · ')", labelLimit=130) if width < WIDTH else alt.Axis()
    return alt.Y("name:N", title=None, sort=list(names), axis=axis)


def _ticks(width: int, form: str | None = None) -> alt.Axis:
    return alt.Axis(tickCount=8 if width == WIDTH else 4, format=form or alt.Undefined)


def _step(names: Sequence[str], width: int) -> alt.Step:
    """Room for a row; where there is little room, for as many lines as the longest name has."""
    lines = max((name.count(" · ") + 1 for name in names), default=1)
    return alt.Step(26 if width == WIDTH else 16 + 15 * lines)


def _legend(width: int, columns: int = 1) -> alt.Legend:
    return alt.Legend() if width == WIDTH else alt.Legend(columns=columns)


def _title(title: str, subtitle: str, width: int) -> alt.TitleParams:
    room = 1.0 if width == WIDTH else 0.42
    lines = (
        textwrap.wrap(label_text(title, 90), int(84 * room)),
        textwrap.wrap(label_text(subtitle, 110), int(110 * room)),
    )
    return alt.TitleParams(lines[0], subtitle=lines[1] if lines[1] else alt.Undefined, frame="bounds")
