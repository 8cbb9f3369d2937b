"""A language model of a few thousand random weights, with a tokenizer and a chat template, made in a second."""

from pathlib import Path
from typing import Any

TEMPLATE = """
{%- if tools %}<tools>{{ tools | tojson }}</tools>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
WORDS = "the register comes first and then a note says what was seen by whom on which day , . ? !"


def make_tiny_model(folder: Path, *, template: str = TEMPLATE, seed: int = 0, positions: int = 512) -> Path:
    """Write a random Llama into ``folder``; the same seed gives the same weights."""
    import torch  # noqa: PLC0415
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415

    tokenizer = tiny_tokenizer(template)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=positions,
        initializer_range=0.4,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=tokenizer.pad_token_id,
    )
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    LlamaForCausalLM(config).save_pretrained(folder)
    torch.random.set_rng_state(state)
    tokenizer.save_pretrained(folder)
    return folder


def tiny_tokenizer(template: str = TEMPLATE) -> Any:
    """Bytes, a few words, and the marks of a chat."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=["<|pad|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([WORDS], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|pad|>", chat_template=template
    )
