"""How well people agree with the rules, with models and with one another, as their labels come in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dilemma.studies.agreement import PERSON, RULES, Between
from dilemma.studies.controls import design_cells
from dilemma.studies.rows import units_of, value
from dilemma_kernel.records import Judgement, StudyRecord
from dilemma_kernel.statistics.agreement import cohen_kappa, krippendorff_alpha
from dilemma_kernel.statistics.clusters import group
from trajectories.browsing import LabelledEpisode
from trajectories.bulk import newest
from trajectories.wanted import EpisodeLine


@dataclass(frozen=True)
class Row:
    """An episode that a person labelled, whichever way the label came."""

    line: EpisodeLine
    family: str | None
    said: Mapping[str, Judgement]
    """Maker -> its newest judgement in the vocabulary that people are asked."""

    @property
    def core_id(self) -> str:
        """With ``family``, the unit that it belongs to."""
        return self.line.case_id


@dataclass(frozen=True, kw_only=True)
class Agreeing:
    """Everything on the labels of people."""

    makers: tuple[str, ...]
    """The rules, the models, the people."""
    rows: tuple[Row, ...]
    kappas: tuple[Between, ...]
    """Of every pair with a person in it."""
    alpha: Between | None
    """Among the people, where there are two or more."""


def agreeing(study: StudyRecord, labelled: Sequence[LabelledEpisode]) -> Agreeing:
    """κ by pair, and α, over the cells of the design as in a report; unweighted.

    Args:
        study: its record.
        labelled: the episodes that a person labelled.
    """
    rows = [Row(one.line, one.family, _newest(one.judgements)) for one in labelled]
    makers = sorted({maker for row in rows for maker in row.said}, key=_rank)
    counted = _in_design(study, rows)
    units, unit = units_of(counted)
    clusters = group(units)
    said = {maker: [_value(row.said.get(maker)) for row in counted] for maker in makers}
    people = [maker for maker in makers if maker.startswith(PERSON)]
    pairs = [pair for pair in combinations(makers, 2) if pair[1] in people]
    kappas = [
        Between(makers=(second, first), agreement=cohen_kappa(said[second], said[first], clusters, unit=unit))
        for first, second in pairs
    ]
    several = [said[person] for person in people]
    alpha = krippendorff_alpha(several, clusters, unit=unit) if len(people) > 1 else None
    return Agreeing(
        makers=tuple(makers),
        rows=tuple(rows),
        kappas=tuple(kappas),
        alpha=Between(makers=tuple(people), agreement=alpha) if alpha else None,
    )


def _newest(judgements: Sequence[Judgement]) -> dict[str, Judgement]:
    return {maker: judgement for (_, maker), judgement in newest(judgements).items()}


def _in_design(study: StudyRecord, rows: Sequence[Row]) -> list[Row]:
    if study.instrument == "transfer":
        return list(rows)
    keys = {cell.key for cell in design_cells(study)}
    return [row for row in rows if row.line.cell in keys]


def _rank(maker: str) -> tuple[int, str]:
    return (0 if maker == RULES else 2 if maker.startswith(PERSON) else 1), maker


def _value(judgement: Judgement | None) -> str | None:
    found = value(judgement)
    return None if found is None else str(found)
