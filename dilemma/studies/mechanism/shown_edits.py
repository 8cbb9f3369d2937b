"""Tables 4 and 7 to 9 and the gated one as text: what interventions do."""

from collections.abc import Iterator, Sequence

from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.mechanism.texts import Shown, effect_text, number_text, rate_text
from dilemma.studies.numbers import p_value
from dilemma.studies.numbers import share as plain_share
from dilemma_kernel.records import Effect, Rate
from refusal_mechanism.figures import ConditionFigures, figures_line
from refusal_mechanism.tables import (
    Comparison,
    Controls,
    GateFigures,
    GateTable,
    PatchFigures,
    PatchingTable,
    SweepPoint,
)


def patching_shown(report: MechanismReport) -> Iterator[Shown]:
    """Table 4, and its flow."""
    table = report.patching
    if table is None:
        return
    rows = [_patch_row(table.patch)]
    rows += [
        [f"best of {len(one.figures)} random{words}", *_patch_row(one.best)[1:]]
        for words, one in _controls(table)
        if one.best is not None
    ]
    yield Shown(
        key="4",
        title="Table 4 · Patching the chat's projection into the tool run",
        columns=(
            "direction", "divergent", "G", "reverted", "safe call", "no call", "degenerate", "refusal restored",
            "calls", "of calls", "unknown",
        ),
        rows=rows,
        notes=(
            "Divergent: refused in chat and called unsafely under tools. The first five shares are of these; calls and "
            "of calls are over all harmful prompts with tools, for the controls over the divergent alone. "
            "Refusal restored is part of no call. Random: the chat's own projection on a random direction is written "
            "in; as far: each state is moved along it as far as the patch moves it. G: the intents of the divergent. "
            f"Calls and of calls of the patch: {figures_line((table.patch.calls, table.patch.unsafe_among_calls))}.",
            *_beyond_lines(table),
        ),
    )  # fmt: skip
    yield Shown(
        key="4-flow",
        title="Table 4 · Harmful triples refused in chat: under tools, then after the patch",
        columns=("under tools", *table.flow),
        rows=[[name, *(str(n) for n in row.values())] for name, row in table.flow.items() if sum(row.values())],
    )


def _controls(table: PatchingTable) -> tuple[tuple[str, Controls], ...]:
    return ("", table.own_value), (", as far", table.as_far)


def _beyond_lines(table: PatchingTable) -> Iterator[str]:
    for words, one in _controls(table):
        found = one.beyond
        if found is not None:
            p = f"p {p_value(found.p)}" if found.p is not None else found.method
            yield f"{found.name}{words}: {effect_text(found)}, {p}, G = {found.clusters}."


def _patch_row(one: PatchFigures) -> list[str]:
    shares = (one.reverted, one.safe_call, one.no_call, one.degenerate, one.restored, one.calls, one.unsafe_among_calls)
    intents = str(one.degenerate.clusters)  # the one share of the divergent that is never withheld
    return [one.name, str(one.divergent), intents, *(rate_text(rate) for rate in shares), str(one.unknown)]


def comparisons_shown(key: str, title: str, comparisons: Sequence[Comparison]) -> Shown:
    """A table of conditions, each before and after."""
    return Shown(
        key=key,
        title=title,
        columns=("condition", "mode", "request", "n", "what", "before", "after", "difference", "p", "G"),
        words=3,
        rows=[row for one in comparisons for row in _comparison_rows(one)],
        notes=("Differences: mean over intents, t(G−1); among calls, jointly linearised by intent.",),
    )


def _comparison_rows(one: Comparison) -> Iterator[list[str]]:
    figures = [("refusal", one.before.refusal, one.after.refusal, one.refusal)]
    if one.mode != "chat":
        figures += [
            ("calls", one.before.calls, one.after.calls, one.calls),
            ("unsafe", one.before.unsafe, one.after.unsafe, one.unsafe),
            ("of calls", one.before.unsafe_among_calls, one.after.unsafe_among_calls, one.unsafe_among_calls),
        ]
    for number, (name, before, after, effect) in enumerate(figures):
        head = [one.name, one.mode, one.request, str(one.after.replies)] if number == 0 else ["", "", "", ""]
        moved = [effect_text(effect), p_value(effect.p), str(effect.clusters)]
        yield [*head, name, rate_text(before), rate_text(after), *moved]
    if one.after.degenerate:
        yield [
            "",
            "",
            "",
            "",
            "degenerate",
            *(plain_share(s.degenerate_share) for s in (one.before, one.after)),
            "",
            "",
            "",
        ]


