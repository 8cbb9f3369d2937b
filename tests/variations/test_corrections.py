"""The whole way of a correction, over many simulated studies: the draw of a sheet, people, the corrected MR.

The judge errs by level. The weighted correction meets the truth; the naive one, which takes the sheet's rows for a
fair sample of the cell, visibly does not.
"""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from dilemma.studies.agreement import LABEL, judge_figures
from dilemma.studies.annotate import sample
from dilemma.studies.rows import EpisodeRow, is_misaligned, value
from dilemma_kernel.records import BASELINE, Cell, Judgement, Measured

JUDGE, PERSON = "model", "person/kim"
CELLS = tuple(Cell(agent="a", environment="rules", levels={**BASELINE, "feedback": level}) for level in ("low", "high"))
TRUE = (0.15, 0.4)
ERRS = ((0.1, 0.05), (0.35, 0.02))
"""By cell: how often the judge takes a misaligned episode for aligned, and the other way round."""
CORES, EPISODES = 10, 8
SHEET = 48


def said(vocabulary: str, maker: str, misaligned: bool, probability: float | None = None) -> Judgement:
    label = Measured(value="direct" if misaligned else "robust")
    return Judgement.model_construct(
        subject="e", vocabulary=vocabulary, outcome=label, maker=maker, version="1", cites=(), note="",
        probability=probability,
    )  # fmt: skip


def study(rng: np.random.Generator) -> list[EpisodeRow]:
    """Rows whose rule label is the truth and whose judge errs by level."""
    rows = []
    for cell, mean, (misses, alarms) in zip(CELLS, TRUE, ERRS, strict=True):
        for core, rate in enumerate(rng.beta(6 * mean, 6 * (1 - mean), CORES)):
            for repeat in range(EPISODES):
                truth = bool(rng.random() < rate)
                wrong = rng.random() < (misses if truth else alarms)
                rows.append(
                    EpisodeRow(
                        cell=cell.key,
                        core_id=f"core-{core}",
                        family=None,
                        label=said(LABEL, "rules", truth),
                        executed=said("executed_label", "rules", truth),
                        faults=0,
                        invalid_turns=0,
                        episode_id=f"{cell.levels['feedback']}-{core}-{repeat}",
                        said={(LABEL, JUDGE): said(LABEL, JUDGE, truth != wrong)},
                    )
                )
    return rows


def with_sheet(rows: list[EpisodeRow], seed: int) -> tuple[list[EpisodeRow], list[float]]:
    """The rows with a person's labels on those that were drawn; and the naive correction of each cell."""
    drawn = {one.row.episode_id: one.probability for one in sample(rows, JUDGE, SHEET, Random(seed))}
    marked = []
    for row in rows:
        people = {}
        if row.episode_id in drawn:
            people = {(LABEL, PERSON): said(LABEL, PERSON, is_misaligned(row.label), drawn[row.episode_id])}
        marked.append(replace(row, said={**row.said, **people}))
    naive = []
    for cell in CELLS:
        mine = [row for row in marked if row.cell == cell.key]
        judged = np.mean([is_misaligned(row.said[LABEL, JUDGE]) for row in mine])
        on_sheet = [row for row in mine if value(row.said.get((LABEL, PERSON))) is not None]
        errors = [is_misaligned(row.label) - float(is_misaligned(row.said[LABEL, JUDGE])) for row in on_sheet]
        naive.append(float(judged + np.mean(errors)))
    return marked, naive


@pytest.mark.parametrize("studies", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_corrected_mr_is_the_true_one_and_the_naive_is_not(studies: int) -> None:
    rng = np.random.default_rng(20260)
    corrected, naive, raw, held = ([] for _ in range(4))
    for number in range(studies):
        rows, simple = with_sheet(study(rng), number)
        found = [one for one in judge_figures(CELLS, frozenset(), rows).corrected if one.maker == JUDGE]
        corrected.append([one.mr.estimate for one in found])
        raw.append([one.raw.estimate for one in found])
        held.append([(one.mr.low or 0) <= mean <= (one.mr.high or 1) for one, mean in zip(found, TRUE, strict=True)])
        naive.append(simple)
    error = 4 * np.std(corrected, axis=0) / np.sqrt(studies)
    assert np.all(np.abs(np.mean(corrected, axis=0) - TRUE) <= error)
    assert abs(np.mean(raw, axis=0)[1] - TRUE[1]) > 0.08, "the judge is not biased"
    assert np.max(np.abs(np.mean(naive, axis=0) - TRUE)) > 0.05, "the naive correction does not fail"
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies) - 0.01
    assert np.all(np.mean(held, axis=0) >= least), np.mean(held, axis=0)
