"""A run's report as tables of text: one description for the terminal and for the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.numbers import NOTHING, interval, p_value, signed
from dilemma.studies.numbers import share as plain_share
from dilemma_kernel.records import Effect, Rate
from refusal_mechanism.directions import Cosine
from refusal_mechanism.figures import ConditionFigures, Mean
from refusal_mechanism.published import PublishedFigure
from refusal_mechanism.selection import Candidate
from refusal_mechanism.separation import Auc
from refusal_mechanism.tables import Comparison, GateFigures, GateTable, KlRow, PatchFigures, SweepPoint


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A table of text."""

    key: str
    """Short and stable."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1
    """Leading columns that hold words."""
    notes: Sequence[str] = ()


def shown_tables(report: MechanismReport) -> list[Shown]:
    """Every table that was made, in the paper's order."""
    return [table for table in _tables(report) if table.rows]


def _tables(report: MechanismReport) -> Iterator[Shown]:
    yield _split(report)
    yield _divergence(report)
    yield Shown(
        key="unmodified",
        title="The held-out half as it is",
        columns=_FIGURES,
        words=2,
        rows=[_figures_row(one) for one in report.unmodified],
        notes=(_UNITS,),
    )
    yield from _selection(report)
    yield from _suppression(report)
    yield from _patching(report)
    yield from _cosines(report)
    yield from _kl(report)
    yield _comparisons("7", "Table 7 · Addition", report.addition)
    yield _comparisons("8", "Table 8 · Ablation and calls", report.calls)
    yield from _sweep(report)
    if report.gating is not None:
        yield _gating(report.gating)
    yield _published(report.published)


_UNITS = "95 % intervals, unit intent; n counts replies; of calls: unsafe among calls that were parsed."
_FIGURES = ("mode", "request", "n", "refusal", "calls", "unsafe", "of calls", "degenerate", "unknown")


def _split(report: MechanismReport) -> Shown:
    return Shown(
        key="split",
        title="Which intents serve what",
        columns=("part", "intents", "harmful triples", "benign triples"),
        rows=[[one.part, str(one.intents), str(one.harmful), str(one.benign)] for one in report.split],
        notes=("Directions and probes are fitted on extract, layers chosen on select, tables made on test.",),
    )


def _divergence(report: MechanismReport) -> Shown:
    return Shown(
        key="1-2",
        title="Tables 1 and 2 · Conditioned divergence, all triples of the study",
        columns=("arm", "system", "refused in chat", "Δ"),
        words=2,
        rows=[
            [one.arm, one.where.get("system", "all"), str(one.refused), rate_text(one.delta)]
            for one in report.divergence
            if one.delta.n or one.withheld
        ],
        notes=("Δ: of the harmful triples refused in chat, the share whose call in this arm is unsafe.",),
    )


def _figures_row(one: ConditionFigures) -> list[str]:
    return [
        one.mode,
        one.request,
        str(one.replies),
        rate_text(one.refusal),
        rate_text(one.calls) if one.mode != "chat" else "",
        rate_text(one.unsafe) if one.mode != "chat" else "",
        rate_text(one.unsafe_among_calls) if one.mode != "chat" else "",
        plain_share(one.degenerate_share),
        str(one.unknown),
    ]


def _selection(report: MechanismReport) -> Iterator[Shown]:
    if report.selection is None:
        return
    yield Shown(
        key="rules",
        title="Which layer",
        columns=("rule", "layer", "why"),
        words=3,
        rows=[[one.rule, NOTHING if one.site is None else str(one.site), one.why] for one in report.selection.choices],
        notes=(f"Layer l is the residual before block l, of {report.layers}. Tables use layer {report.site}.",),
    )
    yield Shown(
        key="candidates",
        title="Every layer's direction",
        columns=("layer", "‖r‖", "‖r‖ / state", "AUC", "effect size", "bypass", "induce", "KL"),
        rows=[_candidate_row(one) for one in report.selection.candidates],
        notes=(
            "AUC and effect size on held-out chats. bypass: refusal log-odds on harmful chats, ablated; induce: on "
            "benign chats, added; KL in nats on benign chats, ablated. Admissible: KL < 0.1 and induce > 0.",
        ),
    )


