"""A run's report as tables of text: one description for the terminal and for the page."""

from collections.abc import Iterator, Sequence

from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.mechanism.shown_edits import comparisons_shown, gating_shown, patching_shown, sweep_shown
from dilemma.studies.mechanism.texts import Shown, number_text, rate_text
from dilemma.studies.numbers import NOTHING, interval, p_value
from dilemma.studies.numbers import share as plain_share
from dilemma_kernel.records import Rate
from refusal_mechanism.directions import Cosine
from refusal_mechanism.figures import ConditionFigures, Mean, figures_line
from refusal_mechanism.published import PublishedFigure
from refusal_mechanism.selection import Candidate
from refusal_mechanism.separation import Auc
from refusal_mechanism.tables import KlRow


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
        notes=(f"{figures_line(_rates(report.unmodified))}; {_COUNTS}",),
    )
    yield from _selection(report)
    yield from _suppression(report)
    yield from patching_shown(report)
    yield from _cosines(report)
    yield from _kl(report)
    yield comparisons_shown("7", "Table 7 · Addition", report.addition)
    yield comparisons_shown("8", "Table 8 · Ablation and calls", report.calls)
    yield from sweep_shown(report)
    if report.gating is not None:
        yield gating_shown(report.gating)
    yield _published(report.published)


_COUNTS = (
    "n counts replies; of calls: unsafe among calls that were parsed; unknown: malformed or cut off, in chat cut off."
)
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
        notes=(
            "Δ: of the harmful triples refused in chat, the share whose call in this arm is unsafe. "
            f"{figures_line([one.delta for one in report.divergence])}.",
        ),
    )


def _figures_row(one: ConditionFigures) -> list[str]:
    return [
        one.mode,
        one.request,
        str(one.replies),
        rate_text(one.refusal),
        rate_text(one.calls),
        rate_text(one.unsafe),
        rate_text(one.unsafe_among_calls),
        plain_share(one.degenerate_share),
        str(one.unknown),
    ]


def _rates(figures: Sequence[ConditionFigures]) -> list[Rate]:
    return [rate for one in figures for rate in (one.refusal, one.calls, one.unsafe, one.unsafe_among_calls)]


def _selection(report: MechanismReport) -> Iterator[Shown]:
    if report.selection is None:
        return
    yield Shown(
        key="rules",
        title="Which layer",
        columns=("rule", "layer", "why"),
        words=3,
        rows=[[one.rule, NOTHING if one.site is None else str(one.site), one.why] for one in report.selection.choices],
        notes=(f"Layer l is the residual before block l, of {report.layers}. {used_layer(report)}.",),
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


def used_layer(report: MechanismReport) -> str:
    """Which layer the tables use, in words."""
    return "No layer is used" if report.site is None else f"Layer {report.site} is used"


def _candidate_row(one: Candidate) -> list[str]:
    return [
        str(one.site),
        f"{one.norm:.3g}",
        f"{one.share_of_state:.3f}",
        number_text(one.auc, ".3f"),
        number_text(one.effect_size, ".2f"),
        number_text(one.bypass, "+.2f"),
        number_text(one.induce, "+.2f"),
        number_text(one.kl, ".3g"),
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
    yield comparisons_shown(
        "3-edits", "Table 3 · Refusal in chat, before and after", (*table.ablation, *table.addition)
    )


def _mean_row(name: str, mean: Mean) -> list[str]:
    value = NOTHING if mean.estimate is None else f"{mean.estimate:.3g}{interval(mean.low, mean.high, '.3g')}"
    return [name, value, number_text(mean.t, ".2f"), p_value(mean.p), mean.unit, str(mean.clusters), str(mean.n)]


def _auc_row(name: str, area: Auc) -> list[str]:
    value = NOTHING if area.estimate is None else f"{area.estimate:.3f}{interval(area.low, area.high, '.3f')}"
    n = f"{area.positives} + {area.negatives}"
    return [name, value, "", p_value(area.p), area.unit, str(area.clusters), n]


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
            *(f"{one.first}, {one.second}: {one.note}" for one in report.cosines.chosen if one.note),
        ),
    )


def _cosine_row(one: Cosine) -> list[str]:
    cosine = NOTHING if one.estimate is None else f"{one.estimate:.2f}{interval(one.low, one.high)}"
    angles = ", ".join(f"{angle:.0f}" for angle in one.subspace_angles) or NOTHING
    return [
        f"{one.first}, {one.second}",
        str(one.site),
        cosine,
        number_text(one.angle, ".0f"),
        angles,
        str(one.clusters),
    ]


def _kl(report: MechanismReport) -> Iterator[Shown]:
    if report.kl is None:
        return
    rows = [_kl_row(row) for row in report.kl.layers]
    if report.kl.most_random is not None:
        rows.append([f"largest of {len(report.kl.random)} random", *_kl_row(report.kl.most_random)[1:]])
    yield Shown(
        key="6",
        title="Table 6 · KL of ablation, every layer",
        columns=("direction", "suite, nats", "n", "G", "everyday, nats", "G", "below the limit"),
        rows=rows,
        notes=(
            f"Mean KL at the first token of the reply, raw logits, float64; limit {report.kl.limit}. 95 % intervals: "
            "unit intent for the suite's n chats, unit prompt for the everyday ones.",
        ),
    )


def _kl_row(row: KlRow) -> list[str]:
    def text(mean: Mean | None) -> str:
        if mean is None or mean.estimate is None:
            return NOTHING
        return f"{mean.estimate:.3g}{interval(mean.low, mean.high, '.3g')}"

    everyday = str(row.generic.clusters) if row.generic else ""
    return [
        row.name,
        text(row.suite),
        str(row.suite.n),
        str(row.suite.clusters),
        text(row.generic),
        everyday,
        "yes" if row.below_limit else "no",
    ]


def _published(figures: Sequence[PublishedFigure]) -> Shown:
    return Shown(
        key="published",
        title="As published, of other models: anchors, never targets",
        columns=("table", "model", "figure", "coefficient", "published"),
        words=3,
        rows=[
            [str(one.table), one.model, one.quantity, number_text(one.coefficient, "g"), one.text] for one in figures
        ],
    )
