"""The decoders themselves: a randomly initialised model of each architecture, under a million parameters."""

from typing import Any

import torch

from refusal_mechanism.organisms.families import Arch

LAYERS = 4
WIDTH = 128
CONTEXT = 512
"""Most tokens of prompt and reply."""
_SPREAD = 0.05
"""Standard deviation of the initial weights."""
_SIZES = {
    "hidden_size": WIDTH,
    "intermediate_size": 336,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": CONTEXT,
    "initializer_range": _SPREAD,
    "tie_word_embeddings": True,
}
_HEAD = WIDTH // 4
_OWN: dict[Arch, dict[str, Any]] = {
    "llama": {"head_dim": _HEAD},
    "qwen3": {"head_dim": _HEAD},
    "mistral": {"head_dim": _HEAD, "sliding_window": None},
    "gemma3": {"head_dim": _HEAD, "query_pre_attn_scalar": _HEAD, "sliding_window": CONTEXT},
    "cohere2": {"logit_scale": 1.0, "sliding_window": CONTEXT},
}


def make_body(arch: Arch, tokenizer: Any, seed: int) -> Any:
    """A causal language model of transformers in float32, the same for the same seed; no global generator is moved."""
    import transformers  # noqa: PLC0415

    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
        "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM),
        "gemma3": (transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM),
        "cohere2": (transformers.Cohere2Config, transformers.Cohere2ForCausalLM),
    }[arch]
    config = config_class(
        vocab_size=len(tokenizer),
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **_SIZES,
        **_OWN[arch],
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return model_class(config)
