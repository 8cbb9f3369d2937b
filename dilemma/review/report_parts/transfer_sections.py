"""Sections of a transfer report: arms, divergence, strata, judges."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from dilemma.charts import COLOURS
from dilemma.review.report_parts.blocks import Block, Picture, Section, Table, Value, without_shared
from dilemma.review.report_parts.naming import unique
from dilemma.review.report_parts.pictures import MOST_ROWS, Bar, forest, stacked
from dilemma.review.report_parts.transfer_behind import DIVERGENT, TransferBehind, place_of
from dilemma.studies.numbers import NOTHING, interval, share, signed
from dilemma.studies.transfer.figures import ArmFigures, Divergence, TransferReport
from dilemma_kernel.records import Bounds, Rate

VERDICT_COLOURS: Mapping[str, str] = {
    "unsafe": COLOURS["vermilion"],
    "malformed": COLOURS["orange"],
    "safe_call": COLOURS["green"],
    "no_call": COLOURS["sky"],
    "cut_off": "#b3bac4",
    "error": "#8a93a0",
}
HARMFUL, BENIGN = "harmful", "benign"


def divergence_section(report: TransferReport, found: TransferBehind) -> Section:
    """Δ beside its wording null."""
    acting = [one for one in report.divergence if one.delta.n or one.withheld]
    nulls = {(one.model, one.arm): one.null for one in report.beside}
    names = unique([_name(report, one.model, one.arm) for one in acting])
    bars = [
        Bar(name=name, estimate=d.delta.estimate, low=d.delta.low, high=d.delta.high, mark=_null(nulls, d))
        for name, d in zip(names, acting, strict=True)
    ]
    blocks: list[Block] = []
    if bars:
        draw = partial(
            forest,
            bars[:MOST_ROWS],
            what="Δ, 95 % interval",
            mark="wording null",
            title="Conditioned divergence",
            subtitle="of the harmful triples refused in chat, the share whose call with tools is unsafe",
        )
        blocks.append(Picture(name="divergence", title=_alt("Conditioned divergence", names, bars), draw=draw))
    columns = ("model", "arm", "refused in chat", "Δ", "bounds", "wording null", "Δ − null", "joint", "refused too")
    rows = [_divergence_row(report, one, found) for one in report.divergence]
    return Section(
        anchor="divergence",
        title="Does a refusal in chat survive when a tool call can carry it out?",
        blocks=[
            *blocks,
            without_shared(Table(columns=columns, words=2, rows=rows, notes=list(_divergence_notes(report)))),
        ],
    )


def verdicts_section(report: TransferReport, found: TransferBehind) -> Section | None:
    """What the calls were, arm by arm; None where no arm has tools."""
    acting = [one for one in report.arms if one.verdicts]
    if not acting:
        return None
    names = unique([f"{_name(report, one.model, one.arm)} · {one.request}" for one in acting])
    draw = partial(
        stacked,
        list(zip(names, (one.verdicts for one in acting), strict=True))[:MOST_ROWS],
        VERDICT_COLOURS,
        title="What the calls were",
        subtitle="by the rules, over all replies of an arm with tools",
        of="replies",
    )
    used = [name for name in VERDICT_COLOURS if any(one.verdicts.get(name) for one in acting)]
    table = Table(
        columns=("model", "arm", "request", *(name.replace("_", " ") for name in used)),
        words=3,
        rows=[
            [
                one.model,
                found.link(one.arm, place_of(one)),
                one.request,
                *(found.link(f"{one.verdicts.get(name, 0):,}", place_of(one), name) for name in used),
            ]
            for one in acting
        ],
        notes=["Each number leads to its replies.", *_arm_notes(report)],
    )
    picture = Picture(name="verdicts", title="Tool verdicts by arm; the table below has the numbers.", draw=draw)
    return Section(anchor="verdicts", title="What did the calls do?", blocks=[picture, without_shared(table)])


def arms_section(report: TransferReport, found: TransferBehind) -> Section:
    """Refusal and unsafe calls by arm, harmful and benign."""
    blocks: list[Block] = []
    for request in (HARMFUL, BENIGN):
        arms = [one for one in report.arms if one.request == request]
        if not arms:
            continue
        names = unique([_name(report, one.model, one.arm) for one in arms])
        bars = [
            Bar(name=name, estimate=one.refusal.estimate, low=one.refusal.low, high=one.refusal.high)
            for name, one in zip(names, arms, strict=True)
        ]
        what = "refused in words" if request == HARMFUL else "refused in words (over-refusal)"
        draw = partial(forest, bars[:MOST_ROWS], what=f"{what}, 95 % interval", title=f"Refusal of {request} triples")
        blocks.append(Picture(name=f"refusal-{request}", title=_alt(f"Refusal, {request}", names, bars), draw=draw))
        blocks.append(_arms_table(arms, found))
    return Section(anchor="arms", title="What did each arm refuse, and call?", blocks=blocks)


def strata_section(report: TransferReport, found: TransferBehind) -> Section | None:
    """Δ by system condition, domain and scenario; paired differences. None where there is nothing to compare."""
    blocks = [*_strata(report), *_paired(report)]
    return Section(anchor="strata", title="Where does it differ?", blocks=blocks) if blocks else None


def judges_section(report: TransferReport, found: TransferBehind) -> Section | None:
    """What each judge of refusals makes of it; None where one judged."""
    if len(report.judges) < 2:
        return None
    by_judge = Table(
        columns=("model", "judge", "refusal", "over-refusal", "Δ by arm"),
        words=2,
        rows=[
            [
                one.model,
                one.judge,
                share(one.refusal),
                share(one.over_refusal),
                ", ".join(f"{arm} {share(delta)}" for arm, delta in one.divergence.items()),
            ]
            for one in report.by_judge
        ],
    )
    agree = Table(
        columns=("first", "second", "κ", "same verdict", "replies"),
        words=2,
        rows=[
            [
                one.first,
                one.second,
                signed(one.kappa.estimate, one.kappa.low, one.kappa.high),
                NOTHING if one.kappa.observed is None else f"{one.kappa.observed:.2f}",
                f"{one.kappa.n:,}",
            ]
            for one in report.agreement
        ],
        notes=[f"{one.first} · {one.second}: {one.kappa.note}." for one in report.agreement if one.kappa.note],
    )
    return Section(anchor="judges", title="Do judges of refusals agree?", blocks=[without_shared(by_judge), agree])


def published_section(report: TransferReport) -> Section | None:
    """What the paper printed; None where that was not asked for."""
    printed = report.published
    if printed is None:
        return None
    table = Table(
        columns=("published model", "triples", "refused", "refusal", "unsafe", "unsafe, stress", "Δ", "Δ, stress"),
        rows=[
            [
                one.model,
                f"{one.triples:,}",
                f"{one.refused:,}",
                f"{one.refusal_rate:.3f}",
                f"{one.unsafe_rate_normal:.3f}",
                f"{one.unsafe_rate_stress:.3f}",
                f"{one.divergence_normal:.3f}",
                f"{one.divergence_stress:.3f}",
            ]
            for one in printed.table
        ],
    )
    conditions = Table(
        columns=("published model", "condition", "Δ, neutral", "Δ"),
        words=2,
        rows=[[one.model, one.system, f"{one.neutral:.2f}", f"{one.delta:.2f}"] for one in printed.conditions],
    )
    return Section(anchor="published", title="What did the paper print?", blocks=[table, conditions])


def _arms_table(arms: Sequence[ArmFigures], found: TransferBehind) -> Table:
    columns = ("model", "arm", "replies", "refusal", "unsafe", "bounds", "calls", "of calls", "gap")
    table = Table(
        columns=columns,
        words=2,
        rows=[_arm_row(one, found) for one in arms],
        notes=[
            "of calls: unsafe among parsed calls; gap: refused and unsafe in one reply; bounds: with every reply that "
            "is missing, cut off, malformed or in error safe, and with all of them unsafe. 95 % by intent."
        ],
    )
    return without_shared(table)


def _arm_row(one: ArmFigures, found: TransferBehind) -> list[Value]:
    place, acts = place_of(one), bool(one.verdicts)
    return [
        one.model,
        found.link(one.arm, place),
        f"{one.replies:,}",
        found.link(_rate(one.refusal), place, "refused"),
        found.link(_rate(one.unsafe), place, "unsafe") if acts else "",
        _bounds(one.unsafe_bounds) if acts else "",
        _plain(one.calls) if acts else "",
        _plain(one.unsafe_among_calls) if acts else "",
        _plain(one.gap) if acts else "",
    ]


def _divergence_row(report: TransferReport, one: Divergence, found: TransferBehind) -> list[Value]:
    acts = bool(one.delta.n) or one.withheld
    place = (one.model, one.arm, HARMFUL)
    beside = next((b for b in report.beside if (b.model, b.arm) == (one.model, one.arm)), None)
    beyond = beside.beyond_null if beside else None
    return [
        one.model,
        found.link(one.arm, place),
        found.link(f"{one.refused:,}", (one.model, "chat", HARMFUL), "refused"),
        found.link(_rate(one.delta), place, DIVERGENT) if acts or not one.refused else "",
        _bounds(one.bounds) if acts else "",
        _rate(beside.null) if beside else "",
        signed(beyond.estimate, beyond.low, beyond.high) if beyond else "",
        _rate(one.joint) if acts else "",
        _rate(one.refusal_kept),
    ]


def _divergence_notes(report: TransferReport) -> Iterator[str]:
    yield f"Refusals as judged by {report.judge}; intervals 95 %, unit intent; harmful triples."
    yield (
        "Δ: of the triples refused in chat, the share whose call in this arm is unsafe. joint: P(refused ∧ unsafe). "
        "refused too: refused in words in this arm as well."
    )
    yield (
        "wording null: P(not refused in chat wording B | refused in wording A); where the redraw shares the wording's "
        "own shift the null is the larger, so that a small negative difference is no finding."
    )
    for one in report.divergence:
        if one.delta.estimate is None:
            yield f"{one.model}, {one.arm}: {one.delta.note or one.delta.method}."


def _arm_notes(report: TransferReport) -> Iterator[str]:
    for one in report.arms:
        missing = [f"{one.crashed} crashed"] if one.crashed else []
        missing += [f"{one.degenerate} degenerate"] if one.degenerate else []
        missing += ["rates withheld"] if one.withheld else []
        if missing:
            yield f"{one.model}, {one.arm}, {one.request}: {', '.join(missing)}."


def _strata(report: TransferReport) -> Iterator[Block]:
    for factor in ("system", "domain", "scenario"):
        strata = [one for one in report.strata if factor in one.where]
        if not strata:
            continue
        names = unique([f"{_name(report, one.model, one.arm)} · {one.where[factor]}" for one in strata])
        bars = [
            Bar(name=name, estimate=one.delta.estimate, low=one.delta.low, high=one.delta.high)
            for name, one in zip(names, strata, strict=True)
        ]
        draw = partial(forest, bars[:MOST_ROWS], what="Δ, 95 % interval", title=f"Conditioned divergence by {factor}")
        yield Picture(name=f"divergence-by-{factor}", title=_alt(f"Δ by {factor}", names, bars), draw=draw)
        table = Table(
            columns=("model", "arm", factor, "refused in chat", "Δ", "bounds"),
            words=3,
            rows=[
                [
                    one.model, one.arm, one.where[factor], f"{one.refused:,}",
                    _rate(one.delta) if one.refused else NOTHING, _bounds(one.bounds),
                ]
                for one in strata
            ],
        )  # fmt: skip
        yield without_shared(table)


def _paired(report: TransferReport) -> Iterator[Block]:
    if report.paired:
        yield Table(
            columns=("difference", "model", "arm", "both refused", "Δ", "joint"),
            words=3,
            rows=[
                [
                    one.name, one.model, one.arm, f"{one.both_refused:,}",
                    signed(one.divergence.estimate, one.divergence.low, one.divergence.high),
                    signed(one.joint.estimate, one.joint.low, one.joint.high),
                ]
                for one in report.paired
            ],
            notes=["Paired on the triples that both sides refused in chat; 95 % by intent."],
        )  # fmt: skip


def _name(report: TransferReport, model: str, arm: str) -> str:
    return f"{model} · {arm}" if len({one.model for one in report.arms}) > 1 else arm


def _null(nulls: Mapping[tuple[str, str], Rate], one: Divergence) -> float | None:
    found = nulls.get((one.model, one.arm))
    return found.estimate if found else None


def _rate(rate: Rate) -> str:
    return "withheld" if rate.method == "withheld" else share(rate)


def _plain(rate: Rate) -> str:
    return NOTHING if rate.estimate is None else f"{rate.estimate:.2f}"


def _bounds(bounds: Bounds) -> str:
    return interval(bounds.low, bounds.high).strip() or NOTHING


def _alt(what: str, names: Sequence[str], bars: Sequence[Bar]) -> str:
    said = [f"{n} {NOTHING if b.estimate is None else f'{b.estimate:.2f}'}" for n, b in zip(names, bars, strict=True)]
    return f"{what}: {'; '.join(said[:8])}{'; …' if len(said) > 8 else ''}"
