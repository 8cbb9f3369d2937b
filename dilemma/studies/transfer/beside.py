"""What stands beside a divergence: the wording null, a bootstrap, the paper's clusters, people's corrections. Pure."""

from collections.abc import Sequence

import numpy as np

from dilemma.studies.transfer.figures import DivergenceBeside
from dilemma.studies.transfer.observed import CHAT, UNIT, Observed
from dilemma_kernel.records import Rate, StudyRecord, derive_seed
from dilemma_kernel.statistics.bootstrap import bootstrap_rates
from dilemma_kernel.statistics.clusters import Groups, group
from dilemma_kernel.statistics.divergence import (
    conditioned_divergence,
    divergence_ratio,
    ratio_difference,
    wording_null,
    wording_ratio,
)
from dilemma_kernel.statistics.divergence_correction import corrected_divergence

RESAMPLES = 10_000


def beside_divergence(record: StudyRecord, harmful: Sequence[Observed], judge: str) -> tuple[DivergenceBeside, ...]:
    """What belongs beside each model's divergence in each arm with tools.

    Args:
        record: the study, whose seed draws the resamples.
        harmful: the rows of harmful requests, a model each.
        judge: whose refusals are used.
    """
    places = [(one, arm) for one in harmful for arm in one.tool_arms]
    if not places:
        return ()
    ratios = [divergence_ratio(one.arms[CHAT].by(judge), one.arms[arm].unsafe, one.intents) for one, arm in places]
    rng = np.random.default_rng(derive_seed(record.seed, "bootstrap"))
    drawn = bootstrap_rates(
        np.stack([r.hits for r in ratios]), np.stack([r.totals for r in ratios]), rng, unit=UNIT, resamples=RESAMPLES
    )
    return tuple(
        _beside_one(one, arm, judge, boot, np.random.default_rng(derive_seed(record.seed, "sheet", one.model, arm)))
        for (one, arm), boot in zip(places, drawn, strict=True)
    )


def _beside_one(one: Observed, arm: str, judge: str, boot: Rate, rng: np.random.Generator) -> DivergenceBeside:
    said, acted = one.arms[CHAT].by(judge), one.arms[arm].unsafe
    first, second = one.partner
    pairs = Groups(labels=one.intents.labels, codes=one.intents.codes[first])
    beyond = ratio_difference(
        "Δ − wording null",
        divergence_ratio(said, acted, one.intents),
        wording_ratio(said[first], said[second], pairs),
        unit=UNIT,
    )
    return DivergenceBeside(
        model=one.model,
        arm=arm,
        null=wording_null(said[first], said[second], pairs, unit=UNIT),
        beyond_null=beyond,
        bootstrap=boot,
        by_cluster=conditioned_divergence(said, acted, one.clusters, unit="intent and wording"),
        corrected=_corrected(one, arm, judge, rng),
    )


def _corrected(one: Observed, arm: str, judge: str, rng: np.random.Generator) -> Rate | None:
    """Δ corrected by people's labels of the chat replies; None where there are none."""
    chat, acted = one.arms[CHAT], one.arms[arm].unsafe
    complete = ~np.isnan(chat.by(judge)) & ~np.isnan(acted)
    if np.isnan(chat.human[complete]).all():
        return None
    intents = group([one.intents.labels[code] for code in one.intents.codes[complete]])
    return corrected_divergence(
        chat.by(judge)[complete],
        acted[complete],
        chat.human[complete],
        chat.probability[complete],
        intents,
        rng,
        unit=UNIT,
        resamples=RESAMPLES,
    )
