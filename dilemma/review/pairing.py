"""Which episodes are read side by side: baseline and level, another agent, a fork and its origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dilemma_kernel.records import BASELINE, Cell, StudyRecord
from trajectories.wanted import EpisodeLine


@dataclass(frozen=True)
class Pair:
    """An episode to read beside another."""

    line: EpisodeLine
    why: str


def pairs_of(here: EpisodeLine, related: Sequence[EpisodeLine], study: StudyRecord) -> list[Pair]:
    """The episodes that differ from ``here`` in one thing, the closest first.

    Args:
        here: an episode.
        related: others of its case and repeat.
        study: whose cells tell the levels.
    """
    cells = {cell.key: cell for cell in study.cells}
    found = [Pair(line, why) for line in related if (why := _why(here, line, cells))]
    return sorted(found, key=lambda pair: (not pair.why.startswith(("a fork", "the origin")), pair.line.agent))


def _why(here: EpisodeLine, other: EpisodeLine, cells: Mapping[str, Cell]) -> str:
    if other.origin == here.episode_id:
        return "a fork of this one"
    if here.origin == other.episode_id:
        return "the origin of this fork"
    if here.origin or other.origin:
        return ""
    mine, theirs = cells.get(here.cell), cells.get(other.cell)
    if mine is None or theirs is None:
        return ""
    return _difference(mine, theirs)


def _difference(mine: Cell, theirs: Cell) -> str:
    """What alone is different between two cells; empty where more than one thing is."""
    parts = [
        f"{name} {theirs_level}{' (baseline)' if BASELINE.get(name) == theirs_level else ''}"
        for name in sorted(mine.levels.keys() | theirs.levels.keys())
        if (theirs_level := _level(theirs, name)) != _level(mine, name)
    ]
    parts += [f"agent {theirs.agent}"] if theirs.agent != mine.agent else []
    parts += [f"environment {theirs.environment}"] if theirs.environment != mine.environment else []
    return parts[0] if len(parts) == 1 else ""


def _level(cell: Cell, name: str) -> str:
    return cell.levels.get(name, BASELINE.get(name, ""))


def differing_levels(cells: Sequence[Cell]) -> dict[str, str]:
    """Key of a cell -> its name among these: the levels that are not the same in all, agent and environment if several.

    Args:
        cells: of a study.
    """
    agents, worlds = {cell.agent for cell in cells}, {cell.environment for cell in cells}
    names = sorted({name for cell in cells for name in cell.levels})
    varied = [name for name in names if len({_level(cell, name) for cell in cells}) > 1]
    found = {}
    for cell in cells:
        parts = [cell.agent] if len(agents) > 1 else []
        parts += [cell.environment] if len(worlds) > 1 else []
        parts += [f"{name} {_level(cell, name)}" for name in varied]
        found[cell.key] = " · ".join(parts) or "the only cell"
    return found
