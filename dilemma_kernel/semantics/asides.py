"""What a reply says beside its thinking and its JSON: the words in which it could refuse."""

import json
import re
from typing import Final

from dilemma_kernel.semantics.moves import MAX_MOVE_CHARS

_THINKING = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
"""A block of thinking at the beginning; where it is never closed, all that follows is in it."""

_OBJECT = re.compile(r"\{\s*(?:[\"'}]|\w+\s*:)")
"""Where a JSON object begins, or something that was meant as one."""

_BROKEN_MOVE = re.compile(r"[\"']?\b(?:action|tool|name|parameters|arguments)[\"']?\s*:")

_PLACES: Final = ("action", "tool", "name")
"""Keys under which a reply names its move."""

_EMPTY: Final = ("", "none", "null")

_DECODER = json.JSONDecoder(strict=False)


def aside(text: str) -> str | None:
    """The words of ``text`` outside its thinking and outside its JSON; None where the JSON tries to make a move.

    An object whose places for a move are all empty makes none, and stays among the words: it may say why.

    Args:
        text: a reply that holds no valid move.
    """
    thinking = _THINKING.match(text)
    rest = (text[thinking.end() :] if thinking else text)[:MAX_MOVE_CHARS]
    words: list[str] = []
    at = 0
    while (begins := _OBJECT.search(rest, at)) is not None:
        words.append(rest[at : begins.start()])
        found, at = _object(rest, begins.start())
        told = rest[begins.start() : at]
        if _tries_to_move(found, told):
            return None
        if found is not None and any(place in found for place in _PLACES):
            words.append(told)
    return "".join((*words, rest[at:]))


def _object(text: str, start: int) -> tuple[dict[str, object] | None, int]:
    """The object at ``start`` and where it ends; None for a broken one, which goes to the last brace, or the end."""
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        last = text.rfind("}", start)
        return None, len(text) if last < 0 else last + 1
    return found, end


def _tries_to_move(found: dict[str, object] | None, told: str) -> bool:
    if found is None:
        return _BROKEN_MOVE.search(told) is not None
    return any(not _is_empty(found[place]) for place in _PLACES if place in found)


def _is_empty(place: object) -> bool:
    return place is None or (isinstance(place, str) and place.strip().lower() in _EMPTY)
