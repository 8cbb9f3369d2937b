"""The theme of every picture: quiet axes, colours that colour-blind readers can tell apart, one ink."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dilemma_kernel.unseen import code_point, replace_unseen

INK, MUTED, GRID, PAPER = "#1c2128", "#5b6472", "#dde1e6", "#ffffff"
"""Words, quiet words, grid lines, paper. In a page they follow its colours: see ``CHART_CSS``."""

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "vermilion": "#d55e00",
        "orange": "#e69f00",
        "blue": "#2b83c9",
        "sky": "#56b4e9",
        "green": "#0f9f76",
        "pink": "#cc79a7",
        "grey": "#8a93a0",
    }
)
"""After Okabe and Ito, shifted so that each stands out on white paper and on a dark page."""

SEQUENCE: Sequence[str] = tuple(COLOURS[name] for name in ("blue", "vermilion", "green", "pink", "orange", "sky"))
"""Colours of series that have no colour of their own."""

_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
_MOST_CHARS = 60
_BREAKS = re.compile(r"[\n\t]+")

CONFIG: Mapping[str, Any] = MappingProxyType(
    {
        "background": PAPER,
        "font": _FONT,
        "padding": 8,
        "view": {"stroke": None, "continuousWidth": 460, "continuousHeight": 240, "discreteHeight": {"step": 26}},
        "axis": {
            "domainColor": MUTED,
            "gridColor": GRID,
            "labelColor": INK,
            "labelFontSize": 12,
            "labelLimit": 420,
            "tickColor": MUTED,
            "titleColor": MUTED,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 10,
        },
        "axisQuantitative": {"labelFlush": False, "labelOverlap": True, "tickCount": 8},
        "axisBand": {"grid": False, "ticks": False, "domain": False, "labelPadding": 8},
        "header": {"labelColor": INK, "labelFontSize": 13, "titleColor": MUTED, "titleFontWeight": "normal"},
        "legend": {
            "labelColor": INK,
            "labelFontSize": 12,
            "labelLimit": 260,
            "orient": "bottom",
            "symbolOpacity": 1,
            "symbolSize": 110,
            "titleColor": MUTED,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
        "title": {"anchor": "start", "color": INK, "fontSize": 15, "fontWeight": 600, "offset": 12,
                  "subtitleColor": MUTED, "subtitleFontSize": 12, "subtitlePadding": 4},
        "range": {"category": list(SEQUENCE)},
        "text": {"color": INK, "fontSize": 12},
        "rule": {"color": INK},
        "tick": {"color": INK},
        "line": {"strokeWidth": 2},
        "point": {"size": 70, "filled": True},
        "bar": {"color": COLOURS["blue"]},
    }
)  # fmt: skip
"""Vega-Lite's ``config``."""

CHART_CSS = """
:root { --chart-ink: #1c2128; --chart-muted: #5b6472; --chart-grid: #dde1e6; --chart-paper: #ffffff; }
@media screen and (prefers-color-scheme: dark) {
  :root { --chart-ink: #e6e9ee; --chart-muted: #a3adba; --chart-grid: #39414d; --chart-paper: #14181d; }
}
"""
"""What a page needs for its pictures to follow its colours, light, dark and printed."""


def label_text(text: str, most: int = _MOST_CHARS) -> str:
    """``text`` fit for a label: one line, of ``most`` characters at most, every control character written out."""
    shown = replace_unseen(_BREAKS.sub(" ", text[: most + 1]), lambda char: f"<{code_point(char)}>")
    return shown if len(shown) <= most and len(text) <= most else f"{shown[: most - 1]}…"
