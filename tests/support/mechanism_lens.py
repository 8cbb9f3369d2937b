"""Run by an interpreter that has TransformerLens: residuals and ablated logits of a saved model, prompt by prompt.

``python mechanism_lens.py FOLDER``: the folder holds a model, ``asked.json`` with prompts as tokens, and
``direction.pt``; ``found.pt`` is written into it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import torch


def main(folder: Path) -> None:
    """Residuals ``[row site d_model]`` of the last token, and logits ``[row vocab]`` with the direction ablated."""
    from transformer_lens.model_bridge import TransformerBridge  # noqa: PLC0415

    model = TransformerBridge.boot_transformers(str(folder), device="cpu", dtype=torch.float32)
    direction = torch.load(folder / "direction.pt")
    blocks = model.cfg.n_layers
    names = [*(f"blocks.{block}.hook_resid_pre" for block in range(blocks)), f"blocks.{blocks - 1}.hook_resid_post"]

    def ablated(state: Any, hook: Any) -> Any:
        return state - (state @ direction)[..., None] * direction

    states, logits, plain = [], [], []
    with torch.no_grad():
        for tokens in json.loads((folder / "asked.json").read_text()):
            ids = torch.tensor([tokens])
            out, cache = model.run_with_cache(ids)
            states.append(torch.stack([cache[name][0, -1] for name in names]))
            plain.append(out[0, -1])
            hooked = model.run_with_hooks(ids, fwd_hooks=[(name, ablated) for name in names])
            logits.append(hooked[0, -1])
    found = {"residuals": torch.stack(states), "ablated": torch.stack(logits), "plain": torch.stack(plain)}
    torch.save(found, folder / "found.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
