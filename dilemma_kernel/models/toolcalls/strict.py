"""JSON read strictly, and where an object ends that cannot be read."""

import json
import re
from typing import Any


class NotJson(ValueError):
    """What stands there is no JSON that has one meaning."""

    def __init__(self, why: str, reached: int) -> None:
        super().__init__(why)
        self.reached = reached
        """Position in the text that reading came to."""


def _no_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}]', re.DOTALL)
_NEAR = 200
_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_duplicates)


def decode_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and the position after it.

    Raises:
        NotJson: it is broken, cut, holds a key twice or a number that JSON does not know, or is nested too deep.
    """
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.pos) from error
    except RecursionError as error:
        raise NotJson("nested too deep", start) from error
    except ValueError as error:
        raise NotJson(str(error), start) from error


def end_of_object(text: str, start: int) -> int | None:
    """The position after the brace that closes the one at ``start``, strings respected; None where none does."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] == "{") - (token[0] == "}")
        if depth == 0 and token[0] == "}":
            return token.end()
    return None


def last_before(text: str, position: int) -> str:
    """The last character before ``position`` that is no white space; empty where there is none near."""
    return text[max(0, position - _NEAR) : position].rstrip()[-1:]
