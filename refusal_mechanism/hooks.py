"""The only place where hooks are attached to a model: one before each block, one before the final norm.

They are registered once and read the sheet of the pass at hand, so that rows may differ in what is done to them and a
new batch needs no new hook. They come off however the work ends.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from refusal_mechanism.layout import Layout
from refusal_mechanism.operators import moved, projection
from refusal_mechanism.sheets import DECISION, EARLIER, REPLY, Sheet, Slot

Stage = Literal["prompt", "prefix", "decision", "reply"]
"""What the columns of a pass are: whole prompts; prompts without their last token; that token; a generated one."""
Reader = Callable[[int, Tensor], None]
"""Is shown each site and the state there, after what was done to it."""


class Hooks:
    """What is done to the residual stream, and who looks at it.

    Args:
        layout: the model's.
        reader: shown every site's state, ``[row pos d_model]``, as the next block reads it, in passes that hold the
            decision token.
    """

    def __init__(self, layout: Layout, reader: Reader | None = None) -> None:
        self._layout = layout
        self._reader = reader
        self._sheet: Sheet | None = None
        self._stage: Stage = "prompt"
        self._real: Bool[Tensor, "row pos"] | None = None
        self._there: dict[tuple[int, torch.device], Slot] = {}
        self.fired = [0] * len(layout.sites)
        """How often each site was passed."""

    @contextmanager
    def attached(self) -> Iterator["Hooks"]:
        """In force within the ``with``."""
        with ExitStack() as stack:
            for site, module in enumerate(self._layout.sites):
                handle = module.register_forward_pre_hook(self._before(site), with_kwargs=True)
                stack.callback(handle.remove)
            yield self

    def use(self, sheet: Sheet | None, stage: Stage, real: Bool[Tensor, "row pos"] | None = None) -> None:
        """What the next pass is.

        Args:
            sheet: what is done to its rows; None for nothing.
            stage: what its columns are.
            real: where they are no padding; needed for ``prompt`` and ``prefix``.
        """
        if sheet is not self._sheet:
            self._there = {}
        self._sheet, self._stage, self._real = sheet, stage, real

    def _before(self, site: int) -> Callable[..., Any]:
        def hook(module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
            self.fired[site] += 1
            before = args[0] if args else named["hidden_states"]
            state = self._changed(site, before)
            if self._reader is not None and self._stage in ("prompt", "decision"):
                self._reader(site, state)
            if state is before:
                return None
            return ((state, *args[1:]), named) if args else (args, named | {"hidden_states": state})

        return hook

    def _changed(self, site: int, state: Float[Tensor, "row pos d_model"]) -> Float[Tensor, "row pos d_model"]:
        if self._sheet is None:
            return state
        for index in self._sheet.sites[site]:
            slot = self._slot(index, state.device)
            if self._stage == "prompt" and not slot.kinds[EARLIER]:
                last = _applied(slot, state[:, -1:], slot.acts[:, DECISION, None])
                state = torch.cat([state[:, :-1], last], dim=1) if slot.kinds[DECISION] else state
            elif (acts := self._acts(slot)) is not None:
                state = _applied(slot, state, acts)
        return state

    def _slot(self, index: int, device: torch.device) -> Slot:
        assert self._sheet is not None
        if (index, device) not in self._there:
            self._there[index, device] = self._sheet.slots[index].on(device)
        return self._there[index, device]

    def _acts(self, slot: Slot) -> Bool[Tensor, "row pos"] | None:
        """Where a slot acts in this pass; None for nowhere."""
        if self._stage == "reply":
            return slot.acts[:, REPLY, None] if slot.kinds[REPLY] else None
        if self._stage == "decision":
            return slot.acts[:, DECISION, None] if slot.kinds[DECISION] else None
        if not slot.kinds[EARLIER]:
            return None
        assert self._real is not None
        earlier = slot.acts[:, EARLIER, None] & self._real.to(slot.acts.device)
        if self._stage == "prompt":
            earlier[:, -1] = slot.acts[:, DECISION]
        return earlier


def _applied(
    slot: Slot, state: Float[Tensor, "row pos d_model"], acts: Bool[Tensor, "row pos"]
) -> Float[Tensor, "row pos d_model"]:
    direction, amount = slot.direction[:, None], slot.constant[:, None]
    if slot.projects:
        amount = amount + slot.slope[:, None] * projection(state, direction)
    return moved(state, direction, torch.where(acts, amount, amount.new_zeros(())))
