"""Conditions as rows of a batch: for each site, what is done to each row, in tensors that hooks only read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from refusal_mechanism.interventions import Condition, Edit

EARLIER, DECISION, REPLY = range(3)
"""Kinds of tokens: of the prompt before its last, the last of the prompt, generated."""
_Change = Callable[[Tensor], Tensor]
_ON = {"all": (True, True, True), "decision": (False, True, False), "reply": (False, True, True)}


@dataclass(frozen=True, eq=False)
class Slot:
    """One edit a row, and none in rows on which nothing acts: the amount along the direction is ``c + s p``."""

    direction: Float[Tensor, "row d_model"]
    """Unit vectors, float32 or wider; any vector where nothing acts."""
    constant: Float[Tensor, "row"]
    """c: the coefficient of an addition, the value or reference of an overwriting, 0 of an ablation."""
    slope: Float[Tensor, "row"]
    """s: 0 of an addition, else -1, so that the projection p goes."""
    acts: Bool[Tensor, "row kind"]
    """On which kinds of token it acts in each row."""
    kinds: tuple[bool, ...]
    """On which kinds it acts in any row."""
    projects: bool
    """Whether any slope differs from 0."""

    def taken(self, rows: Int[Tensor, "kept"]) -> "Slot":
        """The same for some of the rows."""
        return self._mapped(lambda tensor: tensor[rows])

    def on(self, device: torch.device) -> "Slot":
        """The same on another device."""
        return self if self.direction.device == device else self._mapped(lambda tensor: tensor.to(device))

    def _mapped(self, change: _Change) -> "Slot":
        tensors = ("direction", "constant", "slope", "acts")
        return replace(self, **{name: change(getattr(self, name)) for name in tensors})


@dataclass(frozen=True, eq=False)
class Sheet:
    """What is done to the rows of one batch."""

    slots: tuple[Slot, ...]
    sites: tuple[tuple[int, ...], ...]
    """For each site, the slots applied there, in order. Sites where the same is done share them."""

    def taken(self, rows: Int[Tensor, "kept"]) -> "Sheet":
        """The same for some of the rows."""
        return replace(self, slots=tuple(slot.taken(rows) for slot in self.slots))


def write_sheet(
    rows: Sequence[tuple[Condition, int]], *, sites: int, dtype: torch.dtype, device: torch.device
) -> Sheet:
    """The sheet of a batch.

    Args:
        rows: the condition of each row, and the index of its prompt among those that the conditions were made for.
        sites: how many the model has.
        dtype: of the model; buffers are at least float32.
        device: where the batch begins.
    """
    conditions = tuple(dict.fromkeys(condition for condition, _ in rows))
    place = {condition: index for index, condition in enumerate(conditions)}
    which = torch.tensor([place[condition] for condition, _ in rows])
    prompts = torch.tensor([prompt for _, prompt in rows])
    found: dict[tuple[Edit | None, ...], int] = {}
    at = [
        tuple(found.setdefault(layer, len(found)) for layer in _layers_of_edits(conditions, site))
        for site in range(sites)
    ]
    wide = torch.promote_types(dtype, torch.float32)
    return Sheet(tuple(_slot(edits, which, prompts, wide).on(device) for edits in found), tuple(at))


def _layers_of_edits(conditions: Sequence[Condition], site: int) -> list[tuple[Edit | None, ...]]:
    """The first edit of each condition at a site, then the second of each, and so on."""
    lists = [[edit for edit in condition.edits if edit.acts_at(site)] for condition in conditions]
    depth = max(map(len, lists), default=0)
    return [tuple(edits[level] if level < len(edits) else None for edits in lists) for level in range(depth)]


def _slot(
    edits: Sequence[Edit | None],
    which: Int[Tensor, "row"],
    prompts: Int[Tensor, "row"],
    wide: torch.dtype,
) -> Slot:
    present = [edit for edit in edits if edit is not None]
    blank = torch.zeros_like(present[0].direction)
    directions = torch.stack([blank if edit is None else edit.direction.to(blank) for edit in edits]).double()
    directions /= directions.norm(dim=1, keepdim=True).clamp_min(0.5)
    constants = torch.tensor([0.0 if edit is None else edit.coefficient for edit in edits], dtype=wide)
    slopes = torch.tensor([0.0 if edit is None or edit.operator == "add" else -1.0 for edit in edits], dtype=wide)
    kinds = torch.tensor([(False,) * 3 if edit is None else _ON[edit.positions] for edit in edits])
    constant, acts = constants[which], kinds[which]
    for index, edit in enumerate(edits):
        if edit is not None and edit.values is not None:
            constant = torch.where(which == index, edit.values.to(constant)[prompts], constant)
        if edit is not None and edit.rows is not None:
            acts = acts & ((which != index) | edit.rows.to(acts)[prompts])[:, None]
    return Slot(
        direction=directions.to(wide)[which],
        constant=constant,
        slope=slopes[which],
        acts=acts,
        kinds=tuple(bool(acting) for acting in acts.any(dim=0)),
        projects=bool((slopes != 0).any()),
    )
