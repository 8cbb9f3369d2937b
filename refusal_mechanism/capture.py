"""The residual of the decision token at every site, and nothing else of what a model computes on the way."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from refusal_mechanism.batching import Unit
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.passes import Workbench


def decision_residuals(bench: Workbench, units: Sequence[Unit]) -> Float[Tensor, "row site d_model"]:
    """Residuals of the last token of each prompt at sites 0 to L, after what its condition does there.

    One pass through the blocks; no logits are computed and no cache is kept.

    Args:
        bench: the model and its prompts.
        units: one condition each; they are the rows.

    Returns:
        float32, on the CPU.
    """
    seen: list[Tensor] = []
    batch = bench.loaded.pad([bench.prompts[unit.prompt] for unit in units])
    rows = [(unit.conditions[0], unit.prompt) for unit in units]
    with Hooks(bench.layout, lambda site, state: seen.append(state[:, -1].float().cpu())).attached() as hooks:
        hooks.use(bench.sheet(rows), "prompt", batch.attention_mask.bool())
        bench.layout.decoder(
            input_ids=batch.input_ids,
            attention_mask=batch.attention_mask,
            position_ids=batch.position_ids,
            use_cache=False,
        )
    return torch.stack(seen, dim=1)
