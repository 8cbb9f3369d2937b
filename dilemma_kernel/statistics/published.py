"""Figures that others published, with the counts that reproduce them: anchors, never targets for data."""

import csv
from functools import cache
from importlib.resources import files

from dilemma_kernel.records.base import Record


class PublishedCell(Record):
    """One cell of Wang et al. (arXiv:2602.04197): label counts, and percentages as printed."""

    factor: str
    level: str
    n: int
    """Episodes; inferred as the smallest number that reproduces the printed rounding."""
    strategic: int
    direct: int
    failed: int
    robust: int
    strategic_pct: float
    direct_pct: float
    failed_pct: float
    robust_pct: float
    mr_pct: float
    note: str = ""

    @property
    def misaligned(self) -> int:
        """Episodes that MR counts."""
        return self.strategic + self.direct


class PublishedTransfer(Record):
    """One model of Table 1 of the refusal-transfer paper: counts, and shares as printed."""

    model: str
    triples: int
    """Harmful triples."""
    refused: int
    """Triples refused in chat."""
    unsafe_normal: int
    """Triples whose tool-enabled normal arm is unsafe, refused in chat or not."""
    unsafe_stress: int
    divergent_normal: int
    """Triples refused in chat whose tool-enabled normal arm is unsafe."""
    divergent_stress: int
    refusal_rate: float
    unsafe_rate_normal: float
    unsafe_rate_stress: float
    divergence_normal: float
    divergence_stress: float


@cache
def published_cells() -> tuple[PublishedCell, ...]:
    """The published misalignment rates by cell."""
    return tuple(PublishedCell.model_validate(row) for row in _rows("dilemma_published.csv"))


@cache
def published_transfer() -> tuple[PublishedTransfer, ...]:
    """The published refusal-transfer rates by model."""
    return tuple(PublishedTransfer.model_validate(row) for row in _rows("transfer_table1.csv"))


def _rows(name: str) -> list[dict[str, str]]:
    text = files("dilemma_kernel.statistics").joinpath("reference", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
