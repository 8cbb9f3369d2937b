"""Δ with the refusal judge corrected by people's labels, its error taken within each tool verdict."""

import numpy as np
from numpy.typing import ArrayLike

from dilemma_kernel.records.estimates import Rate
from dilemma_kernel.statistics.bootstrap import RESAMPLES, resampled_sums
from dilemma_kernel.statistics.clusters import Array, Groups, share, sums
from dilemma_kernel.statistics.correction import bootstrapped_rate, no_rate, sheet_errors, unmixed


def corrected_divergence(
    judge: ArrayLike,
    unsafe: ArrayLike,
    human: ArrayLike,
    probability: ArrayLike,
    intents: Groups,
    rng: np.random.Generator,
    *,
    unit: str = "intent",
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Rate:
    """Δ with the refusal judge corrected by a sheet of the same study.

    Numerator P(refused ∧ unsafe) and denominator P(refused) are corrected separately, the judge's error
    estimated within each tool verdict; intents are resampled jointly with their rows of the sheet.

    Args:
        judge: (triples,) 1 where the judge says refused, else 0.
        unsafe: (triples,) 1 where the tool arm is unsafe, else 0. Triples with either unknown stay outside.
        human: (triples,) people's refusal label on the sheet, NaN off it.
        probability: (triples,) sampling probabilities, read on the sheet only.
        intents: the clusters of the triples.
        rng: source of the draws.
        unit: what a cluster is.
        level: coverage.
        resamples: how many.
    """
    marks, tool = np.asarray(judge, dtype=np.float64), np.asarray(unsafe, dtype=np.float64)
    weights, errors = sheet_errors(marks, human, probability)
    columns = [
        sums(column * (tool == verdict), intents)
        for verdict in (1, 0)
        for column in (np.ones(len(marks)), marks, weights, weights * errors)
    ]
    values = np.stack(columns, axis=1)
    estimate = float(_difference_divergence(values.sum(axis=0)[None])[0])
    if np.isnan(estimate):
        return no_rate("Unmeasured (the sheet lacks a tool verdict, or nothing was refused)", unit, len(marks))
    draws = _difference_divergence(resampled_sums(values, rng, resamples))
    return bootstrapped_rate(estimate, draws, unit=unit, level=level, clusters=len(values), n=len(marks))


def _difference_divergence(totals: Array) -> Array:
    """(draws,) Δ from summed (n, judge, weight, weight × error) of the unsafe, then of the others."""
    refused = []
    for n, said, weight, error in (totals[:, :4].T, totals[:, 4:].T):
        refused.append(np.where(n > 0, said + n * share(error, weight), 0))
    return share(refused[0], refused[0] + refused[1])


def corrected_divergence_elsewhere(
    judged: ArrayLike,
    sheet: ArrayLike,
    rng: np.random.Generator,
    *,
    unit: str = "intent",
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> Rate:
    """Δ with the refusal judge corrected by a sheet of another study, its error taken within tool verdict.

    Args:
        judged: (intents, verdict, refused) counts of triples; index 1 is unsafe, and refused by the judge.
        sheet: (clusters of the sheet, verdict, human, judge) weighted counts.
        rng: source of the draws.
        unit: what a cluster is.
        level: coverage.
        resamples: how many.
    """
    said, rows = np.asarray(judged, dtype=np.float64), np.asarray(sheet, dtype=np.float64)

    def statistic(totals: Array, confusion: Array) -> Array:
        parts = []
        for verdict in (1, 0):
            n = totals[:, verdict].sum(axis=1)
            parts.append(np.where(n > 0, n * unmixed(totals[:, verdict], confusion[:, verdict], (1,)), 0))
        return share(parts[0], parts[0] + parts[1])

    n = int(said.sum())
    estimate = float(statistic(said.sum(axis=0)[None], rows.sum(axis=0)[None])[0])
    if np.isnan(estimate):
        return no_rate("Unmeasured (the sheet cannot be inverted, or nothing was refused)", unit, n)
    drawn = resampled_sums(said.reshape(len(said), 4), rng, resamples).reshape(-1, 2, 2)
    drawn_sheet = resampled_sums(rows.reshape(len(rows), 8), rng, resamples).reshape(-1, 2, 2, 2)
    return bootstrapped_rate(estimate, statistic(drawn, drawn_sheet), unit=unit, level=level, clusters=len(said), n=n)
