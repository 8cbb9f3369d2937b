"""Where things stand in a picture: in a wide page and on paper, and on a telephone."""

import textwrap
from collections.abc import Sequence

import altair as alt

from dilemma.charts import label_text

WIDTH, NARROW = 520, 190
"""Pixels of the part that is measured along, without its labels: in a wide page and on paper, and on a telephone."""

_LINE = 15
"""Pixels from one line of a name to the next."""


def name_axis(names: Sequence[str], width: int) -> alt.Y:
    """The axis of names; where there is little room each part of a name stands on a line of its own."""
    if width == WIDTH:
        return alt.Y("name:N", title=None, sort=list(names), axis=alt.Axis())
    axis = alt.Axis(labelExpr="split(datum.label, ' · ')", labelLimit=130, labelOffset=-_LINE * (_lines(names) - 1) / 2)
    return alt.Y("name:N", title=None, sort=list(names), axis=axis)


def tick_axis(width: int, form: str | None = None) -> alt.Axis:
    """Ticks of what is measured along."""
    return alt.Axis(tickCount=8 if width == WIDTH else 4, format=form or alt.Undefined)


def row_height(names: Sequence[str], width: int) -> alt.Step:
    """Room for a row; where there is little room, for as many lines as the longest name has."""
    return alt.Step(26 if width == WIDTH else 16 + _LINE * _lines(names))


def _lines(names: Sequence[str]) -> int:
    return max((name.count(" · ") + 1 for name in names), default=1)


def legend_of(width: int, columns: int = 1) -> alt.Legend:
    """A legend below the picture, in columns where there is little room."""
    return alt.Legend() if width == WIDTH else alt.Legend(columns=columns)


def title_of(title: str, subtitle: str, width: int) -> alt.TitleParams:
    """Title and subtitle, broken to the width."""
    room = 1.0 if width == WIDTH else 0.42
    lines = (
        textwrap.wrap(label_text(title, 90), int(84 * room)),
        textwrap.wrap(label_text(subtitle, 110), int(110 * room)),
    )
    return alt.TitleParams(lines[0], subtitle=lines[1] if lines[1] else alt.Undefined, frame="bounds")
