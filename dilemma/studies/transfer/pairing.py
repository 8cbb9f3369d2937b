"""Divergences set against each other on the triples that both refused. Pure."""

from collections.abc import Sequence
from itertools import combinations

from dilemma.studies.transfer.figures import PairedFigures
from dilemma.studies.transfer.observed import CHAT, UNIT, Observed
from dilemma_kernel.statistics.clusters import Array, Groups
from dilemma_kernel.statistics.divergence import paired_divergence


def paired_figures(harmful: Sequence[Observed], judge: str) -> tuple[PairedFigures, ...]:
    """Models against each other, system conditions against the suite's first, arms against ``tool``.

    Args:
        harmful: the rows of harmful requests, a model each.
        judge: whose refusals are used.
    """
    return (*_models_paired(harmful, judge), *_conditions_paired(harmful, judge), *_arms_paired(harmful, judge))


def _pair(
    name: str, model: str, arm: str, first: tuple[Array, Array], second: tuple[Array, Array], intents: Groups
) -> PairedFigures:
    found = paired_divergence(name, first, second, intents, unit=UNIT)
    return PairedFigures(
        name=name, model=model, arm=arm,
        divergence=found.divergence, joint=found.joint, both_refused=found.both_refused,
    )  # fmt: skip


def _sides(one: Observed, arm: str, judge: str) -> tuple[Array, Array]:
    return one.arms[CHAT].by(judge), one.arms[arm].unsafe


def _models_paired(harmful: Sequence[Observed], judge: str) -> list[PairedFigures]:
    return [
        _pair(
            f"{a.model} − {b.model}", "", arm, _sides(a, arm, judge), _sides(b, arm, judge), a.intents
        )
        for a, b in combinations(harmful, 2)
        for arm in a.tool_arms
    ]  # fmt: skip


def _conditions_paired(harmful: Sequence[Observed], judge: str) -> list[PairedFigures]:
    """Each system condition against the first of the suite."""
    made = []
    for one in harmful:
        systems = [str(name) for name in dict.fromkeys(one.factors["system"])]
        for arm in one.tool_arms:
            said, acted = _sides(one, arm, judge)
            for system in systems[1:]:
                rows, reference = one.opposite(system, systems[0])
                intents = Groups(labels=one.intents.labels, codes=one.intents.codes[rows])
                sides = (said[rows], acted[rows]), (said[reference], acted[reference])
                made.append(_pair(f"{system} − {systems[0]}", one.model, arm, *sides, intents))
    return made


def _arms_paired(harmful: Sequence[Observed], judge: str) -> list[PairedFigures]:
    """Every other arm with tools against ``tool``."""
    return [
        _pair(f"{arm} − tool", one.model, arm, _sides(one, arm, judge), _sides(one, "tool", judge), one.intents)
        for one in harmful
        for arm in one.tool_arms
        if arm != "tool" and "tool" in one.tool_arms
    ]
