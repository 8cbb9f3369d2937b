"""The residual of the decision token at every site, and nothing else of what a model computes on the way."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from refusal_mechanism.batching import Unit
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.passes import Workbench
from refusal_mechanism.reading import read_prompts


def decision_residuals(
    bench: Workbench, units: Sequence[Unit]
) -> tuple[list[tuple[int, int]], Float[Tensor, "row site d_model"]]:
    """Residuals of the last token of each prompt at sites 0 to L, after what its condition does there.

    Args:
        bench: the model, prompts and conditions.
        units: the rows.

    Returns:
        condition and prompt of each row, and its residuals, float32 on the CPU.
    """
    seen: list[Tensor] = []
    with Hooks(bench.layout, lambda _, state: seen.append(state[:, -1].float().cpu())).attached() as hooks:
        reads = read_prompts(bench, hooks, units, 0)
    rows = [row for read in reads for row in read.rows]
    sites = len(bench.layout.sites)
    passes = [torch.stack(seen[first : first + sites], dim=1) for first in range(0, len(seen), sites)]
    return rows, torch.cat(passes)
