"""Thoughts taken out of a reply: what was only thought was not said, and a call in it was not made."""

import re

_OPEN = "<think>"
_CLOSE = "</think>"
_TAGS = re.compile(r"</?think>|<tool_call>")


def without_thinking(text: str) -> str:
    """``text`` without its thoughts.

    A block ends with its closing tag, or with the text where there is none. A closing tag with no opening one before
    it, and no call, ends a block that the prompt had opened. Tags after the first ``<tool_call>`` belong to arguments
    unless a parser that knows where a call ends says otherwise, and stay.
    """
    found = _TAGS.search(text)
    position = found.end() if found and found[0] == _CLOSE else 0
    pieces = []
    while (found := _TAGS.search(text, position)) and found[0] == _OPEN:
        pieces.append(text[position : found.start()])
        closed = text.find(_CLOSE, found.end())
        position = closed + len(_CLOSE) if closed >= 0 else len(text)
    return "".join([*pieces, text[position:]])
