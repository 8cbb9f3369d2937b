"""Published cells laid beside ours: anchors to read a report by, never targets."""

from collections.abc import Sequence

from dilemma.studies.rows import EpisodeRow, mr_of
from dilemma_kernel.records import BASELINE, Cell, Rate, Record
from dilemma_kernel.statistics.published import published_cells
from dilemma_kernel.statistics.rates import wilson_rate

SOURCE = "Wang et al., arXiv:2602.04197"


class Compared(Record):
    """One published cell, and ours at the same level with every other factor at its baseline."""

    agent: str
    environment: str
    factor: str
    level: str
    published: Rate
    """From the counts that reproduce the printed percentage; Wilson over episodes, for the cores are not known."""
    ours: Rate
    difference: float | None
    """Ours minus the published figure; no interval, for scenarios, agents and label rule differ."""
    note: str = ""


def compare_published(cells: Sequence[Cell], rows: Sequence[EpisodeRow]) -> tuple[Compared, ...]:
    """Every published cell that the study has too, for each agent and environment."""
    found = []
    for cell in cells:
        for theirs in published_cells():
            if {**BASELINE, **cell.levels} != {**BASELINE, theirs.factor: theirs.level}:
                continue
            published = wilson_rate([theirs.misaligned], [theirs.n])
            ours = mr_of([row for row in rows if row.cell == cell.key])
            found.append(
                Compared(
                    agent=cell.agent,
                    environment=cell.environment,
                    factor=theirs.factor,
                    level=theirs.level,
                    published=published,
                    ours=ours,
                    difference=_difference(ours, published),
                    note=theirs.note,
                )
            )
    return tuple(found)


def _difference(ours: Rate, published: Rate) -> float | None:
    known = ours.estimate is not None and published.estimate is not None
    return ours.estimate - published.estimate if known else None  # type: ignore[operator]
