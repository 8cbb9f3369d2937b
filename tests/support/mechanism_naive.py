"""The same interventions, naively: one prompt at a time, nothing cached, plain hooks on what blocks give out.

It shares no code with the laboratory: sites are outputs of the embedding and of blocks, tokens are counted from the
front, every new token reads everything again.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch

Change = Callable[[int, Any, int], Any]
"""Site, state ``[1 pos d_model]`` and length of the prompt, to the new state."""


class Naive:
    """A model of transformers, examined the slow way."""

    def __init__(self, loaded: Any) -> None:
        self.loaded = loaded
        decoder = loaded.model.model
        self.decoder = getattr(decoder, "language_model", decoder)

    def run(self, tokens: list[int], change: Change, length: int) -> tuple[list[Any], Any]:
        """States at every site after the change, and the logits of the last token."""
        states: list[Any] = []

        def hook(module: Any, args: Any, out: Any) -> Any:
            states.append(change(len(states), out, length))
            return states[-1]

        with ExitStack() as stack, torch.no_grad():
            for module in (self.decoder.embed_tokens, *self.decoder.layers):
                stack.callback(module.register_forward_hook(hook).remove)
            logits = self.loaded.model(input_ids=torch.tensor([tokens]), use_cache=False).logits
        return states, logits[0, -1]

    def residuals(self, prompt: str, change: Change = lambda site, state, length: state) -> Any:
        """``[site d_model]`` at the prompt's last token."""
        tokens = self.loaded.tokenize(prompt)
        return torch.stack([state[0, -1] for state in self.run(tokens, change, len(tokens))[0]])

    def logits(self, prompt: str, change: Change = lambda site, state, length: state) -> Any:
        """``[vocab]`` of the first token of the reply."""
        tokens = self.loaded.tokenize(prompt)
        return self.run(tokens, change, len(tokens))[1]

    def reply(self, prompt: str, change: Change, new: int) -> tuple[tuple[int, ...], float]:
        """Tokens of the greedy reply, and by how much the closest of them was ahead of the next best."""
        tokens = self.loaded.tokenize(prompt)
        length, margin = len(tokens), float("inf")
        while len(tokens) < length + new:
            best = self.run(tokens, change, length)[1].topk(2)
            margin = min(margin, float(best.values[0] - best.values[1]))
            tokens = [*tokens, int(best.indices[0])]
            if tokens[-1] in self.loaded.ends:
                break
        return tuple(tokens[length:]), margin
