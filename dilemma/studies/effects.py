"""What a design's factors do to MR: rates by level, effects and interactions, the GEE beside, without faults."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dilemma.studies.rows import Counts
from dilemma_kernel.records import BASELINE, FACTORS, Cell, Effect, Rate, Record
from dilemma_kernel.statistics.effects import fault_free, interaction_effects, main_effects
from dilemma_kernel.statistics.gee import gee_effects
from dilemma_kernel.statistics.rates import rate

CANNOT = "Unmeasured (the design cannot tell it apart)"

Levels = Mapping[str, str]


class LevelRate(Record):
    """MR at one level of a factor."""

    factor: str
    level: str
    cells: int
    """Cells that are pooled."""
    mr: Rate
    note: str = ""
    """Empty where the same cells stand at every level of the factor, so that levels compare."""


class FaultFree(Record):
    """The figures once every core with a fault of the environment in any cell is left out of all cells."""

    dropped: int
    """Cores (or families) left out."""
    rates: tuple[Rate, ...]
    """MR of each of the design's cells, in their order."""
    effects: tuple[Effect, ...]


class Effects(Record):
    """Everything on what the factors do."""

    by_factor: tuple[LevelRate, ...] = ()
    effects: tuple[Effect, ...] = ()
    """Main effects: means of paired core differences, Holm over all of them."""
    interactions: tuple[Effect, ...] = ()
    """Two-way interactions that the design can tell apart, Holm over all of them."""
    gee: tuple[Effect, ...] = ()
    """The main effects as log odds ratios."""
    gee_interactions: tuple[Effect, ...] = ()
    fault_free: FaultFree | None = None
    """None where no environment made a fault."""


def varied(cells: Sequence[Cell]) -> tuple[dict[str, str], ...]:
    """Each cell as factor -> level, over the factors that differ between cells; agent and environment are factors.

    Where each agent has an environment of its own, the environment is no factor: the two cannot be told apart.
    """
    rows = [{"agent": cell.agent, "environment": cell.environment, **_filled(cell)} for cell in cells]
    names = [name for name in ("agent", "environment", *FACTORS) if len({row[name] for row in rows}) > 1]
    if "agent" in names and len({(row["agent"], row["environment"]) for row in rows}) == len(
        {row["agent"] for row in rows}
    ):
        names = [name for name in names if name != "environment"]
    return tuple({name: row[name] for name in names} for row in rows)


def find_effects(cells: Sequence[Cell], counts: Counts) -> Effects:
    """What the factors of a design do.

    Args:
        cells: the design's cells, controls left out.
        counts: theirs, in the same order.
    """
    rows = varied(cells)
    free = _fault_free(rows, counts)
    if not rows or not rows[0]:
        return Effects(fault_free=free)
    crossed = _those(interaction_effects, rows, counts)
    known = {effect.name for effect in crossed}
    gee_crossed = gee_effects(rows, counts.hits, counts.totals, baseline=BASELINE, interactions=True, unit=counts.unit)
    return Effects(
        by_factor=_by_factor(rows, counts),
        effects=main_effects(rows, counts.hits, counts.totals, baseline=BASELINE, unit=counts.unit),
        interactions=crossed,
        gee=gee_effects(rows, counts.hits, counts.totals, baseline=BASELINE, unit=counts.unit),
        gee_interactions=tuple(effect for effect in gee_crossed if effect.name in known),
        fault_free=free,
    )


def _filled(cell: Cell) -> dict[str, str]:
    return {**BASELINE, **cell.levels}


def _those(find: Callable[..., tuple[Effect, ...]], rows: Sequence[Levels], counts: Counts) -> tuple[Effect, ...]:
    """The effects of a family that the design can tell apart."""
    found = find(rows, counts.hits, counts.totals, baseline=BASELINE, unit=counts.unit)
    return tuple(effect for effect in found if effect.note != CANNOT)


def _by_factor(rows: Sequence[Levels], counts: Counts) -> tuple[LevelRate, ...]:
    found = []
    for factor in rows[0]:
        levels = list(dict.fromkeys(row[factor] for row in rows))
        balanced = _balanced(rows, factor, levels)
        for level in levels:
            there = [i for i in (balanced or range(len(rows))) if rows[i][factor] == level]
            found.append(
                LevelRate(
                    factor=factor,
                    level=level,
                    cells=len(there),
                    mr=counts.of(there).rate(),
                    note="" if balanced else "the levels of other factors differ between the rows",
                )
            )
    return tuple(found)


def _balanced(rows: Sequence[Levels], factor: str, levels: Sequence[str]) -> list[int]:
    """The cells that have a twin at every level of ``factor``, all else equal."""
    there = {tuple(sorted(row.items())) for row in rows}
    return [
        index
        for index, row in enumerate(rows)
        if all(tuple(sorted({**row, factor: level}.items())) in there for level in levels)
    ]


def _fault_free(rows: Sequence[Levels], counts: Counts) -> FaultFree | None:
    if not counts.faulty.any():
        return None
    hits, totals = fault_free(counts.hits, counts.totals, counts.faulty)
    several: dict[str, Any] = {"baseline": BASELINE, "unit": counts.unit}
    return FaultFree(
        dropped=int((counts.faulty.sum(axis=0) > 0).sum()),
        rates=tuple(rate(h, n, unit=counts.unit) for h, n in zip(hits, totals, strict=True)),
        effects=main_effects(rows, hits, totals, **several) if rows and rows[0] else (),
    )