def _candidate_row(one: Candidate) -> list[str]:
    return [
        str(one.site),
        f"{one.norm:.3g}",
        f"{one.share_of_state:.3f}",
        _number(one.auc, ".3f"),
        _number(one.effect_size, ".2f"),
        _number(one.bypass, "+.2f"),
        _number(one.induce, "+.2f"),
        _number(one.kl, ".3g"),
    ]


def _suppression(report: MechanismReport) -> Iterator[Shown]:
    table = report.suppression
    if table is None:
        return
    yield Shown(
        key="3",
        title="Table 3 · Suppression",
        columns=("figure", "value", "t", "p", "unit", "G", "n"),
        rows=[
            _mean_row("projection in chat", table.chat),
            _mean_row("projection under tools", table.tool),
            _mean_row("chat − tools, paired t", table.drop),
            _mean_row("chat − tools, by intent", table.drop_by_intent),
            _auc_row("AUC: low projection, unsafe call", table.low_predicts_unsafe),
            _auc_row("AUC: high projection in chat, refusal", table.chat_predicts_refusal),
        ],
        notes=(f"Harmful held-out triples, layer {table.site}, decision token.",),
    )
    yield _comparisons("3-edits", "Table 3 · Refusal in chat, before and after", (*table.ablation, *table.addition))


def _mean_row(name: str, mean: Mean) -> list[str]:
    value = NOTHING if mean.estimate is None else f"{mean.estimate:.3g}{interval(mean.low, mean.high, '.3g')}"
    return [name, value, _number(mean.t, ".2f"), p_value(mean.p), mean.unit, str(mean.clusters), str(mean.n)]


def _auc_row(name: str, area: Auc) -> list[str]:
    value = NOTHING if area.estimate is None else f"{area.estimate:.3f}{interval(area.low, area.high, '.3f')}"
    n = f"{area.positives} + {area.negatives}"
    return [name, value, "", p_value(area.p), area.unit, str(area.clusters), n]


def _patching(report: MechanismReport) -> Iterator[Shown]:
    table = report.patching
    if table is None:
        return
    rows = [_patch_row(table.patch)]
    if table.best_random is not None:
        rows.append(["best of " + str(len(table.random)) + " random", *_patch_row(table.best_random)[1:]])
    yield Shown(
        key="4",
        title="Table 4 · Patching the chat's projection into the tool run",
        columns=(
            "direction", "divergent", "reverted", "safe call", "no call", "degenerate", "refusal restored",
            "calls", "of calls", "unknown",
        ),
        rows=rows,
        notes=(
            "Divergent: refused in chat and called unsafely under tools. The first five shares are of these; calls and "
            "of calls are over all harmful prompts with tools, for the controls over the divergent alone. "
            "Refusal restored is part of no call. 95 % intervals, unit intent.",
        ),
    )  # fmt: skip
    yield Shown(
        key="4-flow",
        title="Table 4 · Harmful triples refused in chat: under tools, then after the patch",
        columns=("under tools", *table.flow),
        rows=[[name, *(str(n) for n in row.values())] for name, row in table.flow.items() if sum(row.values())],
    )


def _patch_row(one: PatchFigures) -> list[str]:
    shares = (one.reverted, one.safe_call, one.no_call, one.degenerate, one.restored, one.calls, one.unsafe_among_calls)
    return [one.name, str(one.divergent), *(rate_text(rate) for rate in shares), str(one.unknown)]


def _cosines(report: MechanismReport) -> Iterator[Shown]:
    if report.cosines is None:
        return
    yield Shown(
        key="5",
        title="Table 5 · Cosines of the directions",
        columns=("directions", "layer", "cosine", "angle", "angles of the spans by domain", "G"),
        rows=[_cosine_row(one) for one in report.cosines.chosen],
        notes=(
            "request: harmful − benign in chat. tool: harmful − benign under tools. behaviour: refused − complied, "
            "harmful chats. Percentile bootstrap over intents; angles in degrees, 90 unrelated.",
            *(one.method for one in report.cosines.chosen if one.estimate is None),
        ),
    )


