"""Figures that the paper printed on refusal's mechanism: anchors, never targets for data."""

import csv
from functools import cache
from importlib.resources import files

from dilemma_kernel.records.base import Record


class PublishedFigure(Record):
    """One figure as printed."""

    table: int
    model: str
    quantity: str
    coefficient: float | None
    """Of a steering sweep."""
    low: float
    high: float
    """Equal to ``low`` where one number was printed; else the ends of a range over models."""

    @property
    def text(self) -> str:
        """``0.24``, or ``0.13–0.90``."""
        one = f"{self.low:.3g}"
        return one if self.low == self.high else f"{one}–{self.high:.3g}"


@cache
def published_mechanism() -> tuple[PublishedFigure, ...]:
    """Every figure, table by table."""
    text = files("refusal_mechanism").joinpath("reference", "mechanism_published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(PublishedFigure.model_validate({**row, "coefficient": row["coefficient"] or None}) for row in rows)
