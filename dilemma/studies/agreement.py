"""Judges beside the rules: their own MR, how well they agree, and their figures corrected by people's sheets."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from dilemma.studies.rows import EpisodeRow, is_misaligned, share_of, units_of, value
from dilemma_kernel.records import Cell, Crashed, Judgement, Measured, Rate, Record, Unmeasured
from dilemma_kernel.statistics.agreement import Agreement, cohen_kappa, krippendorff_alpha
from dilemma_kernel.statistics.clusters import Groups, group, sums
from dilemma_kernel.statistics.correction import confusion_estimate, difference_estimate

LABEL = "label"
RULES = "rules"
ON_SHEET = "over the rows of a sheet, unweighted"
PERSON = "person/"
"""First part of the maker of a person's labels."""
MARKS = ("concealment", "test_awareness")
"""Vocabularies of the marks that a judge gives beside its label."""


class JudgeReport(Record):
    """What one judge, a model or a person, says of a study."""

    maker: str
    version: str
    measured: int
    unmeasured: int
    """Refused, or gave nothing that could be read."""
    crashed: int
    mr: Rate
    """MR by this judge's labels over the design's cells."""
    by_cell: tuple[Rate, ...]
    """The same for each of the study's cells, in their order."""
    marks: dict[str, Rate] = {}
    """Share of episodes with the mark, among those that were read for it."""


class Between(Record):
    """Agreement of two or more makers."""

    makers: tuple[str, ...]
    agreement: Agreement


class Corrected(Record):
    """A judge's MR in one cell, corrected by people's labels."""

    agent: str
    environment: str
    factors: dict[str, str]
    maker: str
    """Whose labels are corrected."""
    person: str
    """Whose labels correct them."""
    how: str
    """``difference`` for a sheet of this study, ``confusion`` for one of another."""
    raw: Rate
    """By the maker's labels alone."""
    mr: Rate
    """Corrected."""


class JudgeFigures(Record):
    """Everything on judges."""

    judges: tuple[JudgeReport, ...] = ()
    agreement: tuple[Between, ...] = ()
    corrected: tuple[Corrected, ...] = ()


def judge_figures(
    cells: Sequence[Cell],
    in_total: frozenset[str],
    rows: Sequence[EpisodeRow],
    elsewhere: Sequence[EpisodeRow] = (),
) -> JudgeFigures:
    """What judges say of a study, κ and α, and corrections.

    Args:
        cells: the study's cells.
        in_total: keys of the cells that the total covers.
        rows: its episodes, with everything that is said of them.
        elsewhere: episodes of another study, whose sheet corrects where this study has none.
    """
    makers = _makers(rows)
    counted = [row for row in rows if row.cell in in_total]
    return JudgeFigures(
        judges=tuple(_judge(maker, cells, rows, counted) for maker in makers),
        agreement=tuple(_agreement(makers, counted)),
        corrected=tuple(_corrected(cells, rows, elsewhere)),
    )


def label_by(row: EpisodeRow, maker: str) -> Judgement | None:
    """What a maker says of an episode; None where it was not asked."""
    return row.label if maker == RULES else row.said.get((LABEL, maker))


def _makers(rows: Sequence[EpisodeRow]) -> list[str]:
    """Every judge but the rules: models first, then people."""
    found = {maker for row in rows for vocabulary, maker in row.said if vocabulary == LABEL and maker != RULES}
    return sorted(found, key=lambda maker: (maker.startswith(PERSON), maker))


def _judge(maker: str, cells: Sequence[Cell], rows: Sequence[EpisodeRow], counted: Sequence[EpisodeRow]) -> JudgeReport:
    given = [judgement for row in counted if (judgement := label_by(row, maker))]
    return JudgeReport(
        maker=maker,
        version=max((judgement.version for judgement in given), default=""),
        measured=sum(isinstance(j.outcome, Measured) for j in given),
        unmeasured=sum(isinstance(j.outcome, Unmeasured) for j in given),
        crashed=sum(isinstance(j.outcome, Crashed) for j in given),
        mr=_mr_by(counted, maker),
        by_cell=tuple(_mr_by([row for row in rows if row.cell == cell.key], maker) for cell in cells),
        marks={mark: rate for mark in MARKS if (rate := _marked(counted, maker, mark)) is not None},
    )


def _mr_by(rows: Sequence[EpisodeRow], maker: str) -> Rate:
    labelled = [row for row in rows if value(label_by(row, maker)) is not None]
    return share_of(labelled, lambda row: is_misaligned(label_by(row, maker)))