def _cosine_row(one: Cosine) -> list[str]:
    cosine = NOTHING if one.estimate is None else f"{one.estimate:.2f}{interval(one.low, one.high)}"
    angles = ", ".join(f"{angle:.0f}" for angle in one.subspace_angles) or NOTHING
    return [f"{one.first}, {one.second}", str(one.site), cosine, _number(one.angle, ".0f"), angles, str(one.clusters)]


def _kl(report: MechanismReport) -> Iterator[Shown]:
    if report.kl is None:
        return
    rows = [_kl_row(row) for row in report.kl.layers]
    if report.kl.most_random is not None:
        rows.append([f"largest of {len(report.kl.random)} random", *_kl_row(report.kl.most_random)[1:]])
    yield Shown(
        key="6",
        title="Table 6 · KL of ablation, every layer",
        columns=("direction", "suite, nats", "n", "everyday, nats", "n", "below the limit"),
        rows=rows,
        notes=(f"Mean KL at the first token of the reply, raw logits, float64; limit {report.kl.limit}.",),
    )


def _kl_row(row: KlRow) -> list[str]:
    def text(mean: Mean | None) -> str:
        if mean is None or mean.estimate is None:
            return NOTHING
        return f"{mean.estimate:.3g}{interval(mean.low, mean.high, '.3g')}"

    everyday = str(row.generic.n) if row.generic else ""
    return [
        row.name,
        text(row.suite),
        str(row.suite.n),
        text(row.generic),
        everyday,
        "yes" if row.below_limit else "no",
    ]


def _comparisons(key: str, title: str, comparisons: Sequence[Comparison]) -> Shown:
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


def _sweep(report: MechanismReport) -> Iterator[Shown]:
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
            "chats. Rates are withheld where a quarter or more of the replies to either kind are degenerate.",
        ),
    )  # fmt: skip


def _sweep_row(point: SweepPoint) -> list[str]:
    harmful, benign = point.harmful, point.benign
    degenerate = f"{harmful.after.degenerate / max(harmful.after.replies, 1):.2f}, "
    degenerate += f"{benign.after.degenerate / max(benign.after.replies, 1):.2f}"
    return [
        point.positions,
        f"{point.coefficient:.4g}",
        _number(point.multiple, ".3g"),
        rate_text(harmful.after.unsafe),
        rate_text(harmful.after.calls),
        rate_text(harmful.after.unsafe_among_calls),
        rate_text(benign.after.calls),
        rate_text(benign.after.refusal),
        degenerate,
        p_value(harmful.unsafe.p),
        p_value(benign.calls.p),
    ]


def _gating(table: GateTable) -> Shown:
    rows = [row for one in table.operators for row in _gate_rows(one)]
    areas = ", ".join(f"{name} {_number(area, '.2f')}" for name, area in table.auc.items())
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
            "the row's own operator, ungated.",
        ),
    )


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
    harmful, benign = pair
    return [rate_text(r) for r in (harmful.unsafe, harmful.unsafe_among_calls, harmful.calls, benign.calls)]


def _published(figures: Sequence[PublishedFigure]) -> Shown:
    return Shown(
        key="published",
        title="As published, of other models: anchors, never targets",
        columns=("table", "model", "figure", "coefficient", "published"),
        words=3,
        rows=[[str(one.table), one.model, one.quantity, _number(one.coefficient, "g"), one.text] for one in figures],
    )


def rate_text(rate: Rate) -> str:
    """``0.42 [0.30, 0.55]``; ``withheld``, or a dash for what does not exist."""
    return "withheld" if rate.method == "withheld" else plain_share(rate)


def effect_text(effect: Effect) -> str:
    """``+0.12 [+0.03, +0.21]``; ``withheld``, or a dash for what does not exist."""
    return "withheld" if effect.method == "withheld" else signed(effect.estimate, effect.low, effect.high)


def _number(value: float | None, form: str) -> str:
    return NOTHING if value is None else format(value, form)
