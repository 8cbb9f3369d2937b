"""What a parser makes of one reply, and the two kinds of call."""

import json
import re
from collections.abc import Iterable
from typing import Any

from dilemma_kernel.models.hygiene import MAX_CALLS, kept, kept_name, parse_arguments
from dilemma_kernel.records import Record, ToolCall

_BLANK_LINES = re.compile(r"\n[ \t]*+\n(?:[ \t]*+\n)+")


class ParsedReply(Record):
    """A reply taken apart."""

    text: str
    """What was said beside the calls, thoughts taken out."""
    calls: tuple[ToolCall, ...] = ()
    """The calls in the order in which they were made, parsed and malformed."""


def parsed_reply(pieces: Iterable[str], calls: Iterable[ToolCall]) -> ParsedReply:
    """The pieces of text put together again, and at most ``MAX_CALLS`` calls with a malformed one for the rest."""
    text = _BLANK_LINES.sub("\n\n", "".join(pieces)).strip()
    made = list(calls)
    if len(made) > MAX_CALLS:
        made = [*made[: MAX_CALLS - 1], malformed("", f"the reply holds more than {MAX_CALLS} calls")]
    return ParsedReply(text=text, calls=tuple(made))


def malformed(raw: str, why: str, name: object = None) -> ToolCall:
    """A call that could not be parsed, with its text kept."""
    return ToolCall(name=kept_name(name), arguments=None, raw=kept(raw), malformed=why)


def made(name: str, arguments: dict[str, Any], raw: str, call_id: object = None) -> ToolCall:
    """A call with arguments that were read already; malformed where they are too deep or not finite."""
    try:
        fit = parse_arguments(json.dumps(arguments))
    except (ValueError, RecursionError, TypeError) as error:
        return malformed(raw, str(error), name)
    return ToolCall(name=kept_name(name), arguments=fit, raw=kept(raw), call_id=kept_name(call_id))
