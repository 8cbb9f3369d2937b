"""Sections of a transfer report: what judges of refusals say, and what the paper printed."""

from dilemma.review.report_parts.blocks import Section, Table, without_shared
from dilemma.studies.numbers import NOTHING, share, signed
from dilemma.studies.transfer.figures import TransferReport


def judges_section(report: TransferReport) -> Section | None:
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
