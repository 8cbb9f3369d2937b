"""Prompts are read, and nothing twice: what a family of prompts begins with, and what conditions share of a prompt."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from dilemma_kernel.models.transformers import Batch
from refusal_mechanism.batching import Unit
from refusal_mechanism.caches import Part, packed, roomy_cache, spread
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.passes import Read, Workbench, next_logits
from refusal_mechanism.stems import find_stems


def read_prompts(bench: Workbench, hooks: Hooks, units: Sequence[Unit], room: int) -> list[Read]:
    """Read the prompts of ``units``, each under its conditions.

    What prompts of a family begin with is read once for those to which the same is done there, and a prompt under
    several conditions once up to its last token, before which they do the same.

    Args:
        bench: the model, prompts and conditions.
        hooks: attached.
        units: the rows.
        room: tokens that may follow.

    Returns:
        rows in one batch, or in two: those that share a beginning with others, and those that do not.
    """
    units = [each for unit in units for each in _apart(bench, unit)]
    keys = [_key(bench, unit) for unit in units]
    often = Counter(keys)
    shared = [unit for unit, key in zip(units, keys, strict=True) if often[key] > 1]
    alone = [unit for unit, key in zip(units, keys, strict=True) if often[key] == 1]
    reads = [_read(bench, hooks, shared, _stems(bench, hooks, shared, room), room)] if shared else []
    return [*reads, _read(bench, hooks, alone, _nothing(bench, alone, room), room)] if alone else reads


@dataclass(frozen=True, eq=False)
class _Begun:
    """Units of which the first tokens were read."""

    cache: Any
    mask: Int[Tensor, "unit pos"]
    rest: Batch
    """The tokens still to be read."""

    def whole_mask(self, columns: slice = slice(None)) -> Int[Tensor, "unit all"]:
        """Of what was read and of the rest, or of some columns of the rest."""
        return torch.cat([self.mask, self.rest.attention_mask[:, columns]], dim=1)


def _apart(bench: Workbench, unit: Unit) -> list[Unit]:
    """The unit; of a prompt of one token, which has nothing to share, one for each condition."""
    if len(bench.prompts[unit.prompt]) > 1:
        return [unit]
    return [replace(unit, conditions=(condition,)) for condition in unit.conditions]


def _key(bench: Workbench, unit: Unit) -> Hashable:
    """Units with the same key may share what their prompts begin with: the same is done to it."""
    everywhere = bench.conditions[unit.conditions[0]].everywhere
    own = any(edit.rows is not None or edit.values is not None for edit in everywhere)
    alone = own or len(bench.prompts[unit.prompt]) == 1
    return unit.family, everywhere, (unit.prompt, unit.conditions) if alone else None


def _nothing(bench: Workbench, units: Sequence[Unit], room: int) -> _Begun:
    """Nothing was read yet."""
    rest = bench.loaded.pad([bench.prompts[unit.prompt] for unit in units])
    return _Begun(roomy_cache(bench.layout.layers, room), rest.attention_mask[:, :0], rest)


def _stems(bench: Workbench, hooks: Hooks, units: Sequence[Unit], room: int) -> _Begun:
    """What units share was read once, and is repeated for them."""
    found = find_stems([bench.prompts[unit.prompt] for unit in units], [_key(bench, unit) for unit in units])
    if not any(found.taken):
        return _nothing(bench, units, room)
    first = [units[row] for row in found.stems]
    tokens = [bench.prompts[unit.prompt][:length] for unit, length in zip(first, found.lengths, strict=True)]
    batch = bench.loaded.pad(tokens)
    begun = _Begun(roomy_cache(bench.layout.layers, 0), batch.attention_mask[:, :0], batch)
    columns = batch.input_ids.shape[1]
    _read_before(bench, hooks, first, begun, slice(None))
    device = bench.loaded.device
    starts = torch.tensor([columns - found.lengths[stem] for stem in found.of], device=device)
    taken = torch.tensor(found.taken, device=device)
    cache, mask = spread(begun.cache, torch.tensor(found.of, device=device), starts, taken)
    whole = bench.loaded.pad([bench.prompts[unit.prompt] for unit in units])
    return _Begun(cache, mask, _columns(whole, slice(-found.read, None)))


def _read(bench: Workbench, hooks: Hooks, units: Sequence[Unit], begun: _Begun, room: int) -> Read:
    """The rest of the prompts; their last token for each condition where any is under several."""
    rows = [(condition, unit.prompt) for unit in units for condition in unit.conditions]
    sheet, rest = bench.sheet(rows), begun.rest
    if len(rows) == len(units):
        hooks.use(sheet, "prompt", rest.attention_mask.bool())
        mask, cache = begun.whole_mask(), begun.cache if room or begun.mask.shape[1] else None
    else:
        repeated = _repeated(units, rest.input_ids.device)
        if rest.input_ids.shape[1] > 1:
            _read_before(bench, hooks, units, begun, slice(None, -1))
        mask, rest = begun.whole_mask()[repeated], _columns(rest, slice(-1, None), repeated)
        cache = packed([Part(begun.cache, repeated, 0)], room + 1)
        hooks.use(sheet, "decision")
    logits = next_logits(bench, rest.input_ids, mask, rest.position_ids, cache)
    return Read(rows=rows, sheet=sheet, logits=logits, cache=cache, mask=mask, positions=rest.position_ids[:, -1:])


def _read_before(bench: Workbench, hooks: Hooks, units: Sequence[Unit], begun: _Begun, columns: slice) -> None:
    """Take up tokens that are not the last of their prompts; all conditions of a unit do the same there."""
    part = _columns(begun.rest, columns)
    hooks.use(bench.sheet([(unit.conditions[0], unit.prompt) for unit in units]), "prefix", part.attention_mask.bool())
    bench.layout.decoder(
        input_ids=part.input_ids,
        attention_mask=begun.whole_mask(columns),
        position_ids=part.position_ids,
        cache=begun.cache,
        use_cache=True,
    )


def _columns(batch: Batch, columns: slice, rows: Int[Tensor, "row"] | slice = slice(None)) -> Batch:
    """Some columns of a batch, of all rows or of these."""
    return Batch(
        input_ids=batch.input_ids[rows, columns],
        attention_mask=batch.attention_mask[rows, columns],
        position_ids=batch.position_ids[rows, columns],
    )


def _repeated(units: Sequence[Unit], device: torch.device) -> Int[Tensor, "row"]:
    """The unit of each row."""
    counts = torch.tensor([len(unit.conditions) for unit in units], device=device)
    return torch.arange(len(units), device=device).repeat_interleave(counts)
