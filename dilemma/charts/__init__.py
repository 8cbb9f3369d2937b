"""Pictures: one Altair theme, drawn offline to SVG and PNG. Importing this package loads no drawing library.

::

    from dilemma.charts import COLOURS, save_figure
    save_figure(alt.Chart(...), Path("figures"), "auc-by-layer")  # auc-by-layer.svg, auc-by-layer.png
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma.charts.drawing import page_svg, paper_png, paper_svg, save_figure
    from dilemma.charts.theme import CHART_CSS, COLOURS, GRID, INK, MUTED, SEQUENCE, label_text

_HOMES = {
    "CHART_CSS": "theme",
    "COLOURS": "theme",
    "GRID": "theme",
    "INK": "theme",
    "MUTED": "theme",
    "SEQUENCE": "theme",
    "label_text": "theme",
    "page_svg": "drawing",
    "paper_png": "drawing",
    "paper_svg": "drawing",
    "save_figure": "drawing",
}

__all__ = [
    "CHART_CSS",
    "COLOURS",
    "GRID",
    "INK",
    "MUTED",
    "SEQUENCE",
    "label_text",
    "page_svg",
    "paper_png",
    "paper_svg",
    "save_figure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
