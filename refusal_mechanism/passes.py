"""One batch through the model: prompts, the prefix that conditions share, and the logits of the next token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dilemma_kernel.models.transformers import LoadedModel
from refusal_mechanism.batching import Unit
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

    def sheet(self, rows: Sequence[tuple[Condition, int]]) -> Sheet:
        """What is done to rows, each a condition and the index of its prompt."""
        model = self.loaded.model
        return write_sheet(rows, sites=len(self.layout.sites), dtype=model.dtype, device=self.loaded.device)


@dataclass(eq=False, kw_only=True)
class Started:
    """Prompts that were read, and what the model says next."""

    rows: list[tuple[int, int]]
    """Condition and prompt of each row, as indices."""
    sheet: Sheet
    logits: Float[Tensor, "row vocab"]
    cache: Any
    mask: Int[Tensor, "row pos"]
    """1 for a token that was read, 0 for padding before it."""
    positions: Int[Tensor, "row 1"]
    """Of the last token read."""


def start(bench: Workbench, hooks: Hooks, units: Sequence[Unit]) -> Started:
    """Read the prompts of ``units``, each under its conditions.

    A prompt under several conditions is read once up to its last token, and its cache repeated for them.
    """
    rows = [(condition, unit.prompt) for unit in units for condition in unit.conditions]
    sheet = bench.sheet([(bench.conditions[condition], prompt) for condition, prompt in rows])
    batch = bench.loaded.pad([bench.prompts[unit.prompt] for unit in units])
    ids, mask, positions = batch.input_ids, batch.attention_mask, batch.position_ids
    if len(rows) == len(units) or ids.shape[1] == 1:
        repeated = _repeats(units, ids.device)
        ids, mask, positions = ids[repeated], mask[repeated], positions[repeated]
        hooks.use(sheet, "prompt", mask.bool())
        out = _forward(bench, ids, mask, positions, None)
    else:
        cache = _prefix(bench, hooks, units, ids[:, :-1], mask[:, :-1], positions[:, :-1])
        repeated = _repeats(units, ids.device)
        cache.batch_select_indices(repeated)
        ids, mask, positions = ids[repeated, -1:], mask[repeated], positions[repeated]
        hooks.use(sheet, "decision")
        out = _forward(bench, ids, mask, positions[:, -1:], cache)
    return Started(
        rows=rows, sheet=sheet, logits=out.logits[:, -1], cache=out.cache, mask=mask, positions=positions[:, -1:]
    )


def follow(bench: Workbench, hooks: Hooks, started: Started, tokens: Int[Tensor, "row"]) -> None:
    """Read one more token a row."""
    started.mask = torch.cat([started.mask, started.mask.new_ones(len(tokens), 1)], dim=1)
    started.positions = started.positions + 1
    hooks.use(started.sheet, "reply")
    out = _forward(bench, tokens[:, None], started.mask, started.positions, started.cache)
    started.logits = out.logits[:, -1]


def keep(started: Started, rows: Sequence[int]) -> None:
    """Drop all rows but these."""
    index = torch.tensor(rows, device=started.mask.device)
    started.rows = [started.rows[row] for row in rows]
    started.sheet = started.sheet.taken(index)
    started.cache.batch_select_indices(index)
    started.mask, started.positions = started.mask[index], started.positions[index]
    started.logits = started.logits[index]


def _prefix(
    bench: Workbench,
    hooks: Hooks,
    units: Sequence[Unit],
    ids: Int[Tensor, "unit pos"],
    mask: Int[Tensor, "unit pos"],
    positions: Int[Tensor, "unit pos"],
) -> Any:
    """The cache of prompts without their last token."""
    first = [(bench.conditions[unit.conditions[0]], unit.prompt) for unit in units]
    hooks.use(bench.sheet(first), "prefix", mask.bool())
    return bench.layout.decoder(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=True).cache


def _repeats(units: Sequence[Unit], device: torch.device) -> Int[Tensor, "row"]:
    counts = torch.tensor([len(unit.conditions) for unit in units], device=device)
    return torch.arange(len(units), device=device).repeat_interleave(counts)


def _forward(
    bench: Workbench, ids: Int[Tensor, "row pos"], mask: Int[Tensor, "row all"], positions: Any, cache: Any
) -> Any:
    return bench.loaded.model(
        input_ids=ids, attention_mask=mask, position_ids=positions, cache=cache, use_cache=True, logits_to_keep=1
    )
