"""Controls: what order, names, interface and being asked do to MR, and the empirical floor."""

from collections.abc import Mapping, Sequence

from dilemma.studies.design import CONTROLS, is_control
from dilemma.studies.rows import Counts, EpisodeRow, count, mr_of, share_of, value
from dilemma_kernel.records import Cell, Effect, Rate, Record, StudyRecord
from dilemma_kernel.semantics.comprehension import RIGHT, VOCABULARY, WRONG
from dilemma_kernel.statistics.effects import main_effects, with_holm


class Comprehension(Record):
    """What the probe question shows."""

    right: int
    wrong: int
    unmeasured: int
    """No choice could be read, or the agent refused to answer."""
    share_right: Rate
    """Right among the answers that could be read."""
    mr_right: Rate
    """MR of the episodes whose answer was right."""
    mr_wrong: Rate


class ControlReport(Record):
    """One control: the cells that were added, against their twins."""

    control: str
    factor: str
    against: str
    """The level of the twins."""
    level: str
    """The level of the control's cells."""
    mr_against: Rate
    mr: Rate
    shift: Effect
    """MR at ``level`` minus MR at ``against``: mean of paired core differences, Holm over the study's controls."""
    comprehension: Comprehension | None = None


def control_reports(study: StudyRecord, rows: Sequence[EpisodeRow]) -> tuple[ControlReport, ...]:
    """Every control of a study, in the order in which they were asked for."""
    found = [_report(study, factor, level, rows) for factor, level in study.controls.items()]
    shifts = with_holm([report.shift for report in found])
    return tuple(r.model_copy(update={"shift": shift}) for r, shift in zip(found, shifts, strict=True))


def control_of(cell: Cell, controls: Mapping[str, str]) -> str | None:
    """The control that a cell was added for; None for a cell of the design."""
    added = (name for name, (factor, _, _) in CONTROLS.items() if controls.get(factor, "") == cell.levels.get(factor))
    return next(added, None)


def design_cells(study: StudyRecord) -> tuple[Cell, ...]:
    """The cells of a study without those that were added as controls."""
    return tuple(cell for cell in study.cells if not is_control(cell, study.controls))


def _report(study: StudyRecord, factor: str, level: str, rows: Sequence[EpisodeRow]) -> ControlReport:
    name, against = next((name, a) for name, (known, a, _) in CONTROLS.items() if known == factor)
    with_it = [cell for cell in study.cells if cell.levels.get(factor) == level]
    keys = {cell.key: cell for cell in study.cells}
    twins = [keys[cell.model_copy(update={"levels": {**cell.levels, factor: against}}).key] for cell in with_it]
    counts = count([*twins, *with_it], rows)
    half = range(len(twins))
    return ControlReport(
        control=name,
        factor=factor,
        against=against,
        level=level,
        mr_against=counts.of(half).rate(),
        mr=counts.of([len(twins) + i for i in half]).rate(),
        shift=_shift(factor, level, against, counts, len(twins)),
        comprehension=_comprehension([row for row in rows if row.cell in {c.key for c in with_it}])
        if factor == VOCABULARY
        else None,
    )


def _shift(factor: str, level: str, against: str, counts: Counts, pairs: int) -> Effect:
    """The paired shift, averaged over the twins of every agent and environment."""
    cells = [
        {"twin": str(pair), factor: at} if pairs > 1 else {factor: at}
        for at in (against, level)
        for pair in range(pairs)
    ]
    effects = main_effects(cells, counts.hits, counts.totals, baseline={factor: against}, unit=counts.unit)
    return next(effect for effect in effects if effect.name.startswith(f"{factor}: "))


def _comprehension(rows: Sequence[EpisodeRow]) -> Comprehension:
    answers = {row.episode_id: value(row.said.get((VOCABULARY, "rules"))) for row in rows}
    right = [row for row in rows if answers[row.episode_id] == RIGHT]
    wrong = [row for row in rows if answers[row.episode_id] == WRONG]
    return Comprehension(
        right=len(right),
        wrong=len(wrong),
        unmeasured=len(rows) - len(right) - len(wrong),
        share_right=share_of([*right, *wrong], lambda row: answers[row.episode_id] == RIGHT),
        mr_right=mr_of(right),
        mr_wrong=mr_of(wrong),
    )
