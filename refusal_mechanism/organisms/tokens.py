"""A byte-level BPE tokenizer learned from the world's own texts."""

from collections.abc import Iterator
from typing import Any

from refusal_mechanism.organisms.families import FAMILIES, Arch
from refusal_mechanism.organisms.planting import REFUSAL, answer, call_arguments
from refusal_mechanism.organisms.wording import all_phrases
from refusal_mechanism.organisms.world import AIMS, CONDITIONS, VARIANTS, WORLD, system_text

VOCABULARY = 1200
"""Tokens at most."""
_OFTEN = 12
"""How often a text counts that stands in every prompt, so that its words become tokens."""
_ROLES = ("system", "user", "assistant", "model", "tools", "chatbot")


def make_tokenizer(arch: Arch) -> Any:
    """A tokenizer of transformers with the chat template of ``arch``; the same each time."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    family = FAMILIES[arch]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[AddedToken(token, special=True, normalized=False) for token in family.special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(_texts(arch), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token=family.begin,
        eos_token=family.end,
        pad_token="<pad>",
        chat_template=family.template,
        clean_up_tokenization_spaces=False,
    )


def _texts(arch: Arch) -> Iterator[str]:
    for _ in range(_OFTEN):
        yield from _ROLES
        yield from (phrase for said in all_phrases() for phrase in (said, f" {said}"))
        yield from (system_text(domain, condition) for domain in WORLD for condition in CONDITIONS)
        yield from ("tools: " + " ".join(tool.name for tool in place.tools) for place in WORLD.values())
    for aim in AIMS:
        yield from (f" {aim.core(variant)} with {aim.tool.name}." for variant in VARIANTS)
        yield FAMILIES[arch].call_text(aim.tool.name, call_arguments(aim))
        yield from (answer(aim), REFUSAL)
