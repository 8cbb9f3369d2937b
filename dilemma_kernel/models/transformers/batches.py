"""What goes into a batched generation and what comes out."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from jaxtyping import Int
from torch import Tensor

from dilemma_kernel.records import Sampling

if TYPE_CHECKING:
    from dilemma_kernel.models.transformers.loaded import LoadedModel


_GREEDY = Sampling(temperature=0.0)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One prompt and how its reply is drawn."""

    prompt: str
    """Rendered text, special tokens written out; nothing is added to it."""
    sampling: Sampling = _GREEDY
    seed: int = 0
    """Of this row's draws; it does not matter at temperature 0."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Prompts as tokens, padded on the left."""

    input_ids: Int[Tensor, "batch pos"]
    attention_mask: Int[Tensor, "batch pos"]
    """1 for a token of the prompt, 0 for padding."""
    position_ids: Int[Tensor, "batch pos"]
    """0 for the first token of each prompt, whatever padding stands before it."""

    @property
    def lengths(self) -> tuple[int, ...]:
        """Tokens of each prompt."""
        return tuple(int(length) for length in self.attention_mask.sum(dim=1))


@dataclass(frozen=True, kw_only=True)
class Generated:
    """What one row gave."""

    text: str
    """As the model wrote it, special tokens included, without the token that ended it."""
    tokens: tuple[int, ...]
    """Every token drawn, the one that ended it included."""
    prompt_tokens: int
    finish: Literal["stop", "length"]


class Interventions(Protocol):
    """Something done to the residual stream while a batch is generated."""

    def attached(self, model: "LoadedModel", batch: Batch) -> AbstractContextManager[None]:
        """In force within the ``with``, and gone after it, however it ends. Row i of it is row i of ``batch``."""
        ...
