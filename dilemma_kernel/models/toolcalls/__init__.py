"""From what a model wrote to the calls that it made: one parser a model family.

Three rules hold in every family. One bad call never discards its neighbours. Nothing is repaired by guessing: what is
not a call as the family writes one is malformed, and its text is kept. A call that was only thought or quoted was not
made. Nothing is ever evaluated.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma_kernel.models.toolcalls.families import FAMILIES, Family, family_of, parse_reply
    from dilemma_kernel.models.toolcalls.instructions import tool_instructions
    from dilemma_kernel.models.toolcalls.reply import ParsedReply
    from dilemma_kernel.models.toolcalls.thinking import without_thinking

_HOMES = {
    "FAMILIES": "families",
    "Family": "families",
    "ParsedReply": "reply",
    "family_of": "families",
    "parse_reply": "families",
    "tool_instructions": "instructions",
    "without_thinking": "thinking",
}

__all__ = [
    "FAMILIES",
    "Family",
    "ParsedReply",
    "family_of",
    "parse_reply",
    "tool_instructions",
    "without_thinking",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
