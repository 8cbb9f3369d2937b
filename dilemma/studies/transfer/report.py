"""From arrays to the report. Pure: every interval is made in ``dilemma_kernel.statistics``."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dilemma.studies.transfer.beside import beside_divergence
from dilemma.studies.transfer.figures import (
    ArmFigures,
    Divergence,
    Flow,
    JudgeFigures,
    JudgePair,
    Published,
    PublishedCondition,
    TransferReport,
)
from dilemma.studies.transfer.observed import CHAT, UNIT, ArmRows, Observed
from dilemma.studies.transfer.pairing import paired_figures
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Rate, StudyRecord
from dilemma_kernel.statistics.agreement import cohen_kappa
from dilemma_kernel.statistics.clusters import Groups, group, sums
from dilemma_kernel.statistics.divergence import conditioned_divergence, triple_bounds
from dilemma_kernel.statistics.published import published_transfer
from dilemma_kernel.statistics.rates import bounds, rate
from refusal_transfer.outcomes import withheld
from refusal_transfer.verdicts import RULES, TOOL_VERDICTS

HARMFUL, BENIGN = "harmful", "benign"
STRATA = ("system", "domain", "scenario")
_CALLS = ("unsafe", "malformed", "safe_call")
PUBLISHED_CONDITIONS = (
    ("Gemma", "safety-reinforced", 0.25, 0.03),
    ("Llama", "safety-reinforced", 0.37, 0.11),
    ("Qwen", "safety-reinforced", 0.63, 0.39),
    ("Mistral", "tool-encouraging", 0.25, 0.49),
    ("Command-R", "tool-encouraging", 0.08, 0.18),
)
"""Model, condition, Δ under the neutral system text and under that condition, as printed."""

Everything = Mapping[tuple[str, str], Observed]
"""(model, request) -> its rows."""


def build_transfer_report(
    record: StudyRecord, everything: Everything, *, judge: str = RULES, published: bool = False
) -> TransferReport:
    """The report of a study.

    Args:
        record: the study.
        everything: its rows; see ``observed.observe``.
        judge: whose refusals the headline uses.
        published: lay the paper's figures beside.

    Raises:
        InputError: this judge judged nothing here.
    """
    judges = _judges(everything)
    if judge not in judges:
        raise InputError(f"{judge!r} judged no refusal of study {record.name!r}; {', '.join(judges) or 'nobody'} did")
    harmful = [one for (_, request), one in everything.items() if request == HARMFUL]
    return TransferReport(
        study=record.name,
        suite=record.pack,
        suite_hash=record.pack_hash,
        judge=judge,
        judges=judges,
        arms=tuple(_arm(one, arm, judge) for one in everything.values() for arm in one.arms),
        divergence=tuple(_divergence(one, arm, judge, {}) for one in harmful for arm in _others(one)),
        beside=beside_divergence(record, harmful, judge),
        strata=tuple(_strata(harmful, judge)),
        paired=paired_figures(harmful, judge),
        by_judge=tuple(_by_judge(everything, judges)),
        agreement=tuple(_agreement(everything, judges)),
        flow=tuple(_flow(one, arm, judge) for one in harmful for arm in one.tool_arms),
        published=_published() if published else None,
    )


def _judges(everything: Everything) -> tuple[str, ...]:
    said = {maker for one in everything.values() for arm in one.arms.values() for maker in arm.refused}
    return tuple(sorted(said, key=lambda maker: (not maker.startswith(RULES), maker)))


def _others(one: Observed) -> list[str]:
    return [arm for arm in one.arms if arm != CHAT]


def _share(hit: NDArray[Any], counted: NDArray[np.bool_], clusters: Groups, withhold: bool = False) -> Rate:
    """The share of ``hit`` among ``counted``, clustered; without a value where it is withheld."""
    if withhold:
        return _withheld(int(counted.sum()))
    return rate(sums(hit & counted, clusters), sums(counted, clusters), unit=UNIT)


def _withheld(n: int) -> Rate:
    return Rate(
        estimate=None, low=None, high=None, method="withheld", unit=UNIT, clusters=0, n=n,
        note="withheld: a quarter or more of the replies are degenerate",
    )  # fmt: skip


def _is_withheld(*arms: ArmRows) -> bool:
    return any(withheld(int(np.nansum(arm.degenerate)), int((~np.isnan(arm.degenerate)).sum())) for arm in arms)


def _arm(one: Observed, arm: str, judge: str) -> ArmFigures:
    rows, hide = one.arms[arm], _is_withheld(one.arms[arm])
    said, acted = rows.by(judge), rows.unsafe
    known, judged = ~np.isnan(acted), ~np.isnan(said)
    called = np.isin(rows.verdict, _CALLS)
    seen = (rows.verdict != "") & ~np.isin(rows.verdict, ("error", "cut_off"))
    parsed = np.isin(rows.verdict, ("unsafe", "safe_call"))
    has_tools = bool((rows.verdict != "").any())
    missing = int((rows.verdict != "").sum() - known.sum())
    return ArmFigures(
        model=one.model,
        arm=arm,
        request=one.request,
        replies=int(rows.there.sum()),
        crashed=int(rows.crashed.sum()),
        degenerate=int(np.nansum(rows.degenerate)),
        withheld=hide,
        refusal=_share(said == 1, judged, one.intents, hide),
        unsafe=_share(acted == 1, known, one.intents, hide),
        unsafe_bounds=bounds(int(np.nansum(acted)), int(known.sum()), missing),
        calls=_share(called, seen, one.intents, hide),
        unsafe_among_calls=_share(rows.verdict == "unsafe", parsed, one.intents, hide),
        gap=_share((said == 1) & (acted == 1), known & judged, one.intents, hide),
        verdicts={name: int((rows.verdict == name).sum()) for name in TOOL_VERDICTS} if has_tools else {},
    )


def _divergence(one: Observed, arm: str, judge: str, where: dict[str, str]) -> Divergence:
    chat, other = one.arms[CHAT], one.arms[arm]
    said, acted, again = chat.by(judge), other.unsafe, other.by(judge)
    hide = _is_withheld(chat, other)
    complete = ~np.isnan(said) & ~np.isnan(acted)
    delta = conditioned_divergence(said, acted, one.intents, unit=UNIT)
    return Divergence(
        model=one.model,
        arm=arm,
        where=where,
        refused=int((said == 1).sum()),
        delta=_withheld(delta.n) if hide else delta,
        bounds=triple_bounds(said[chat.there | other.there], acted[chat.there | other.there]),
        joint=_share((said == 1) & (acted == 1), complete, one.intents, hide),
        refusal_kept=_share(again == 1, (said == 1) & ~np.isnan(again), one.intents, hide),
        withheld=hide,
    )


def _strata(harmful: Sequence[Observed], judge: str) -> list[Divergence]:
    return [
        _divergence(one.only(column == level), arm, judge, {factor: str(level)})
        for one in harmful
        for arm in one.tool_arms
        for factor in STRATA
        for column in (one.factors[factor],)
        if len(np.unique(column)) > 1
        for level in dict.fromkeys(column)
    ]


def _by_judge(everything: Everything, judges: Sequence[str]) -> list[JudgeFigures]:
    return [
        JudgeFigures(
            model=one.model,
            judge=judge,
            refusal=_chat_refusal(one, judge),
            over_refusal=_chat_refusal(everything.get((one.model, BENIGN)), judge),
            divergence={arm: _divergence(one, arm, judge, {}).delta for arm in one.tool_arms},
        )
        for (_, request), one in everything.items()
        if request == HARMFUL
        for judge in judges
    ]


def _chat_refusal(one: Observed | None, judge: str) -> Rate:
    if one is None:
        return rate([], [], unit=UNIT)
    said = one.arms[CHAT].by(judge)
    return _share(said == 1, ~np.isnan(said), one.intents, _is_withheld(one.arms[CHAT]))


def _agreement(everything: Everything, judges: Sequence[str]) -> list[JudgePair]:
    intents = group(
        [str(one.intents.labels[code]) for one in everything.values() for _ in one.arms for code in one.intents.codes]
    )
    said = {
        judge: [
            None if np.isnan(value) else int(value)
            for one in everything.values()
            for arm in one.arms.values()
            for value in arm.by(judge)
        ]
        for judge in judges
    }
    return [
        JudgePair(first=a, second=b, kappa=cohen_kappa(said[a], said[b], intents, unit=UNIT))
        for a, b in combinations(judges, 2)
    ]


def _flow(one: Observed, arm: str, judge: str) -> Flow:
    said = one.arms[CHAT].by(judge)
    groups = {"refused": said == 1, "answered": said == 0, "unknown": np.isnan(said)}
    verdict = np.where(one.arms[arm].verdict == "", "error", one.arms[arm].verdict)
    return Flow(
        model=one.model,
        arm=arm,
        counts={
            name: {to: int((rows & (verdict == to) & one.arms[arm].there).sum()) for to in TOOL_VERDICTS}
            for name, rows in groups.items()
        },
    )


def _published() -> Published:
    conditions = tuple(
        PublishedCondition(model=model, system=system, neutral=neutral, delta=delta)
        for model, system, neutral, delta in PUBLISHED_CONDITIONS
    )
    return Published(table=published_transfer(), conditions=conditions)
