"""Which parser reads which family, and which family a model's name belongs to."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Literal

from dilemma_kernel.models.toolcalls import command_r, gemma3, llama3, mistral, prompted, qwen3
from dilemma_kernel.models.toolcalls.reply import ParsedReply

Family = Literal["qwen3", "mistral", "llama3", "command_r", "gemma3", "prompted"]

FAMILIES: Mapping[Family, Callable[[str, Collection[str]], ParsedReply]] = MappingProxyType(
    {
        "qwen3": qwen3.parse,
        "mistral": mistral.parse,
        "llama3": llama3.parse,
        "command_r": command_r.parse,
        "gemma3": gemma3.parse,
        "prompted": prompted.parse,
    }
)
"""family -> its parser, which takes a reply and the names of the tools that were offered."""

_MARKS: tuple[tuple[str, Family], ...] = (
    ("qwen3", "qwen3"),
    ("mistral", "mistral"),
    ("llama-3", "llama3"),
    ("llama3", "llama3"),
    ("command-r", "command_r"),
    ("command_r", "command_r"),
    ("c4ai", "command_r"),
    ("gemma-3", "gemma3"),
    ("gemma3", "gemma3"),
)


def parse_reply(family: Family, text: str, tools: Collection[str] = ()) -> ParsedReply:
    """The calls in a raw reply, and what was said beside them.

    Args:
        family: how the model writes calls.
        text: the reply as the model wrote it, special tokens included where decoding kept them.
        tools: names of the tools that were offered. A call to any other is parsed where the family's own marks say
            that it is a call; among prose it is none.
    """
    return FAMILIES[family](text, frozenset(tools))


def family_of(model: str) -> Family:
    """The family that a model's name or path belongs to; ``prompted`` where none is known."""
    lower = model.lower()
    return next((family for mark, family in _MARKS if mark in lower), "prompted")
