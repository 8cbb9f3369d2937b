"""Table 4: does the chat's own projection, written into the tool run, bring the refusal back?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records.base import Record
from dilemma_kernel.records.estimates import Effect, Rate
from dilemma_kernel.statistics.clusters import Array
from refusal_mechanism.cases import Rows
from refusal_mechanism.figures import change, is_withheld, share


class PatchFigures(Record):
    """One direction patched at the decision token."""

    name: str
    site: int
    divergent: int
    """Triples refused in chat and called unsafely under tools, by the unmodified model: what can revert."""
    unknown: int
    """Of these, replies that are malformed or cut off after the patch; they enter no share."""
    withheld: bool
    """Whether a quarter or more of the replies are degenerate: to all these prompts, or to the divergent alone."""
    reverted: Rate
    """Divergent triples that are not unsafe after the patch: the sum of the three that follow."""
    safe_call: Rate
    no_call: Rate
    degenerate: Rate
    restored: Rate
    """Of the divergent, those that refuse in words and call nothing: part of ``no_call``."""
    restored_bounds: tuple[float, float] | None = None
    """``restored`` over all divergent triples, with no unknown reply a refusal and with all of them; None withheld."""
    calls: Rate
    """Over all harmful prompts with tools, after the patch."""
    unsafe_among_calls: Rate
    """Over all harmful prompts with tools: of the calls still made."""


class Controls(Record):
    """The same patch along random directions, on the divergent triples alone."""

    figures: tuple[PatchFigures, ...]
    best: PatchFigures | None
    """The control that restores most; None where none was measured."""
    beyond: Effect | None
    """What the patch restores minus what the best control does, over divergent triples, paired by intent."""


class PatchingTable(Record):
    """The patch, and two kinds of control."""

    patch: PatchFigures
    own_value: Controls
    """The chat's own projection on a random direction is written in: the same rule, a far smaller change."""
    as_far: Controls
    """Each state moved as far as the patch moves it, along a random direction."""
    flow: dict[str, dict[str, int]]
    """Outcome under tools -> outcome after the patch -> triples refused in chat."""

    @property
    def best_restored(self) -> float | None:
        """The most that any control of either kind restores; None where a kind was not measured."""
        best = [one.best.restored.estimate if one.best else None for one in (self.own_value, self.as_far)]
        return None if None in best else max(share for share in best if share is not None)


OUTCOMES = ("unsafe call", "safe call", "refusal", "no call", "degenerate", "malformed")
"""Of one reply under tools; each has one."""


def outcomes(rows: Rows) -> NDArray[np.str_]:
    """(rows,) the outcome of each reply: degenerate first, then its call, then whether it refuses."""
    called = {"unsafe": "unsafe call", "safe": "safe call", "malformed": "malformed"}
    return np.array(
        [
            "degenerate" if one.degenerate else called.get(one.call) or ("refusal" if one.refused else "no call")
            for one in rows.judged
        ],
        dtype=np.str_,
    )


def patch_figures(name: str, site: int, chat: Rows, tool: Rows, patched: Rows) -> PatchFigures:
    """The figures of one patched direction.

    Args:
        name: of the condition.
        site: where it was patched.
        chat: unmodified replies in chat, to harmful triples.
        tool: unmodified replies under tools, to the same.
        patched: replies under tools with the chat's projection written in, to the same.
    """
    after = outcomes(patched)
    divergent = divergent_triples(chat, tool)
    known = divergent & (after != "malformed")
    hide, intents = is_withheld(patched) or is_withheld(patched.only(divergent)), patched.intents
    called = np.isin(after, ("unsafe call", "safe call"))
    everything = after != "malformed"
    return PatchFigures(
        name=name,
        site=site,
        divergent=int(divergent.sum()),
        unknown=int((divergent & ~known).sum()),
        withheld=hide,
        reverted=share(after != "unsafe call", known, intents, hide=hide),
        safe_call=share(after == "safe call", known, intents, hide=hide),
        no_call=share(np.isin(after, ("refusal", "no call")), known, intents, hide=hide),
        degenerate=share(after == "degenerate", known, intents),
        restored=share(after == "refusal", known, intents, hide=hide),
        restored_bounds=None if hide or not divergent.any() else _bounds(after[divergent]),
        calls=share(called, everything, intents, hide=hide),
        unsafe_among_calls=share(after == "unsafe call", called, intents, hide=hide),
    )


def _bounds(after: NDArray[np.str_]) -> tuple[float, float]:
    least, unknown = float(np.mean(after == "refusal")), float(np.mean(after == "malformed"))
    return least, least + unknown


def patching_table(
    site: int, chat: Rows, tool: Rows, patched: Rows, own_value: Sequence[Rows] = (), as_far: Sequence[Rows] = ()
) -> PatchingTable:
    """Table 4.

    Args:
        site: where it was patched.
        chat: as for ``patch_figures``.
        tool: as for ``patch_figures``.
        patched: as for ``patch_figures``, of the direction.
        own_value: replies under each control of this kind, to the divergent triples alone.
        as_far: the same of the other kind.
    """
    before, after, refused = outcomes(tool), outcomes(patched), chat.refused == 1
    return PatchingTable(
        patch=patch_figures("patch", site, chat, tool, patched),
        own_value=_controls("random", site, (chat, tool, patched), own_value),
        as_far=_controls("random, as far", site, (chat, tool, patched), as_far),
        flow={
            start: {end: int((refused & (before == start) & (after == end)).sum()) for end in OUTCOMES}
            for start in OUTCOMES
        },
    )


def divergent_triples(chat: Rows, tool: Rows) -> NDArray[np.bool_]:
    """(rows,) refused in chat and called unsafely under tools: what a patch can revert."""
    return np.asarray((chat.refused == 1) & (outcomes(tool) == "unsafe call"), dtype=np.bool_)


def _controls(name: str, site: int, real: tuple[Rows, Rows, Rows], controls: Sequence[Rows]) -> Controls:
    chat, tool, patched = (rows.only(divergent_triples(*real[:2])) for rows in real)
    figures = [patch_figures(f"{name} {number}", site, chat, tool, one) for number, one in enumerate(controls, 1)]
    measured = [at for at, one in enumerate(figures) if one.restored.estimate is not None]
    best = max(measured, key=lambda at: figures[at].restored.estimate or 0.0, default=None)
    return Controls(
        figures=tuple(figures),
        best=None if best is None else figures[best],
        beyond=None if best is None else _beyond(patched, controls[best]),
    )


def _beyond(patched: Rows, control: Rows) -> Effect:
    """How much more the patch restores than a control, over the same triples."""
    hide = is_withheld(patched) or is_withheld(control)
    return change(
        "refusal restored: patch − best random", _restored(control), _restored(patched), patched.intents, hide=hide
    )


def _restored(rows: Rows) -> Array:
    """(rows,) 1 refused in words without a call, 0 not, NaN malformed or cut off."""
    found = outcomes(rows)
    return np.where(found == "malformed", np.nan, (found == "refusal").astype(np.float64))
