"""Random models of the five architectures, a few thousand weights each, and Gemma's multimodal wrapper."""

from functools import cache
from typing import Any

from tiny_models import WORDS, tiny_tokenizer

ARCHITECTURES = ("llama", "mistral", "qwen3", "gemma3", "cohere2")


def tiny_prompts(count: int, *, longest: int = 14, seed: int = 0) -> list[str]:
    """Word salads of 1 to ``longest`` words, so that lengths differ and windows of 8 tokens are passed."""
    import numpy as np  # noqa: PLC0415

    dice = np.random.default_rng(seed)
    return [" ".join(dice.choice(WORDS.split(), int(dice.integers(1, longest + 1)))) for _ in range(count)]


def tiny_loaded(architecture: str, *, seed: int = 0, layers: int = 3, dtype: str = "float32") -> Any:
    """A random ``LoadedModel``; the same seed gives the same weights. Sliding windows are 8 tokens."""
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    from dilemma_kernel.models.transformers import LoadedModel, Renderer  # noqa: PLC0415

    tokenizer = _tokenizer()
    config = _config(transformers, architecture, len(tokenizer), layers)
    config.eos_token_id, config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(config)
    torch.random.set_rng_state(state)
    return LoadedModel(model.to(getattr(torch, dtype)), Renderer(tokenizer), name=f"tiny-{architecture}")


@cache
def _tokenizer() -> Any:
    return tiny_tokenizer()


def _config(transformers: Any, architecture: str, words: int, layers: int) -> Any:
    common = {
        "vocab_size": words,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 256,
        "initializer_range": 0.3,
        "bos_token_id": None,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    kinds = {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"][:layers]}
    if architecture == "llama":
        return transformers.LlamaConfig(**common)
    if architecture == "mistral":
        return transformers.MistralConfig(**common, sliding_window=8)
    if architecture == "qwen3":
        return transformers.Qwen3Config(**common)
    if architecture == "cohere2":
        return transformers.Cohere2Config(**common, sliding_window=8, **kinds)
    text = transformers.Gemma3TextConfig(**common, sliding_window=8, query_pre_attn_scalar=8, **kinds)
    if architecture == "gemma3":
        return text
    assert architecture == "gemma3-wrapper", architecture
    vision = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    return transformers.Gemma3Config(text_config=text.to_dict(), vision_config={**vision, "image_size": 28})
