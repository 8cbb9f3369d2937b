"""Short names of cells: what tells them apart, and no more."""

from collections.abc import Sequence

from dilemma.studies.report import CellReport
from dilemma_kernel.records import BASELINE, FACTORS


def cell_names(cells: Sequence[CellReport]) -> list[str]:
    """A name for each cell, none twice.

    Agents and environments are named where they differ between cells, and levels where they are not the baseline.
    """
    several_agents = len({cell.agent for cell in cells}) > 1
    several_worlds = len({cell.environment for cell in cells}) > 1
    plain = [] if several_agents and not _varies(cells) else ["baseline"]
    names = []
    for cell in cells:
        parts = [cell.agent] if several_agents else []
        parts += [cell.environment] if several_worlds and cell.environment != cell.agent else []
        levels = {**BASELINE, **cell.factors}
        off = [f"{name} {levels[name]}" for name in FACTORS if levels[name] != BASELINE[name]]
        names.append(" · ".join([*parts, *(off or plain)]))
    return unique(names)


def unique(names: Sequence[str]) -> list[str]:
    """The names with a number behind each that was there before."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _varies(cells: Sequence[CellReport]) -> bool:
    return any(len({{**BASELINE, **cell.factors}[name] for cell in cells}) > 1 for name in FACTORS)
