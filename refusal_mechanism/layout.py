"""Where the residual stream of a model can be read and changed: one resolver for every architecture.

A decoder of transformers is a list of blocks and a final norm. Hooks go before blocks and before the final norm, never
on attention or MLP outputs, so parallel blocks (Cohere2) and norms after the MLP (Gemma 3) need no case of their own;
nor do Gemma's embeddings, which are scaled before the first block sees them.
"""

from dataclasses import dataclass
from typing import Any

from dilemma_kernel.errors import UnknownModelError

_DECODERS = ("model.language_model", "model")
"""Where a decoder may lie: inside a multimodal wrapper, or directly in the model of causal language."""


@dataclass(frozen=True)
class Layout:
    """The parts of a model that the lab touches."""

    decoder: Any
    """Module from tokens to the state after the final norm."""
    sites: tuple[Any, ...]
    """Modules whose input is a site: the blocks, then the final norm; ``layers + 1`` of them.

    Site l < L is the residual before block l, site L the residual after the last block, before the final norm.
    """
    width: int
    """Components of the residual stream."""

    @property
    def layers(self) -> int:
        """Blocks."""
        return len(self.sites) - 1


def resolve_layout(model: Any) -> Layout:
    """The layout of a causal language model of transformers.

    Raises:
        UnknownModelError: its decoder is not where a decoder is known to be.
    """
    for path in _DECODERS:
        decoder = _at(model, path)
        blocks, norm = getattr(decoder, "layers", None), getattr(decoder, "norm", None)
        embedding = getattr(decoder, "embed_tokens", None)
        if blocks is not None and len(blocks) and norm is not None and embedding is not None:
            return Layout(decoder, (*blocks, norm), int(embedding.weight.shape[1]))
    raise UnknownModelError(
        f"the residual stream of {type(model).__name__} cannot be found: give a decoder with layers, norm and "
        f"embed_tokens at {' or '.join(_DECODERS)}, such as Llama, Mistral, Qwen3, Gemma 3 or Cohere2"
    )


def _at(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name, None)
    return model