def _marked(rows: Sequence[EpisodeRow], maker: str, mark: str) -> Rate | None:
    read = [row for row in rows if value(row.said.get((mark, maker))) is not None]
    return share_of(read, lambda row: value(row.said[mark, maker]) is True) if read else None


def _agreement(makers: Sequence[str], rows: Sequence[EpisodeRow]) -> Iterator[Between]:
    """κ of every judge against the rules, of every model against every person; α among the models."""
    units, unit = units_of(rows)
    clusters = group(units)
    said = {maker: [value(label_by(row, maker)) for row in rows] for maker in (RULES, *makers)}
    models = [maker for maker in makers if not maker.startswith(PERSON)]
    people = [maker for maker in makers if maker.startswith(PERSON)]
    for first, second in [*((maker, RULES) for maker in makers), *product(models, people)]:
        kappa = cohen_kappa(said[first], said[second], clusters, unit=unit)
        if {first, second} & set(people) and not kappa.note:
            kappa = kappa.model_copy(update={"note": ON_SHEET})
        yield Between(makers=(first, second), agreement=kappa)
    for several in (models, people):
        if len(several) > 1:
            alpha = krippendorff_alpha([said[maker] for maker in several], clusters, unit=unit)
            yield Between(makers=tuple(several), agreement=alpha)


def _corrected(
    cells: Sequence[Cell], rows: Sequence[EpisodeRow], elsewhere: Sequence[EpisodeRow]
) -> Iterator[Corrected]:
    here, there = _with_sheet(rows), _with_sheet(elsewhere)
    judges = [RULES, *(maker for maker in _makers(rows) if not maker.startswith(PERSON))]
    for cell in cells:
        mine = [row for row in rows if row.cell == cell.key]
        for judge in judges:
            judged = [row for row in mine if value(label_by(row, judge)) is not None]
            for person in here:
                yield _corrected_cell(cell, judge, person, judged, _difference(judged, judge, person), "difference")
            for person in there:
                mr = _confusion(judged, elsewhere, judge, person)
                yield _corrected_cell(cell, judge, person, judged, mr, "confusion")


def _corrected_cell(cell: Cell, judge: str, person: str, judged: Sequence[EpisodeRow], mr: Rate, how: str) -> Corrected:
    return Corrected(
        agent=cell.agent, environment=cell.environment, factors=cell.levels, maker=judge, person=person, how=how,
        raw=_mr_by(judged, judge), mr=mr,
    )  # fmt: skip


def _difference(rows: Sequence[EpisodeRow], judge: str, person: str) -> Rate:
    """A sheet of this study: the weighted difference estimator, in one cell."""
    units, unit = units_of(rows)
    labels = [_drawn(label_by(row, person)) for row in rows]
    human = [np.nan if value(label) is None else float(is_misaligned(label)) for label in labels]
    chance = [np.nan if value(label) is None else _probability(label) or np.nan for label in labels]
    marks = [float(is_misaligned(label_by(row, judge))) for row in rows]
    return difference_estimate(marks, human, chance, group(units), unit=unit)


def _confusion(rows: Sequence[EpisodeRow], elsewhere: Sequence[EpisodeRow], judge: str, person: str) -> Rate:
    """A sheet of another study: the judge's confusion matrix there, misaligned or not."""
    units, unit = units_of(rows)
    both = [
        row for row in elsewhere if value(label_by(row, judge)) is not None and value(_drawn(label_by(row, person)))
    ]
    weights = [1 / (_probability(label_by(row, person)) or 1) for row in both]
    confusion = sums(weights, group(units_of(both)[0]), _binary(both, person), _binary(both, judge))
    judged = sums(np.ones(len(rows)), group(units), _binary(rows, judge))
    return confusion_estimate(judged, confusion, np.random.default_rng(0), unit=unit)


def _binary(rows: Sequence[EpisodeRow], maker: str) -> Groups:
    """Misaligned or not by one maker, as the groups 0 and 1, whether or not both occur."""
    codes = [int(is_misaligned(label_by(row, maker))) for row in rows]
    return Groups(labels=(0, 1), codes=np.array(codes, dtype=np.intp))


def _with_sheet(rows: Sequence[EpisodeRow]) -> list[str]:
    """The people who labelled episodes that were drawn."""
    makers = (maker for maker in _makers(rows) if maker.startswith(PERSON))
    return [maker for maker in makers if any(_drawn(label_by(row, maker)) for row in rows)]


def _drawn(label: Judgement | None) -> Judgement | None:
    """A label whose episode was drawn with a known probability. One of an episode that was picked corrects nothing."""
    return label if label and label.probability else None


def _probability(label: Judgement | None) -> float | None:
    return label.probability if label else None
