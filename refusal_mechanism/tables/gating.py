"""Gated against ungated: an operator that acts only where a probe expects an unsafe call, on domains it never saw."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Effect, Rate
from refusal_mechanism.cases import Rows
from refusal_mechanism.figures import ConditionFigures, change, condition_figures, is_withheld, share
from refusal_mechanism.tables.comparison import among_calls_change, called


class GateFigures(Record):
    """One operator, gated and not."""

    operator: str
    opened_harmful: Rate
    """Share of harmful prompts with tools on which the gate opens."""
    opened_benign: Rate
    unmodified: tuple[ConditionFigures, ConditionFigures]
    """On harmful and on benign prompts with tools."""
    gated: tuple[ConditionFigures, ConditionFigures]
    ungated: tuple[ConditionFigures, ConditionFigures]
    among_calls: Effect
    """Unsafe share among calls: gated − ungated."""
    benign_calls: Effect
    """Calls on benign prompts: gated − ungated."""
    same_cost: str = ""
    """The ungated operator that keeps at least as many benign calls and has the lowest unsafe share among calls."""
    same_cost_figures: tuple[ConditionFigures, ConditionFigures] | None = None
    same_cost_among_calls: Effect | None = None
    """Unsafe share among calls: gated − that ungated operator."""


class GateTable(Record):
    """Every operator that was gated."""

    site: int
    most_lost: float
    """Bound on the share of benign calls acted on, where the threshold was set."""
    domains: tuple[str, ...]
    """Domains that a probe from the other domains decided."""
    auc: dict[str, float | None]
    """Domain -> area of the probe's scores for unsafe calls there."""
    operators: tuple[GateFigures, ...]
    why: str = ""
    """Why there is none; empty where there is one."""


def gated_rows(open_: NDArray[np.bool_], before: Rows, after: Rows) -> Rows:
    """Replies under a gate: where it is open those of the operator, elsewhere those of the unmodified model.

    Rows of a batch do not touch one another, so nothing has to be generated anew.
    """
    judged = tuple(a if is_open else b for is_open, a, b in zip(open_, after.judged, before.judged, strict=True))
    return Rows(cases=before.cases, judged=judged)


def gate_figures(
    operator: str,
    open_: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    before: tuple[Rows, Rows],
    after: tuple[Rows, Rows],
    others: Sequence[tuple[str, tuple[Rows, Rows]]] = (),
) -> GateFigures:
    """The figures of one operator. Every pair is of harmful and of benign prompts with tools.

    Args:
        operator: its name.
        open_: where the gate is open.
        before: replies of the unmodified model.
        after: replies with the operator on every row.
        others: ungated operators with their replies, among which the one of the same cost is looked for.
    """
    gated = (gated_rows(open_[0], before[0], after[0]), gated_rows(open_[1], before[1], after[1]))
    match = _same_cost(gated, others)
    return GateFigures(
        operator=operator,
        opened_harmful=_opened(open_[0], before[0]),
        opened_benign=_opened(open_[1], before[1]),
        unmodified=_figures("unmodified", before),
        gated=_figures(f"{operator}, gated", gated),
        ungated=_figures(operator, after),
        among_calls=among_calls_change(
            "unsafe among calls: gated − ungated", after[0], gated[0], hide=_hidden(after[0], gated[0])
        ),
        benign_calls=change(
            "benign calls: gated − ungated", called(after[1]), called(gated[1]), before[1].intents,
            hide=_hidden(after[1], gated[1]),
        ),
        same_cost=match[0] if match else "",
        same_cost_figures=_figures(match[0], match[1]) if match else None,
        same_cost_among_calls=among_calls_change(
            f"unsafe among calls: gated − {match[0]}", match[1][0], gated[0], hide=_hidden(gated[0])
        )
        if match
        else None,
    )  # fmt: skip


def _figures(name: str, rows: tuple[Rows, Rows]) -> tuple[ConditionFigures, ConditionFigures]:
    return condition_figures(rows[0], name, "tool", "harmful"), condition_figures(rows[1], name, "tool", "benign")


def _opened(open_: NDArray[np.bool_], rows: Rows) -> Rate:
    return share(open_, np.ones(len(rows), dtype=np.bool_), rows.intents)


def _hidden(*rows: Rows) -> bool:
    return any(is_withheld(one) for one in rows)


def _same_cost(
    gated: tuple[Rows, Rows], others: Sequence[tuple[str, tuple[Rows, Rows]]]
) -> tuple[str, tuple[Rows, Rows]] | None:
    """The ungated operator that keeps at least as many benign calls and has the lowest unsafe share among calls."""
    kept = np.nanmean(called(gated[1])) if len(gated[1]) and not np.isnan(called(gated[1])).all() else np.nan
    fit = [
        (_among(rows[0]), name, rows)
        for name, rows in others
        if not _hidden(*rows)
        and (called(rows[1]) == 1).sum() >= np.nan_to_num(kept) * (~np.isnan(called(rows[1]))).sum()
    ]
    fit = [one for one in fit if not np.isnan(one[0])]
    if not fit:
        return None
    _, name, rows = min(fit, key=lambda one: one[0])
    return name, rows


def _among(rows: Rows) -> float:
    made = called(rows) == 1
    return float((rows.unsafe[made] == 1).mean()) if made.any() else float("nan")
