"""Designs: which cells a study has. Pure, but for reading a table that a person gives."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path

from dilemma_kernel.errors import DesignError
from dilemma_kernel.records import BASELINE, FACTORS, Cell

CONTROLS: Mapping[str, tuple[str, str, str]] = {
    "order": ("order", "shuffled", "fixed"),
    "names": ("names", "neutral", "opaque"),
    "no-dilemma": ("conflict", "present", "removed"),
    "interface": ("interface", "auto", "prompted"),
    "comprehension": ("comprehension", "unasked", "asked"),
}
"""Control -> factor, the level that it is held against, the control's level."""

SIDES = ("agent", "environment")
"""Columns of a table of cells that are no factor of ``FACTORS``."""

RULES = "rules"

Row = Mapping[str, str]


def design_rows(
    vary: Sequence[str], one_at_a_time: Sequence[str], table: Sequence[Row], held: Mapping[str, str]
) -> tuple[dict[str, str], ...]:
    """Rows of a design: what each cell sets apart from the levels that are held throughout.

    Args:
        vary: factors crossed with each other, all levels of each: a full factorial.
        one_at_a_time: factors changed one by one from the held levels.
        table: cells given one by one, such as a fraction of a factorial; names of factors, ``agent``, ``environment``.
        held: factor -> level, for the factors held off their baseline.

    Raises:
        DesignError: two kinds of design at once, an unknown factor or level, a factor both held and varied, or a
            table whose rows do not name the same columns, or one twice.
    """
    if sum(map(bool, (vary, one_at_a_time, table))) > 1:
        raise DesignError("choose one of --vary, --one-at-a-time and --design: they are different designs")
    _check_varied((*vary, *one_at_a_time), held)
    if vary:
        levels = [_levels_first(name) for name in vary]
        return tuple(dict(zip(vary, chosen, strict=True)) for chosen in product(*levels))
    if one_at_a_time:
        changes = [{name: level} for name in one_at_a_time for level in _levels_first(name)[1:]]
        return ({}, *changes)
    return _table_rows(table, held) if table else ({},)


def read_table(path: Path) -> tuple[dict[str, str], ...]:
    """The rows of a CSV table of cells. Raises ``DesignError`` where it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DesignError(f"{path}: cannot be read as a table of cells: {error}") from None
    if not rows or any(None in row or None in row.values() for row in rows):
        raise DesignError(f"{path}: expected a header of factors and a row for each cell, all of one length")
    return tuple({name.strip(): level.strip() for name, level in row.items()} for row in rows)


def control_levels(names: Sequence[str], rows: Iterable[Row], held: Mapping[str, str]) -> dict[str, str]:
    """Control factor -> level, for the controls named.

    Raises:
        DesignError: an unknown control, or one whose factor the design varies or holds at the control's level.
    """
    found = {}
    varied = {name for row in rows for name in row}
    for name in dict.fromkeys(names):
        if name not in CONTROLS:
            raise DesignError(f"unknown control {name!r}; there are {', '.join(CONTROLS)}")
        factor, against, level = CONTROLS[name]
        if factor in varied:
            raise DesignError(f"--control {name}: the design varies {factor} already; its effect is among the effects")
        if held.get(factor, against) != against:
            raise DesignError(f"--control {name} sets {factor}={level} against {against}, but {factor} is held already")
        found[factor] = level
    return found


def with_controls(cells: Sequence[Cell], controls: Mapping[str, str]) -> tuple[Cell, ...]:
    """The cells, and for each control a twin of every agent's and environment's reference cell.

    The reference cell is the one whose factors are at their baseline, or the first where there is none.
    """
    twins = [
        cell.model_copy(update={"levels": {**cell.levels, factor: level}})
        for factor, level in controls.items()
        for cell in reference_cells(cells)
    ]
    return (*cells, *twins)


def reference_cells(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Of each agent and environment, the cell that is nearest to the baseline; the first among equals."""
    pairs: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        pairs.setdefault((cell.agent, cell.environment), []).append(cell)
    return tuple(min(several, key=_distance) for several in pairs.values())


def is_control(cell: Cell, controls: Mapping[str, str]) -> bool:
    """Whether a cell was added as a control."""
    return any(cell.levels.get(factor) == level for factor, level in controls.items())


def check_cells(cells: Sequence[Cell]) -> None:
    """Refuse what cannot be run; raises ``DesignError``."""
    if len({cell.key for cell in cells}) < len(cells):
        raise DesignError("the design names a cell twice")
    if any(cell.environment == RULES and cell.levels.get("adversarial") == "on" for cell in cells):
        raise DesignError("adversarial=on needs an environment that a model plays: name one with --environment MODEL")


def _distance(cell: Cell) -> int:
    return sum(level != BASELINE[name] for name, level in cell.levels.items())


def _check_varied(names: Sequence[str], held: Mapping[str, str]) -> None:
    for name in names:
        if name not in FACTORS:
            raise DesignError(f"unknown factor {name!r}; there are {', '.join(FACTORS)}")
        if name in held:
            raise DesignError(f"factor {name} is varied by the design, and held at {held[name]} too")
    if len(set(names)) < len(names):
        raise DesignError("the design names a factor twice")


def _levels_first(name: str) -> list[str]:
    """A factor's levels, the baseline first."""
    factor = FACTORS[name]
    return [factor.baseline, *(level for level in factor.levels if level != factor.baseline)]


def _table_rows(table: Sequence[Row], held: Mapping[str, str]) -> tuple[dict[str, str], ...]:
    columns = set(table[0])
    for number, row in enumerate(table, start=1):
        if set(row) != columns:
            raise DesignError(f"cell {number} of the design does not name the same factors as the first")
    _check_varied([name for name in table[0] if name not in SIDES], held)
    return tuple(dict(row) for row in table)
