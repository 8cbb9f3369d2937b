"""Keys and values of what was read, with room for what is to come, and rows that come, go and are repeated.

The caches of transformers copy all they hold at every token. These write one column, and are copied only when rows
change: when a prefix is repeated for its conditions, when finished rows leave, when others join. All columns are kept,
so that a sliding window is a matter of the mask alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor
from transformers.cache_utils import Cache, DynamicLayer


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """One block's keys and values.

    Args:
        room: columns that are made beyond those needed, whenever there are too few.
    """

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room
        self._stored: tuple[Tensor, Tensor] | None = None

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Append columns ``[row head pos width]``; gives all that are held."""
        held = self.get_seq_length()
        end = held + key_states.shape[-2]
        keys, values = self._roomy(key_states, value_states, held, end)
        keys[:, :, held:end] = key_states
        values[:, :, held:end] = value_states
        self.keys, self.values = keys[:, :, :end], values[:, :, :end]
        return self.keys, self.values

    def _roomy(self, key_states: Tensor, value_states: Tensor, held: int, end: int) -> tuple[Tensor, Tensor]:
        """Stores of at least ``end`` columns, the first ``held`` as they were."""
        if self._stored is None or self._stored[0].shape[2] < end:
            columns = end + self.room
            keys, values = (s.new_empty((*s.shape[:2], columns, s.shape[3])) for s in (key_states, value_states))
            if held:
                keys[:, :, :held], values[:, :, :held] = self.keys, self.values
            self._stored = keys, values
            self.dtype, self.device, self.is_initialized = key_states.dtype, key_states.device, True
        return self._stored

    def drop(self) -> None:
        """Let go of all that is held."""
        self._stored = self.keys = self.values = None
        self.is_initialized = False

    def filled(self, keys: Tensor, values: Tensor, held: int) -> "RoomyLayer":
        """This layer, empty so far, with stores of which ``held`` columns are in use."""
        self._stored = keys, values
        self.keys, self.values = keys[:, :, :held], values[:, :, :held]
        self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
        return self


def roomy_cache(layers: int, room: int) -> Any:
    """An empty cache.

    Args:
        layers: blocks of the model.
        room: columns beyond those of the first pass.
    """
    return Cache(layers=[RoomyLayer(room) for _ in range(layers)])


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of a cache that go into a new one."""

    cache: Any
    rows: Int[Tensor, "kept"]
    """Which rows, in order; the same one may be there several times."""
    first: int
    """The first column that is not padding in all of them."""

    @property
    def columns(self) -> int:
        """Columns that go along."""
        return int(self.cache.get_seq_length()) - self.first


def packed(parts: Sequence[Part], room: int) -> Any:
    """A new cache of the rows of all parts, ends aligned, zeros before the shorter ones.

    The old ones are emptied block by block, so that memory holds little more than one of them at a time.

    Args:
        parts: of caches of one model.
        room: columns left free for what is to come.
    """
    made = []
    columns = [part.columns for part in parts]
    for layer in range(len(parts[0].cache)):
        keys, values = (_aligned(parts, columns, layer, name, room) for name in ("keys", "values"))
        made.append(RoomyLayer(room).filled(keys, values, max(columns)))
        for part in parts:
            part.cache.layers[layer].drop()
    return Cache(layers=made)


def spread(
    cache: Any, rows: Int[Tensor, "row"], starts: Int[Tensor, "row"], taken: Int[Tensor, "row"]
) -> tuple[Any, Int[Tensor, "row pos"]]:
    """Runs of columns of a cache as rows of a new one, their ends aligned; and the new one's mask. The old is emptied.

    Args:
        cache: where they are.
        rows: the row of each run.
        starts: its first column.
        taken: its columns, 0 for none.
    """
    columns = torch.arange(int(taken.max()), device=rows.device)
    before = int(taken.max()) - taken[:, None]
    places = (starts[:, None] + columns - before).clamp(min=0)
    layers = []
    for layer in cache.layers:
        there, at = rows.to(layer.keys.device)[:, None], places.to(layer.keys.device)
        keys, values = (held[there, :, at].transpose(1, 2).contiguous() for held in (layer.keys, layer.values))
        layers.append(RoomyLayer(0).filled(keys, values, len(columns)))
        layer.drop()
    return Cache(layers=layers), (columns >= before).to(torch.int64)


def _aligned(parts: Sequence[Part], columns: Sequence[int], layer: int, name: str, room: int) -> Tensor:
    sources = [getattr(part.cache.layers[layer], name) for part in parts]
    rows, held = sum(len(part.rows) for part in parts), max(columns)
    made: Tensor = sources[0].new_empty((rows, sources[0].shape[1], held + room, sources[0].shape[3]))
    top = 0
    for part, source, own in zip(parts, sources, columns, strict=True):
        mine = made[top : top + len(part.rows)]
        mine[:, :, : held - own] = 0
        mine[:, :, held - own : held] = source[:, :, part.first :].index_select(0, part.rows.to(source.device))
        top += len(part.rows)
    return made


def first_column(mask: Int[Tensor, "row pos"]) -> int:
    """The first column that is not padding in every row."""
    return int(mask.any(dim=0).int().argmax())


def aligned_masks(masks: Sequence[Int[Tensor, "row pos"]]) -> Int[Tensor, "all held"]:
    """Masks of parts one under the other, ends aligned; their columns are those that go along."""
    held = max(mask.shape[1] for mask in masks)
    return torch.cat([torch.nn.functional.pad(mask, (held - mask.shape[1], 0)) for mask in masks])
