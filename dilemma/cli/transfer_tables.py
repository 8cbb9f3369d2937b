"""Tables of ``dilemma transfer``."""

from collections.abc import Iterable, Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dilemma.cli.safe import clipped, visible
from dilemma.cli.tables import print_json, wide_console
from dilemma.studies.study import StoredEpisode
from dilemma.studies.transfer.figures import ArmFigures, Divergence, PairedFigures, Published, TransferReport
from dilemma_kernel.records import Bounds, Effect, Rate


def print_transfer_report(report: TransferReport, *, as_json: bool) -> None:
    """Everything in a report, a table a question."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = wide_console()
    console.print(Text(f"study {report.study} · suite {report.suite} ({report.suite_hash})", style="bold"))
    console.print(Text(f"refusals as judged by {visible(report.judge)}; intervals 95 %, unit intent"))
    harmful = [one for one in report.arms if one.request == "harmful"]
    benign = [one for one in report.arms if one.request == "benign"]
    _show(console, "harmful triples", _ARM_COLUMNS, (_arm_row(one) for one in harmful))
    _show(console, "benign triples: over-refusal, false triggers", _ARM_COLUMNS, (_arm_row(one) for one in benign))
    _show(console, "divergence", _DELTA_COLUMNS, (_delta_row(one) for one in report.divergence))
    _show(console, "divergence and the wording null", _BESIDE_COLUMNS, _beside_rows(report))
    for factor in ("system", "domain", "scenario"):
        strata = [one for one in report.strata if factor in one.where]
        _show(console, f"divergence by {factor}", ("model", "arm", factor, *_DELTA_COLUMNS[2:]), _strata_rows(strata))
    _show(console, "paired on triples that both refused", _PAIRED_COLUMNS, (_paired_row(p) for p in report.paired))
    _show(
        console, "by judge of refusals", ("model", "judge", "refusal", "over-refusal", "Δ by arm"), _judge_rows(report)
    )
    _show(console, "judges agree", ("first", "second", "κ", "agree", "n"), _agreement_rows(report))
    _show(console, "harmful triples, chat verdict → tool verdict", _FLOW_COLUMNS, _flow_rows(report))
    if report.published:
        _print_published(console, report.published)
    for line in _footnotes(report):
        console.print(Text(line))


def _show(console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table; a model that all rows share stands in its title."""
    listed = [[visible(cell) for cell in row] for row in rows]
    if not listed:
        return
    place = columns.index("model") if "model" in columns else None
    shared = place if place is not None and len({row[place] for row in listed}) == 1 else None
    if shared is not None and listed[0][shared]:
        title = f"{title} · {listed[0][shared]}"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for number, name in enumerate(columns):
        if number != shared:
            text = name in _TEXTS
            side: Literal["left", "right"] = "left" if text else "right"
            table.add_column(name, overflow="fold", justify=side, no_wrap=not text, min_width=min(len(name), 8))
    for row in listed:
        table.add_row(*(cell for number, cell in enumerate(row) if number != shared))
    console.print(table)


_TEXTS = frozenset({"model", "judge", "difference", "first", "second", "published", "Δ by arm"})
"""Columns of words, which may be folded."""
_ARM_COLUMNS = ("model", "arm", "n", "refusal", "unsafe", "bounds", "calls", "of calls", "gap")


def _arm_row(one: ArmFigures) -> list[str]:
    tools = bool(one.verdicts)
    return [
        one.model,
        one.arm,
        str(one.replies),
        rate_text(one.refusal),
        rate_text(one.unsafe) if tools else "",
        bounds_text(one.unsafe_bounds) if tools else "",
        _number(one.calls.estimate) if tools else "",
        _number(one.unsafe_among_calls.estimate) if tools else "",
        _number(one.gap.estimate) if tools else "",
    ]


_DELTA_COLUMNS = ("model", "arm", "refused", "Δ", "bounds", "joint", "refused too")


def _delta_row(one: Divergence) -> list[str]:
    acts = bool(one.delta.n) or one.withheld
    return [
        one.model,
        one.arm,
        str(one.refused),
        rate_text(one.delta) if acts or not one.refused else "",
        bounds_text(one.bounds) if acts else "",
        rate_text(one.joint) if acts else "",
        rate_text(one.refusal_kept),
    ]


def _strata_rows(strata: Sequence[Divergence]) -> list[list[str]]:
    return [[*row[:2], *one.where.values(), *row[2:]] for one in strata for row in (_delta_row(one),)]


_BESIDE_COLUMNS = ("model", "arm", "wording null", "Δ − null", "bootstrap", "by wording", "corrected")


def _beside_rows(report: TransferReport) -> list[list[str]]:
    return [
        [
            one.model,
            one.arm,
            rate_text(one.null),
            effect_text(one.beyond_null),
            interval_text(one.bootstrap.low, one.bootstrap.high),
            interval_text(one.by_cluster.low, one.by_cluster.high),
            rate_text(one.corrected) if one.corrected else "",
        ]
        for one in report.beside
    ]


_PAIRED_COLUMNS = ("difference", "model", "arm", "n", "Δ", "joint")


def _paired_row(one: PairedFigures) -> list[str]:
    return [one.name, one.model, one.arm, str(one.both_refused), effect_text(one.divergence), effect_text(one.joint)]


def _judge_rows(report: TransferReport) -> list[list[str]]:
    return [
        [
            one.model,
            one.judge,
            rate_text(one.refusal),
            rate_text(one.over_refusal),
            ", ".join(f"{arm} {rate_text(delta)}" for arm, delta in one.divergence.items()),
        ]
        for one in report.by_judge
    ]


