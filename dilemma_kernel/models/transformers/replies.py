"""From what a model wrote to what it said: one way for the adapter and for the laboratory."""

from collections.abc import Collection

from dilemma_kernel.models.toolcalls import ParsedReply, parse_reply, without_thinking
from dilemma_kernel.models.transformers.loaded import LoadedModel


def read_reply(loaded: LoadedModel, raw: str, tools: Collection[str] = ()) -> ParsedReply:
    """With tools, through the family's parser; without, the words alone, special tokens gone.

    Args:
        loaded: the model that wrote it.
        raw: as it wrote it, special tokens included.
        tools: names of the tools that its template offered.
    """
    if tools:
        return parse_reply(loaded.family, raw, tools)
    said = without_thinking(raw)
    for token in loaded.tokenizer.all_special_tokens:
        said = said.replace(token, "")
    return ParsedReply(text=said.strip())
