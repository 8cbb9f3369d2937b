"""Command R7B: ``<|START_ACTION|>[{"tool_call_id", "tool_name", "parameters"}]<|END_ACTION|>``.

The older ``Action:`` with a fenced list is read too, and a list that lost its special tokens in decoding.
"""

import re
from collections.abc import Collection

from dilemma_kernel.models.hygiene import MAX_CALLS
from dilemma_kernel.models.toolcalls.embedded import embedded_calls, is_quoted, without
from dilemma_kernel.models.toolcalls.reply import ParsedReply, malformed, parsed_reply
from dilemma_kernel.models.toolcalls.sequence import read_sequence
from dilemma_kernel.models.toolcalls.shapes import CallShape
from dilemma_kernel.records import ToolCall

SHAPE = CallShape(name="tool_name", arguments=("parameters",), call_id="tool_call_id")
ANSWERS = frozenset({"directly_answer", "directly-answer"})
"""Names that stand for answering in words: no call."""
_THOUGHT = re.compile(r"<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)", re.DOTALL)
_ACTION = re.compile(r"<\|START_ACTION\|>|^[ \t]*Action:\s*```(?:json)?", re.MULTILINE)
_ACTION_END = re.compile(r"\s*(?:<\|END_ACTION\|>|```)")
_SPECIAL = re.compile(
    r"<\|(?:(?:START|END)_(?:RESPONSE|TEXT|ACTION)|(?:START|END)_OF_TURN_TOKEN|CHATBOT_TOKEN)\|>|\A\s*Plan:"
)
_BARE_LIST = re.compile(r"\s*\[\s*\{")


def parse(text: str, tools: Collection[str]) -> ParsedReply:
    """The calls in ``text``; what stands between the thinking tokens was only thought."""
    rest = _without_thoughts(text)
    calls: list[ToolCall] = []
    pieces: list[str] = []
    position = 0
    while len(calls) <= MAX_CALLS and (found := _ACTION.search(rest, position)):
        pieces.append(rest[position : found.start()])
        if is_quoted(rest, found.start()):
            pieces.append(found[0])
            position = found.end()
            continue
        made, position = _actions(rest, found.end())
        calls += made
    left = rest[position:]
    if not calls:
        left = "".join([*pieces, left])
        calls, spans = embedded_calls(left, SHAPE, tools, alone=[(0, len(left))] if _BARE_LIST.match(left) else [])
        pieces, left = [], without(left, spans)
    said = (_SPECIAL.sub("", piece) for piece in [*pieces, left])
    return parsed_reply(said, (call for call in calls if call.name not in ANSWERS))


def _actions(text: str, start: int) -> tuple[list[ToolCall], int]:
    calls, end = read_sequence(text, start, SHAPE)
    closing = _ACTION_END.match(text, end)
    if not calls:
        closing = _ACTION_END.search(text, start)
        stop = closing.start() if closing else len(text)
        calls = [malformed(text[start:stop].strip(), "the action is no list of calls")]
        end = stop
    return calls, closing.end() if closing else end


def _without_thoughts(text: str) -> str:
    """``text`` without its thoughts; those after an action begins belong to its arguments, and stay."""
    pieces, position = [], 0
    action = _ACTION.search(text)
    while thought := _THOUGHT.search(text, position):
        if action and action.start() < position:
            action = _ACTION.search(text, position)
        if action and action.start() < thought.start():
            break
        pieces.append(text[position : thought.start()])
        position = thought.end()
    return "".join([*pieces, text[position:]])
