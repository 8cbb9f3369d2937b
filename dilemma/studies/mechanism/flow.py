"""A flow in three columns: bands as wide as what flows, from chat to tools to the patch."""

import math
from collections.abc import Mapping
from typing import Any

import altair as alt

from dilemma.charts import COLOURS, INK
from dilemma.charts.drawing import Chart

FLOW_COLOURS: Mapping[str, str] = {
    "refused in chat": COLOURS["blue"],
    "unsafe call": COLOURS["vermilion"],
    "safe call": COLOURS["green"],
    "refusal": COLOURS["blue"],
    "no call": COLOURS["sky"],
    "degenerate": COLOURS["pink"],
    "malformed": COLOURS["grey"],
}
GAP, NODE = 0.03, 0.03
"""Room between nodes, as a share of the whole height, and their width, as a share of the whole width."""
STEPS = 24
COLUMNS = (0.0, 0.5, 1.0)
HEADS = ("chat", "under tools", "after the patch")


def flow_chart(
    flow: Mapping[str, Mapping[str, int]], *, width: int, height: int, title: alt.TitleParams | str
) -> Chart:
    """Draw counts from outcomes under tools to outcomes after the patch, all of triples refused in chat.

    Args:
        flow: outcome under tools -> outcome after the patch -> triples.
        width: pixels.
        height: pixels.
        title: of the chart.
    """
    total = sum(sum(row.values()) for row in flow.values())
    middle = {name: sum(row.values()) for name, row in flow.items()}
    end = {name: sum(row.get(name, 0) for row in flow.values()) for name in flow}
    start = {"refused in chat": total}
    tops = [_tops(counts, total) for counts in (start, middle, end)]
    bands: list[dict[str, Any]] = []
    taken = dict(tops[0])
    for name, count in middle.items():
        bands += _band(f"0 {name}", name, count / total, 0, taken["refused in chat"], tops[1][name])
        taken["refused in chat"] += count / total
    left, right = dict(tops[1]), dict(tops[2])
    for name, row in flow.items():
        for after, count in row.items():
            bands += _band(f"1 {name} {after}", after, count / total, 1, left[name], right[after])
            left[name] += count / total
            right[after] += count / total
    nodes = [
        node
        for column, counts in enumerate((start, middle, end))
        for node in _nodes(column, counts, tops[column], total)
    ]
    whole: Chart = (
        alt.layer(_bands(bands), _boxes(nodes), _words(nodes), _heads())
        .properties(width=width, height=height, title=title)
        .configure_view(stroke=None)
    )
    return whole


def _tops(counts: Mapping[str, int], total: int) -> dict[str, float]:
    """Where each node begins, one below the other, those with nothing taking no room."""
    tops, at = {}, 0.0
    for name, count in counts.items():
        tops[name] = at
        at += count / total + (GAP if count else 0.0)
    return tops


def _band(key: str, colour: str, thick: float, column: int, left: float, right: float) -> list[dict[str, Any]]:
    if not thick:
        return []
    first, last = COLUMNS[column] + NODE, COLUMNS[column + 1]
    return [
        {
            "band": key,
            "outcome": colour,
            "x": first + (last - first) * step / STEPS,
            "top": left + (right - left) * bend,
            "bottom": left + (right - left) * bend + thick,
        }
        for step in range(STEPS + 1)
        for bend in ((1 - math.cos(math.pi * step / STEPS)) / 2,)
    ]


def _nodes(column: int, counts: Mapping[str, int], tops: Mapping[str, float], total: int) -> list[dict[str, Any]]:
    return [
        {
            "outcome": name,
            "x": COLUMNS[column],
            "x2": COLUMNS[column] + NODE,
            "top": tops[name],
            "bottom": tops[name] + count / total,
            "middle": tops[name] + count / total / 2,
            "words": f"{name} {count}",
        }
        for name, count in counts.items()
        if count
    ]


_X = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1.3]))
_DOWN = alt.Scale(domain=[1.13, -0.08])
_COLOUR = alt.Color(
    "outcome:N", legend=None, scale=alt.Scale(domain=list(FLOW_COLOURS), range=list(FLOW_COLOURS.values()))
)


def _bands(rows: list[dict[str, Any]]) -> Any:
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_area(opacity=0.4)
        .encode(x=_X, y=alt.Y("top:Q", axis=None, scale=_DOWN), y2="bottom:Q", color=_COLOUR, detail="band:N")
    )


def _boxes(rows: list[dict[str, Any]]) -> Any:
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(x=_X, x2="x2:Q", y=alt.Y("top:Q", axis=None, scale=_DOWN), y2="bottom:Q", color=_COLOUR)
    )


def _words(rows: list[dict[str, Any]]) -> Any:
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_text(align="left", dx=6, color=INK)
        .encode(x=alt.X("x2:Q", axis=None), y=alt.Y("middle:Q", axis=None, scale=_DOWN), text="words:N")
    )


def _heads() -> Any:
    rows = [{"x": x, "y": -0.05, "words": words} for x, words in zip(COLUMNS, HEADS, strict=True)]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_text(align="left", fontWeight=600, color=INK)
        .encode(x=_X, y=alt.Y("y:Q", axis=None, scale=_DOWN), text="words:N")
    )
