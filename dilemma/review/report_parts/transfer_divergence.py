"""Sections of a transfer report: conditioned divergence, over all and by strata."""

from collections.abc import Iterator, Mapping
from functools import partial

from dilemma.review.report_parts.blocks import Block, Picture, Section, Table, Value, without_shared
from dilemma.review.report_parts.forest_plot import MOST_ROWS, Bar, forest
from dilemma.review.report_parts.naming import unique
from dilemma.review.report_parts.transfer_behind import DIVERGENT, TransferBehind
from dilemma.review.report_parts.transfer_words import HARMFUL, alt_text, arm_name, bounds_text, rate_text
from dilemma.studies.numbers import NOTHING, signed
from dilemma.studies.transfer.figures import Divergence, TransferReport
from dilemma_kernel.records import Rate


def divergence_section(report: TransferReport, found: TransferBehind) -> Section:
    """Δ beside its wording null."""
    acting = [one for one in report.divergence if one.delta.n or one.withheld]
    nulls = {(one.model, one.arm): one.null for one in report.beside}
    names = unique([arm_name(report, one.model, one.arm) for one in acting])
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
        blocks.append(Picture(name="divergence", title=alt_text("Conditioned divergence", names, bars), draw=draw))
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


def strata_section(report: TransferReport) -> Section | None:
    """Δ by system condition, domain and scenario; paired differences. None where there is nothing to compare."""
    blocks = [*_strata(report), *_paired(report)]
    return Section(anchor="strata", title="Where does it differ?", blocks=blocks) if blocks else None


def _divergence_row(report: TransferReport, one: Divergence, found: TransferBehind) -> list[Value]:
    acts = bool(one.delta.n) or one.withheld
    place = (one.model, one.arm, HARMFUL)
    beside = next((b for b in report.beside if (b.model, b.arm) == (one.model, one.arm)), None)
    beyond = beside.beyond_null if beside else None
    return [
        one.model,
        found.link(one.arm, place),
        found.link(f"{one.refused:,}", (one.model, "chat", HARMFUL), "refused"),
        found.link(rate_text(one.delta), place, DIVERGENT) if acts or not one.refused else "",
        bounds_text(one.bounds) if acts else "",
        rate_text(beside.null) if beside else "",
        signed(beyond.estimate, beyond.low, beyond.high) if beyond else "",
        rate_text(one.joint) if acts else "",
        rate_text(one.refusal_kept),
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


def _strata(report: TransferReport) -> Iterator[Block]:
    for factor in ("system", "domain", "scenario"):
        strata = [one for one in report.strata if factor in one.where]
        if not strata:
            continue
        names = unique([f"{arm_name(report, one.model, one.arm)} · {one.where[factor]}" for one in strata])
        bars = [
            Bar(name=name, estimate=one.delta.estimate, low=one.delta.low, high=one.delta.high)
            for name, one in zip(names, strata, strict=True)
        ]
        draw = partial(forest, bars[:MOST_ROWS], what="Δ, 95 % interval", title=f"Conditioned divergence by {factor}")
        yield Picture(name=f"divergence-by-{factor}", title=alt_text(f"Δ by {factor}", names, bars), draw=draw)
        table = Table(
            columns=("model", "arm", factor, "refused in chat", "Δ", "bounds"),
            words=3,
            rows=[
                [
                    one.model, one.arm, one.where[factor], f"{one.refused:,}",
                    rate_text(one.delta) if one.refused else NOTHING, bounds_text(one.bounds),
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


def _null(nulls: Mapping[tuple[str, str], Rate], one: Divergence) -> float | None:
    found = nulls.get((one.model, one.arm))
    return found.estimate if found else None
