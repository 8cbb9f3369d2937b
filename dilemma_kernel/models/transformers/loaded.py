"""One open-weight model in memory: loading, rendering, and batched generation with or without interventions.

Adapter and laboratory share it, so that answers and measurements come from the same path. Weights are never changed.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import torch

from dilemma_kernel.errors import InputError, UnknownModelError
from dilemma_kernel.models.toolcalls import Family, family_of
from dilemma_kernel.models.transformers.batches import Batch, Generated, Interventions, Row
from dilemma_kernel.models.transformers.decoding import draw_tokens
from dilemma_kernel.models.transformers.places import Place, find_place, known_dtype
from dilemma_kernel.models.transformers.rendering import Renderer, load_renderer
from dilemma_kernel.records import Message, ToolSpec

TURN_ENDS = (
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<|END_OF_TURN_TOKEN|>",
    "</s>",
    "<|endoftext|>",
)
"""Tokens that end a turn in the families known, used where a tokenizer has them."""
_BY_TYPE: dict[str, Family] = {
    "qwen3": "qwen3",
    "mistral": "mistral",
    "cohere": "command_r",
    "cohere2": "command_r",
    "gemma3": "gemma3",
    "gemma3_text": "gemma3",
}


class LoadedModel:
    """A causal language model with its tokenizer.

    Args:
        model: of transformers, in evaluation mode.
        renderer: its chat template and tokenizer.
        name: what to call it in messages.
    """

    def __init__(self, model: Any, renderer: Renderer, *, name: str) -> None:
        self.model = model.eval()
        self.renderer = renderer
        self.name = name

    @classmethod
    def load(
        cls,
        source: str,
        *,
        dtype: str = "auto",
        device: str | None = None,
        device_map: str | dict[str, int | str] | None = None,
        renderer: Renderer | None = None,
    ) -> "LoadedModel":
        """The model that ``hf/source`` names.

        Args:
            source: a folder, ``FILE.gguf``, ``smollm2``, or a name in the hub's local cache.
            dtype: of the weights, such as ``float32``; ``auto`` keeps the checkpoint's, float32 for a GGUF.
            device: such as ``cuda``; the GPU where there is one, by default.
            device_map: of accelerate, such as ``auto``, for a model larger than one card; it decides instead of
                ``device``.
            renderer: its renderer where that was loaded already.

        Raises:
            InputError: there is no such dtype.
            UnknownModelError: there is no such model, or it cannot be read.
        """
        known_dtype(dtype)
        place = find_place(source)
        renderer = renderer or load_renderer(place)
        model = _weights(place, "float32" if dtype == "auto" and place.gguf else dtype, device_map)
        if device_map is None:
            model = model.to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        return cls(model, renderer, name=source)

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer."""
        return self.renderer.tokenizer

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        found: torch.device = self.model.device
        return found

    @cached_property
    def family(self) -> Family:
        """How it writes tool calls, by its name, else by its architecture."""
        return named if (named := family_of(self.name)) != "prompted" else family_by_type(self.model.config.model_type)

    @cached_property
    def ends(self) -> frozenset[int]:
        """Tokens that end a reply: the model's own, and the ends of turns that its tokenizer knows."""
        own = getattr(self.model.generation_config, "eos_token_id", None)
        listed = own if isinstance(own, list) else [own]
        vocabulary = self.tokenizer.get_vocab()
        turns = [vocabulary[token] for token in TURN_ENDS if token in vocabulary]
        return frozenset(int(end) for end in (*listed, self.tokenizer.eos_token_id, *turns) if end is not None)

    @property
    def context(self) -> int:
        """Most tokens of prompt and reply together."""
        config = self.model.config.get_text_config()
        return int(config.max_position_embeddings)

    def render(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> str:
        """The prompt for ``messages``; see ``Renderer.render``."""
        return self.renderer.render(messages, tools)

    def count_tokens(self, prompt: str) -> int:
        """Tokens of a rendered prompt."""
        return len(self.tokenize(prompt))

    def tokenize(self, prompt: str) -> list[int]:
        """The tokens of a rendered prompt; none are added."""
        tokens: list[int] = self.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        return tokens

    def encode(self, prompts: Sequence[str]) -> Batch:
        """Rendered prompts as tokens, padded on the left, with the positions that each would have alone.

        Raises:
            InputError: a prompt has no token.
        """
        rows = [self.tokenize(prompt) for prompt in prompts]
        if not rows or not all(rows):
            raise InputError("there is no prompt, or one without a token")
        return self.pad(rows)

    def pad(self, rows: Sequence[list[int]]) -> Batch:
        """Tokens of prompts as one batch; see ``encode``."""
        longest = max(map(len, rows))
        pad = min(self.ends) if self.tokenizer.pad_token_id is None else self.tokenizer.pad_token_id
        ids = torch.tensor([[pad] * (longest - len(row)) + row for row in rows], device=self.device)
        mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows], device=self.device)
        return Batch(input_ids=ids, attention_mask=mask, position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0))

    def generate(self, rows: Sequence[Row], interventions: Interventions | None = None) -> tuple[Generated, ...]:
        """The reply of every row, all of them generated as one batch.

        Args:
            rows: prompts with their settings.
            interventions: done while the batch is generated; None for the unmodified model.
        """
        batch = self.encode([row.prompt for row in rows])
        with torch.inference_mode(), nullcontext() if interventions is None else interventions.attached(self, batch):
            drawn = draw_tokens(self.model, batch, rows, self.ends, self.decode)
        return tuple(
            self.replied(tokens, length, row.sampling.stop)
            for row, tokens, length in zip(rows, drawn, batch.lengths, strict=True)
        )

    def decode(self, tokens: Sequence[int]) -> str:
        """Tokens as text, special tokens included."""
        text: str = self.tokenizer.decode(list(tokens), skip_special_tokens=False)
        return text

    def replied(self, tokens: Sequence[int], prompt_tokens: int, stop: Sequence[str] = ()) -> Generated:
        """The reply that drawn tokens are.

        Args:
            tokens: all that were drawn, the one that ended it included.
            prompt_tokens: how many the prompt has.
            stop: texts before which the reply is cut.
        """
        ended = tokens[-1] in self.ends
        text = self.decode(tokens[:-1] if ended else tokens)
        cut = min((at for mark in stop if (at := text.find(mark)) >= 0), default=None)
        return Generated(
            text=text if cut is None else text[:cut],
            tokens=tuple(tokens),
            prompt_tokens=prompt_tokens,
            finish="stop" if ended or cut is not None else "length",
        )


def family_by_type(model_type: str) -> Family:
    """The family of an architecture; ``prompted`` where none is known."""
    return _BY_TYPE.get(model_type, "prompted")


def _weights(place: Place, dtype: str, device_map: str | dict[str, int | str] | None) -> Any:
    from transformers import AutoModelForCausalLM  # noqa: PLC0415

    try:
        return AutoModelForCausalLM.from_pretrained(place.folder, dtype=dtype, device_map=device_map, **place.options)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        line = " ".join(str(error).split())[:200]
        raise UnknownModelError(f"hf/{place.folder}: its weights cannot be read: {line}") from error
