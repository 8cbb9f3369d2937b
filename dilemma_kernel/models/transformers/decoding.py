"""Token by token: one forward pass a step for the whole batch, each row drawn by its own settings and seed."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from dilemma_kernel.models.transformers.batches import Batch, Row
from dilemma_kernel.records import Sampling


def draw_tokens(
    model: Any,
    batch: Batch,
    rows: Sequence[Row],
    ends: Collection[int],
    decode: Callable[[list[int]], str],
) -> list[list[int]]:
    """The tokens of each row's reply, with the token that ended it where one did.

    Args:
        model: a causal language model of transformers.
        batch: the prompts.
        rows: their settings, in the same order.
        ends: tokens that end a reply.
        decode: tokens to text, asked only for rows that have stop texts.
    """
    drawn: list[list[int]] = [[] for _ in rows]
    dice = [torch.Generator().manual_seed(row.seed) for row in rows]
    open_rows = set(range(len(rows)))
    ids, mask, positions, cache = batch.input_ids, batch.attention_mask, batch.position_ids, None
    while open_rows:
        out = model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            cache=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        cache = out.cache
        chosen = _choose(out.logits[:, -1], rows, dice)
        for index in tuple(open_rows):
            drawn[index].append(int(chosen[index]))
            if _is_over(drawn[index], rows[index].sampling, ends, decode):
                open_rows.discard(index)
        ids = chosen[:, None].to(batch.input_ids.device)
        mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=1)
        positions = positions[:, -1:] + 1
    return drawn


def _is_over(tokens: list[int], sampling: Sampling, ends: Collection[int], decode: Callable[[list[int]], str]) -> bool:
    if tokens[-1] in ends or len(tokens) >= sampling.max_tokens:
        return True
    return bool(sampling.stop) and any(stop in decode(tokens) for stop in sampling.stop)


def _choose(
    logits: Float[Tensor, "batch vocab"], rows: Sequence[Row], dice: Sequence[torch.Generator]
) -> Int[Tensor, "batch"]:  # noqa: F821
    """The next token of every row, drawn in float32 on the CPU."""
    greedy = logits.argmax(dim=-1).cpu()
    for index, row in enumerate(rows):
        if row.sampling.temperature > 0:
            greedy[index] = _sampled(logits[index].float().cpu(), row.sampling, dice[index])
    return greedy


def _sampled(logits: Float[Tensor, "vocab"], sampling: Sampling, dice: torch.Generator) -> int:  # noqa: F821
    shares = torch.softmax(logits / sampling.temperature, dim=-1)
    if sampling.top_p is not None and sampling.top_p < 1:
        ordered, order = shares.sort(descending=True)
        beyond = ordered.cumsum(dim=-1) - ordered >= sampling.top_p
        shares = shares.index_fill(0, order[beyond], 0.0)
    return int(torch.multinomial(shares, 1, generator=dice))
