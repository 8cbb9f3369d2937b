"""Stacked bars of what came of episodes, and curves over turns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import altair as alt

from dilemma.charts import COLOURS, label_text
from dilemma.charts.drawing import Chart
from dilemma.review.report_parts.picture_layout import WIDTH, legend_of, name_axis, row_height, tick_axis, title_of
from dilemma_kernel.records import LABELS

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
        one
        for name, (_, counts), total in zip(names, rows, totals, strict=True)
        if total
        for one in _shares(name, counts, total, used)
    ]
    chart: Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar(height={"band": 0.72})
        .encode(
            y=name_axis(names, width),
            x=alt.X(
                "sum(share):Q", title=f"share of {of}", scale=alt.Scale(domain=[0, 1]), axis=tick_axis(width, ".0%")
            ),
            color=_stack_colour({name: colours[name] for name in used}, width),
            order=alt.Order("place:Q"),
        )
        .properties(width=width, height=row_height(names, width), title=title_of(title, subtitle, width))
    )
    return chart


def _stack_colour(colours: Mapping[str, str], width: int) -> alt.Color:
    scale = alt.Scale(domain=[name.replace("_", " ") for name in colours], range=list(colours.values()))
    return alt.Color("outcome:N", title=None, legend=legend_of(width, 3), scale=scale)


def _shares(name: str, counts: Mapping[str, int], total: int, used: Sequence[str]) -> Iterator[dict[str, object]]:
    for place, outcome in enumerate(used):
        share = counts.get(outcome, 0) / total
        yield {"name": name, "outcome": outcome.replace("_", " "), "share": share, "place": place}


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
    colour = alt.Color(
        "name:N",
        title=None,
        legend=legend_of(width),
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
    base = alt.Chart(alt.InlineData(values=list(_points(names, lines))))
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
        width=width + 60 * (width < WIDTH), height=220, title=title_of(title, subtitle, width)
    )


def _points(names: Sequence[str], lines: Sequence[Curve]) -> Iterator[dict[str, object]]:
    """Where each curve is after each turn; all begin at none."""
    for name, line in zip(names, lines, strict=True):
        for turn, (share, low, high) in enumerate([(0.0, None, None), *line.points]):
            if share is not None:
                yield {"name": name, "turn": turn, "share": share, "low": low, "high": high}
