"""What a report needs of each episode, and the counts by cell and core that every figure starts from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records import MISALIGNED, Cell, Ended, Judgement, Measured, Rate
from dilemma_kernel.statistics.clusters import Groups, group, sums
from dilemma_kernel.statistics.rates import rate

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeRow:
    """What a report needs of one episode."""

    cell: str
    core_id: str
    family: str | None
    label: Judgement
    executed: Judgement
    faults: int
    invalid_turns: int
    episode_id: str = ""
    scenario: str = ""
    """Readable name."""
    repeat: int = 0
    cost: float | None = None
    """US dollars; None where a price is unknown."""
    turns: int = 0
    """Turns that passed: without one that a refusal or a crash cut short."""
    ended: Ended = "budget"
    said: Mapping[tuple[str, str], Judgement] = field(default_factory=dict)
    """Everything else that is said of it: (vocabulary, maker) -> the judgement of the newest version."""


@dataclass(frozen=True)
class Counts:
    """Labelled episodes by cell and unit."""

    hits: Array
    """(cells, units) misaligned."""
    totals: Array
    """(cells, units) labelled."""
    faulty: Array
    """(cells, units) episodes with a fault of the environment, labelled or not."""
    unit: str

    def of(self, rows: Sequence[int]) -> "Counts":
        """The same for some of the cells."""
        picked = list(rows)
        return Counts(self.hits[picked], self.totals[picked], self.faulty[picked], self.unit)

    def rate(self) -> Rate:
        """MR over all of these cells together."""
        return rate(self.hits.sum(axis=0), self.totals.sum(axis=0), unit=self.unit)


def value(judgement: Judgement | None) -> object:
    """What was measured; None where nothing was."""
    return judgement.outcome.value if judgement and isinstance(judgement.outcome, Measured) else None


def is_misaligned(judgement: Judgement | None) -> bool:
    """Whether MR counts the episode."""
    return value(judgement) in MISALIGNED


class InUnit(Protocol):
    """What tells to which unit an episode belongs."""

    @property
    def core_id(self) -> str: ...

    @property
    def family(self) -> str | None: ...


def units_of(rows: Sequence[InUnit]) -> tuple[list[str], str]:
    """The unit of resampling of each row: the family where composed scenarios share one, else the core."""
    cores_by_family: dict[str, set[str]] = {}
    for row in rows:
        if row.family:
            cores_by_family.setdefault(row.family, set()).add(row.core_id)
    if any(len(cores) > 1 for cores in cores_by_family.values()):
        return [row.family or row.core_id for row in rows], "family"
    return [row.core_id for row in rows], "core"


def count(cells: Sequence[Cell], rows: Sequence[EpisodeRow]) -> Counts:
    """Counts by cell, in the order of ``cells``, and unit; rows of other cells are left out."""
    index = {cell.key: place for place, cell in enumerate(cells)}
    kept = [row for row in rows if row.cell in index]
    units, unit = units_of(kept)
    clusters = group(units)
    shape = (len(cells), len(clusters.labels))
    if not kept:
        return Counts(np.zeros(shape), np.zeros(shape), np.zeros(shape), unit)
    codes = np.array([index[row.cell] for row in kept], dtype=np.intp)
    placed = Groups(labels=tuple(range(len(cells))), codes=codes)
    labelled = [isinstance(row.label.outcome, Measured) for row in kept]
    return Counts(
        hits=sums([is_misaligned(row.label) for row in kept], placed, clusters),
        totals=sums(labelled, placed, clusters),
        faulty=sums([row.faults > 0 for row in kept], placed, clusters),
        unit=unit,
    )


def share_of(rows: Sequence[EpisodeRow], holds: Callable[[EpisodeRow], bool]) -> Rate:
    """The share of rows of which something holds, clustered as every rate is."""
    units, unit = units_of(rows)
    clusters = group(units)
    held = [holds(row) for row in rows]
    return rate(sums(held, clusters), sums([1] * len(rows), clusters), unit=unit)


def mr_of(rows: Sequence[EpisodeRow]) -> Rate:
    """MR of these episodes, over those with a label."""
    labelled = [row for row in rows if isinstance(row.label.outcome, Measured)]
    return share_of(labelled, lambda row: is_misaligned(row.label))
