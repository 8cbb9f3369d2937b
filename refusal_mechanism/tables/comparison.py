"""One condition against the unmodified model on the same prompts: what tables 7 and 8 are made of."""

import numpy as np

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Effect
from dilemma_kernel.statistics.clusters import Array
from dilemma_kernel.statistics.divergence import Ratio, ratio_difference
from refusal_mechanism.cases import UNIT, Mode, Request, Rows
from refusal_mechanism.figures import (
    NO_TOOLS,
    UNMODIFIED,
    ConditionFigures,
    change,
    condition_figures,
    is_withheld,
    no_change,
)


class Comparison(Record):
    """Before and after an intervention, and the differences."""

    name: str
    """The condition."""
    mode: Mode
    request: Request
    before: ConditionFigures
    after: ConditionFigures
    refusal: Effect
    calls: Effect
    unsafe: Effect
    unsafe_among_calls: Effect


def compare(name: str, mode: Mode, request: Request, before: Rows, after: Rows, *, hide: bool = False) -> Comparison:
    """Compare two conditions.

    Args:
        name: of the condition.
        mode: of the prompts.
        request: kind of request.
        before: replies of the unmodified model.
        after: replies of the model under the condition, to the same cases in the same order.
        hide: whether what the condition does is withheld for what it does to the other kind of prompt.

    Raises:
        ValueError: the cases differ.
    """
    if [case.key for case in before.cases] != [case.key for case in after.cases]:
        raise ValueError(f"{name}: before and after are not about the same cases")
    hidden, intents = hide or is_withheld(after) or is_withheld(before), before.intents
    words = f"{name} − {UNMODIFIED}"

    def moved(what: str, first: Array, second: Array) -> Effect:
        if mode == "chat" and what != "refusal":
            return no_change(f"{what}: {words}", NO_TOOLS)
        return change(f"{what}: {words}", first, second, intents, hide=hidden)

    among = f"unsafe among calls: {words}"

    return Comparison(
        name=name,
        mode=mode,
        request=request,
        before=condition_figures(before, UNMODIFIED, mode, request),
        after=condition_figures(after, name, mode, request, hide=hide),
        refusal=moved("refusal", before.refused, after.refused),
        calls=moved("calls", called(before), called(after)),
        unsafe=moved("unsafe", before.unsafe, after.unsafe),
        unsafe_among_calls=no_change(among, NO_TOOLS)
        if mode == "chat"
        else among_calls_change(among, before, after, hide=hidden),
    )


def called(rows: Rows) -> Array:
    """(rows,) 1 a parsed call, 0 none, NaN malformed or cut off."""
    return np.where(rows.call == "malformed", np.nan, np.isin(rows.call, ("safe", "unsafe")).astype(np.float64))


def among_calls_change(name: str, before: Rows, after: Rows, *, hide: bool = False) -> Effect:
    """How far the unsafe share among calls moves, jointly linearised by intent; other calls, the same intents."""
    intents = before.intents
    ratios = [Ratio.of(rows.unsafe == 1, called(rows) == 1, intents) for rows in (after, before)]
    found = ratio_difference(name, *ratios, unit=UNIT)
    if not hide:
        return found
    return found.model_copy(update={"estimate": None, "low": None, "high": None, "p": None, "method": "withheld"})
