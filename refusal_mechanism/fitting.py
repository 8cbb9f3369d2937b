"""How many tokens of a batch fit, found on the machine at hand."""

from collections.abc import Mapping
from typing import Any

import torch

from dilemma_kernel.models.transformers import LoadedModel
from refusal_mechanism.batching import Unit
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.interventions import UNMODIFIED
from refusal_mechanism.layout import Layout
from refusal_mechanism.passes import Read, Workbench
from refusal_mechanism.reading import read_prompts

ON_CPU = 2**30
"""Bytes of keys and values that a batch on a CPU may have: more rows are no faster there."""
MOST, LEAST = 2**16, 2**11
"""Tokens of a batch on a CPU."""
SHARE = 0.7
"""Of a card's free memory that is filled; what is left is for what grows faster than tokens do."""
_PROBE = (2, 256)
"""Rows and tokens of a row of the batch whose memory is measured."""


@torch.no_grad()  # type: ignore[untyped-decorator]
def fitting_tokens(loaded: LoadedModel, layout: Layout) -> int:
    """Tokens of prompts and replies that a batch may hold.

    On cards, what a small batch takes at its peak, beside what is free, on the card where least fits. On a CPU, what
    keys and values of so many tokens take.

    Args:
        loaded: the model, on its devices.
        layout: its layout.
    """
    cards = {weight.device for weight in loaded.model.parameters() if weight.device.type == "cuda"}
    if not cards:
        return max(LEAST, min(MOST, ON_CPU // _bytes_a_token(_probe(loaded, layout, 1, 8))))
    before = {card: torch.cuda.memory_allocated(card) for card in cards}
    for card in cards:
        torch.cuda.reset_peak_memory_stats(card)
    _probe(loaded, layout, *_PROBE)
    taken = {card: torch.cuda.max_memory_allocated(card) - before[card] for card in cards}
    torch.cuda.empty_cache()
    return tokens_on_cards({card: torch.cuda.mem_get_info(card)[0] for card in cards}, taken, _PROBE[0] * _PROBE[1])


def tokens_on_cards(free: Mapping[Any, int], taken: Mapping[Any, int], tokens: int) -> int:
    """Tokens that fit on every card.

    Args:
        free: bytes free on each.
        taken: bytes that a batch took on each at its peak.
        tokens: of that batch.
    """
    return max(1, min(int(SHARE * free[card] * tokens / max(taken[card], 1)) for card in free))


def _probe(loaded: LoadedModel, layout: Layout, rows: int, length: int) -> Read:
    """A batch of ``rows`` prompts, as long as asked or as the model takes."""
    prompts = [[0] * min(length, loaded.context - 1)] * rows
    bench = Workbench(loaded=loaded, layout=layout, prompts=prompts, conditions=[UNMODIFIED])
    return read_prompts(bench, Hooks(layout), [Unit(row, (0,), row) for row in range(rows)], 1)[0]


def _bytes_a_token(read: Read) -> int:
    """Of keys and values."""
    held = sum(layer.keys.nbytes + layer.values.nbytes for layer in read.cache.layers)
    return int(held // read.mask.numel())
