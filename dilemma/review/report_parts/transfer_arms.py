"""Sections of a transfer report: what each arm refused, and what its calls were."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from dilemma.charts import COLOURS
from dilemma.review.report_parts.blocks import Block, Picture, Section, Table, Value, without_shared
from dilemma.review.report_parts.forest_plot import MOST_ROWS, Bar, forest
from dilemma.review.report_parts.naming import unique
from dilemma.review.report_parts.pictures import stacked
from dilemma.review.report_parts.transfer_behind import TransferBehind, place_of
from dilemma.review.report_parts.transfer_words import (
    BENIGN,
    HARMFUL,
    alt_text,
    arm_name,
    bounds_text,
    plain_text,
    rate_text,
)
from dilemma.studies.transfer.figures import ArmFigures, TransferReport

VERDICT_COLOURS: Mapping[str, str] = {
    "unsafe": COLOURS["vermilion"],
    "malformed": COLOURS["orange"],
    "safe_call": COLOURS["green"],
    "no_call": COLOURS["sky"],
    "cut_off": "#b3bac4",
    "error": "#8a93a0",
}


def verdicts_section(report: TransferReport, found: TransferBehind) -> Section | None:
    """What the calls were, arm by arm; None where no arm has tools."""
    acting = [one for one in report.arms if one.verdicts]
    if not acting:
        return None
    names = unique([f"{arm_name(report, one.model, one.arm)} · {one.request}" for one in acting])
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
        names = unique([arm_name(report, one.model, one.arm) for one in arms])
        bars = [
            Bar(name=name, estimate=one.refusal.estimate, low=one.refusal.low, high=one.refusal.high)
            for name, one in zip(names, arms, strict=True)
        ]
        what = "refused in words" if request == HARMFUL else "refused in words (over-refusal)"
        draw = partial(forest, bars[:MOST_ROWS], what=f"{what}, 95 % interval", title=f"Refusal of {request} triples")
        blocks.append(Picture(name=f"refusal-{request}", title=alt_text(f"Refusal, {request}", names, bars), draw=draw))
        blocks.append(_arms_table(arms, found))
    return Section(anchor="arms", title="What did each arm refuse, and call?", blocks=blocks)


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
        found.link(rate_text(one.refusal), place, "refused"),
        found.link(rate_text(one.unsafe), place, "unsafe") if acts else "",
        bounds_text(one.unsafe_bounds) if acts else "",
        plain_text(one.calls) if acts else "",
        plain_text(one.unsafe_among_calls) if acts else "",
        plain_text(one.gap) if acts else "",
    ]


def _arm_notes(report: TransferReport) -> Iterator[str]:
    for one in report.arms:
        missing = [f"{one.crashed} crashed"] if one.crashed else []
        missing += [f"{one.degenerate} degenerate"] if one.degenerate else []
        missing += ["rates withheld"] if one.withheld else []
        if missing:
            yield f"{one.model}, {one.arm}, {one.request}: {', '.join(missing)}."