def sweep_shown(report: MechanismReport) -> Iterator[Shown]:
    """Table 9."""
    if report.sweep is None:
        return
    yield Shown(
        key="9",
        title="Table 9 · Steering sweep",
        columns=(
            "added at", "c", "× natural", "unsafe, harmful", "calls, harmful", "of calls", "calls, benign",
            "over-refusal", "degenerate", "p unsafe", "p benign calls",
        ),
        rows=[_sweep_row(point) for point in report.sweep.points],
        notes=(
            f"Natural magnitude {report.sweep.natural:.4g}: difference of the mean projections of harmful and benign "
            "chats. Rates on both kinds are withheld where a quarter or more of the replies to either are degenerate. "
            f"{figures_line([figure for point in report.sweep.points for figure in _sweep_figures(point)])}.",
        ),
    )  # fmt: skip


def _sweep_figures(point: SweepPoint) -> tuple[Rate, ...]:
    harmful, benign = point.harmful.after, point.benign.after
    return (harmful.unsafe, harmful.calls, harmful.unsafe_among_calls, benign.calls, benign.refusal)


def _sweep_row(point: SweepPoint) -> list[str]:
    harmful, benign = point.harmful, point.benign
    rates = [rate_text(rate) for rate in _sweep_figures(point)]
    degenerate = f"{harmful.after.degenerate / max(harmful.after.replies, 1):.2f}, "
    degenerate += f"{benign.after.degenerate / max(benign.after.replies, 1):.2f}"
    return [
        point.positions,
        f"{point.coefficient:.4g}",
        number_text(point.multiple, ".3g"),
        *rates,
        degenerate,
        p_value(harmful.unsafe.p),
        p_value(benign.calls.p),
    ]


def gating_shown(table: GateTable) -> Shown:
    """The gated table."""
    rows = [row for one in table.operators for row in _gate_rows(one)]
    areas = ", ".join(f"{name} {number_text(area, '.2f')}" for name, area in table.auc.items())
    return Shown(
        key="gated",
        title="Gated · A probe from other domains decides where an operator acts",
        columns=("operator", "", "unsafe", "of calls", "calls, harmful", "calls, benign", "Δ of calls", "Δ benign"),
        words=2,
        rows=rows,
        notes=(
            f"Threshold set where at most {table.most_lost:.0%} of benign calls of the fitting domains are acted on. "
            f"The probe's AUC for unsafe calls, on domains it never saw: {areas}. Same cost: of all ungated operators "
            "that keep at least as many benign calls, the one with the lowest unsafe share among calls. Δ: gated minus "
            f"the row's own operator, ungated. {figures_line(list(_gate_figures(table)))}.",
        ),
    )


def _gate_figures(table: GateTable) -> Iterator[Rate | Effect]:
    for one in table.operators:
        pairs = [one.unmodified, one.ungated, one.gated, *([one.same_cost_figures] if one.same_cost_figures else [])]
        yield from (rate for pair in pairs for rate in _four_rates(pair))
        yield from (one.opened_harmful, one.opened_benign, one.among_calls, one.benign_calls)


def _gate_rows(one: GateFigures) -> Iterator[list[str]]:
    named = [("unmodified", one.unmodified), ("ungated", one.ungated), ("gated", one.gated)]
    for number, (name, pair) in enumerate(named):
        effects = [effect_text(one.among_calls), effect_text(one.benign_calls)] if name == "gated" else ["", ""]
        yield [one.operator if number == 0 else "", name, *_four(pair), *effects]
    if one.same_cost_figures is not None and one.same_cost_among_calls is not None:
        same = effect_text(one.same_cost_among_calls)
        yield ["", f"same cost: {one.same_cost}", *_four(one.same_cost_figures), same, ""]
    yield ["", "gate open", "", "", plain_share(one.opened_harmful), plain_share(one.opened_benign), "", ""]


def _four(pair: tuple[ConditionFigures, ConditionFigures]) -> list[str]:
    return [rate_text(rate) for rate in _four_rates(pair)]


def _four_rates(pair: tuple[ConditionFigures, ConditionFigures]) -> tuple[Rate, Rate, Rate, Rate]:
    harmful, benign = pair
    return (harmful.unsafe, harmful.unsafe_among_calls, harmful.calls, benign.calls)
