"""Batches through the model: rows that were read, one more token, rows that leave and rows that join."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dilemma_kernel.models.transformers import LoadedModel
from refusal_mechanism.caches import Part, aligned_masks, first_column, packed
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.interventions import Condition
from refusal_mechanism.layout import Layout
from refusal_mechanism.sheets import Sheet, write_sheet


@dataclass(frozen=True, eq=False, kw_only=True)
class Workbench:
    """A model, where its sites are, and what it is to be given."""

    loaded: LoadedModel
    layout: Layout
    prompts: Sequence[list[int]]
    """As tokens."""
    conditions: Sequence[Condition]

    def sheet(self, rows: Sequence[tuple[int, int]]) -> Sheet:
        """What is done to rows, each the indices of its condition and its prompt."""
        return write_sheet(
            [(self.conditions[condition], prompt) for condition, prompt in rows],
            sites=len(self.layout.sites),
            dtype=self.loaded.model.dtype,
            device=self.loaded.device,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Read:
    """Rows of a batch after what was read so far."""

    rows: list[tuple[int, int]]
    """Condition and prompt of each row, as indices."""
    sheet: Sheet
    logits: Float[Tensor, "row vocab"]
    """Of the next token."""
    cache: Any
    mask: Int[Tensor, "row pos"]
    """1 for a token that was read, 0 for padding before it."""
    positions: Int[Tensor, "row 1"]
    """Of the last token read."""


def follow(bench: Workbench, hooks: Hooks, read: Read, tokens: Int[Tensor, "row"]) -> Read:
    """Read one more token a row. The cache is carried on, so ``read`` is of no use after it."""
    mask = torch.cat([read.mask, read.mask.new_ones(len(tokens), 1)], dim=1)
    hooks.use(read.sheet, "reply")
    logits = next_logits(bench, tokens[:, None], mask, read.positions + 1, read.cache)
    return replace(read, mask=mask, positions=read.positions + 1, logits=logits)


def keep(read: Read, rows: Sequence[int], room: int) -> Read:
    """These rows alone.

    Args:
        read: all of them.
        rows: those kept.
        room: tokens that may follow.
    """
    index = torch.tensor(rows, device=read.mask.device)
    mask, first = read.mask[index], first_column(read.mask[index])
    return Read(
        rows=[read.rows[row] for row in rows],
        sheet=read.sheet.taken(index),
        logits=read.logits[index],
        cache=packed([Part(read.cache, index, first)], room),
        mask=mask[:, first:],
        positions=read.positions[index],
    )


def join(bench: Workbench, reads: Sequence[Read], room: int) -> Read:
    """Rows of several batches as one.

    Args:
        bench: of all of them.
        reads: at least one.
        room: tokens that may follow.
    """
    if len(reads) == 1:
        return reads[0]
    firsts = [first_column(read.mask) for read in reads]
    device = reads[0].mask.device
    parts = [
        Part(read.cache, torch.arange(len(read.rows), device=device), first)
        for read, first in zip(reads, firsts, strict=True)
    ]
    rows = [row for read in reads for row in read.rows]
    return Read(
        rows=rows,
        sheet=bench.sheet(rows),
        logits=torch.cat([read.logits for read in reads]),
        cache=packed(parts, room),
        mask=aligned_masks([read.mask[:, first:] for read, first in zip(reads, firsts, strict=True)]),
        positions=torch.cat([read.positions for read in reads]),
    )


def next_logits(
    bench: Workbench, ids: Int[Tensor, "row pos"], mask: Int[Tensor, "row all"], positions: Tensor, cache: Any
) -> Float[Tensor, "row vocab"]:
    """Of the token after the last one; ``cache`` takes up what is read."""
    out = bench.loaded.model(
        input_ids=ids,
        attention_mask=mask,
        position_ids=positions,
        cache=cache,
        use_cache=cache is not None,
        logits_to_keep=1,
    )
    logits: Tensor = out.logits[:, -1]
    return logits