def _agreement_rows(report: TransferReport) -> list[list[str]]:
    return [
        [
            one.first,
            one.second,
            one.kappa.note or _number(one.kappa.estimate) + interval_text(one.kappa.low, one.kappa.high),
            _number(one.kappa.observed),
            str(one.kappa.n),
        ]
        for one in report.agreement
    ]


_FLOW_COLUMNS = ("model", "arm", "chat", "unsafe", "error", "cut off", "malformed", "safe call", "no call")


def _flow_rows(report: TransferReport) -> list[list[str]]:
    return [
        [flow.model, flow.arm, name, *(str(n) for n in row.values())]
        for flow in report.flow
        for name, row in flow.counts.items()
        if sum(row.values())
    ]


def _print_published(console: Console, published: Published) -> None:
    columns = ("published", "triples", "refused", "refusal", "unsafe", "unsafe, stress", "Δ", "Δ, stress")
    table = [
        [
            one.model,
            str(one.triples),
            str(one.refused),
            *(
                f"{value:.3f}"
                for value in (
                    one.refusal_rate,
                    one.unsafe_rate_normal,
                    one.unsafe_rate_stress,
                    one.divergence_normal,
                    one.divergence_stress,
                )
            ),
        ]
        for one in published.table
    ]
    _show(console, "Table 1 as published", columns, table)
    rows = [[one.model, one.system, f"{one.neutral:.2f}", f"{one.delta:.2f}"] for one in published.conditions]
    _show(console, "published Δ by system condition, tool arm", ("model", "condition", "neutral", "Δ"), rows)


def _footnotes(report: TransferReport) -> list[str]:
    lines = [
        "of calls: unsafe among parsed calls. gap: refused and unsafe in one reply. joint: P(refused ∧ unsafe),",
        "the refusal being that of the chat arm.",
        "Δ: of the triples refused in chat, the share whose call in this arm is unsafe. bounds: with every reply that",
        "is missing, cut off, malformed or in error safe, and with all of them unsafe. wording null: P(not refused in",
        "chat wording B | refused in wording A); where the redraw shares the wording's own shift the null is the",
        "larger, so that a small negative difference is no finding. rules: the text alone; rules+provider: the text or",
        "the provider's own refusal.",
    ]
    for one in report.arms:
        missing = [f"{one.crashed} crashed"] if one.crashed else []
        missing += [f"{one.degenerate} degenerate"] if one.degenerate else []
        missing += ["rates withheld"] if one.withheld else []
        if missing:
            lines.append(f"{visible(one.model)}, {one.arm}, {one.request}: {', '.join(missing)}")
    empty = [one for one in report.divergence if one.delta.estimate is None and one.refused == 0]
    return lines + [f"{visible(one.model)}, {one.arm}: {one.delta.method}" for one in empty]


def print_arm(stored: StoredEpisode, *, as_json: bool) -> None:
    """One arm: what was asked, what came back, and what is said of it."""
    trajectory = stored.trajectory
    if as_json:
        judgements = [judgement.model_dump(mode="json") for judgement in stored.judgements]
        print_json({"trajectory": trajectory.model_dump(mode="json"), "judgements": judgements})
        return
    levels = ", ".join(f"{name}={level}" for name, level in trajectory.cell.levels.items())
    print(f"reply {trajectory.episode_id} · study {visible(trajectory.study)} · {visible(trajectory.case)}")
    print(f"model {visible(trajectory.cell.agent)} · {levels} · repeat {trajectory.repeat} · seed {trajectory.seed}")
    print(f"\nrequest\n{visible(trajectory.opening)}\n\nreply")
    for turn in trajectory.turns:
        reply = turn.asks[-1].reply
        print(visible(clipped(reply.refusal or reply.text, LONGEST)) or "(no words)")
        for call in reply.calls:
            bad = f" (malformed: {call.malformed})" if call.malformed else ""
            print(visible(f"call {call.name or '?'} {clipped(call.raw, LONGEST)}{bad}"))
    if trajectory.error:
        print(visible(f"crashed: {trajectory.error}"))
    print()
    for one in stored.judgements:
        said = {"measured": "value", "unmeasured": "why", "crashed": "error"}[one.outcome.kind]
        note = f" ({one.note})" if one.note else ""
        print(visible(f"{one.vocabulary}: {getattr(one.outcome, said)} by {one.maker} {one.version}{note}"))


LONGEST = 20_000
"""Most characters of a text that are printed."""


def rate_text(rate: Rate) -> str:
    """``0.42 [0.30, 0.55]``; ``withheld``, or a dash for what does not exist."""
    if rate.estimate is None:
        return "withheld" if rate.method == "withheld" else "–"
    return f"{rate.estimate:.2f}{interval_text(rate.low, rate.high)}"


def effect_text(effect: Effect) -> str:
    """``+0.12 [+0.03, +0.21]``."""
    if effect.estimate is None:
        return "–"
    ends = "" if effect.low is None or effect.high is None else f" [{effect.low:+.2f}, {effect.high:+.2f}]"
    return f"{effect.estimate:+.2f}{ends}"


def interval_text(low: float | None, high: float | None) -> str:
    """`` [0.30, 0.55]``; empty where there is none."""
    return "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"


def bounds_text(bounds: Bounds) -> str:
    """``0.40–0.45``; a dash for an end that does not exist."""
    return f"{_number(bounds.low)}–{_number(bounds.high)}" if bounds.low is not None or bounds.high is not None else "–"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
