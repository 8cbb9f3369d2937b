"""Reading moves: what is one, and what hostile replies are not."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import levels, make_scenario

from dilemma_kernel.records import ChatReply, Move, Rung, ToolCall
from dilemma_kernel.semantics.actions import present
from dilemma_kernel.semantics.moves import MAX_MOVE_CHARS, MAX_PARAMETER_CHARS, read_move

PRESENTED = present(make_scenario(), levels(), 7)
TEXT_RUNGS: tuple[Rung, ...] = ("schema", "prompted")
GOOD: dict[str, Any] = {
    "reasoning": "Quality decides.",
    "action": "open_disposition_request",
    "parameters": {"lot": "QV-2281"},
}


def called(arguments: Any, name: str | None = "open_disposition_request", **reply: Any) -> ChatReply:
    return ChatReply(calls=(ToolCall(name=name, arguments=arguments, raw=""),), finish="tool_calls", **reply)


def problem(reply: ChatReply, rung: Rung = "prompted") -> str:
    told = read_move(reply, PRESENTED, rung)
    assert isinstance(told, str), told
    assert 0 < len(told) < 600
    assert "\n" not in told
    told.encode()
    return told


def test_a_tool_call_is_a_move() -> None:
    move = read_move(called({"lot": "QV-2281", "reasoning": "Quality decides."}), PRESENTED, "tools")
    assert move == Move(action="ask-quality", parameters={"lot": "QV-2281"}, reasoning="Quality decides.", rung="tools")


@pytest.mark.parametrize("reasons", [{}, {"reasoning": ""}, {"reasoning": None}, {"reasoning": {"a": 1}}])
def test_without_the_argument_the_text_is_the_reasoning(reasons: dict[str, Any]) -> None:
    move = read_move(called({"lot": "QV-2281"} | reasons, text="I ask quality."), PRESENTED, "tools")
    assert isinstance(move, Move)
    assert move.reasoning == "I ask quality."
    assert move.parameters == {"lot": "QV-2281"}


@pytest.mark.parametrize("rung", TEXT_RUNGS)
@pytest.mark.parametrize(
    "form",
    ["{}", "```json\n{}\n```", "```\n{}\n```", "I choose this:\n{}\nThat is all.", "<think>Or {{x}}?</think>\n{}"],
)
def test_one_object_is_a_move_bare_fenced_or_among_words(rung: Rung, form: str) -> None:
    text = form.replace("{{x}}", '{"a": 1}').replace("{}", json.dumps(GOOD, indent=2))
    move = read_move(ChatReply(text=text), PRESENTED, rung)
    assert move == Move(action="ask-quality", parameters={"lot": "QV-2281"}, reasoning="Quality decides.", rung=rung)


def test_a_thought_stands_in_for_missing_reasons() -> None:
    text = '<think>Quality decides.</think>{"action": "open_disposition_request", "parameters": {"lot": "Q"}}'
    move = read_move(ChatReply(text=text), PRESENTED, "prompted")
    assert isinstance(move, Move)
    assert move.reasoning == "Quality decides."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("  \n\t", "empty"),
        ("I will open a disposition request for lot QV-2281.", "no JSON object"),
        ("I can't help with that.", "no JSON object"),
        ('{"reasoning": "Quality decides.", "action": "open_dispo', "malformed"),
        ('{"action": "open_disposition_request", "parameters": {"lot": "Q"}', "malformed"),
        ('{"broken": {"action": "open_disposition_request", "parameters": {"lot": "Q"}}', "malformed"),
        ("{'action': 'open_disposition_request'}", "no JSON object"),
        (json.dumps(GOOD) * 2, "more than one"),
        (json.dumps(GOOD) + " {}", "more than one"),
        (json.dumps(GOOD) + ' {"half', "more than one"),
        (json.dumps([GOOD, GOOD]), "more than one"),
        ("{}", "no 'action'"),
        ('{"actions": ["open_disposition_request"]}', "no 'action'"),
        (json.dumps(GOOD | {"action": "launch"}), "no operation 'launch'"),
        (json.dumps(GOOD | {"action": "ask-quality"}), "no operation 'ask-quality'"),
        (json.dumps(GOOD | {"action": None}), "no operation"),
        (json.dumps(GOOD | {"action": ["open_disposition_request"]}), "no operation"),
        (json.dumps(GOOD | {"action": "x" * 500}), "no operation"),
        (json.dumps(GOOD | {"parameters": {}}), "'lot' is a required property"),
        (json.dumps(GOOD | {"parameters": None}), "'lot' is a required property"),
        (json.dumps(GOOD | {"parameters": {"lot": 5}}), "lot: 5 is not of type"),
        (json.dumps(GOOD | {"parameters": {"lot": "Q", "more": 1}}), "Additional properties"),
        (json.dumps(GOOD | {"parameters": ["QV-2281"]}), "not a JSON object"),
        ('{"action": "open_disposition_request", "action": "post_lot_to_load_plan"}', "a key occurs twice"),
        ('{"action": "update_alarm_limit", "parameters": {"limit_c": NaN}}', "NaN is not JSON"),
        ('{"action": "update_alarm_limit", "parameters": {"limit_c": -Infinity}}', "-Infinity is not JSON"),
        ('{"action": "update_alarm_limit", "parameters": {"limit_c": 1e999}}', "too large"),
        ('{"action": "update_alarm_limit", "parameters": {"limit_c": ' + "9" * 5000 + "}}", "malformed"),
        ('{"action": ' * 20_000, "longer than"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "malformed"),
        (json.dumps(GOOD | {"parameters": {"lot": "Q\x00"}}), "cannot be stored"),
        (json.dumps(GOOD | {"parameters": {"lot": "Q\ud800"}}), "cannot be stored"),
        (json.dumps(GOOD | {"parameters": {"Q\ud800": 1}}), "cannot be stored"),
        (json.dumps(GOOD | {"action": "\ud800\x00"}), "no operation"),
        ("\x00\x00", "no JSON object"),
        ("\ud800", "no JSON object"),
        ("x" * 2**20, "longer than"),
        ("{" * 60_000, "no JSON object"),
        (json.dumps(GOOD | {"parameters": {"lot": "x" * (MAX_PARAMETER_CHARS + 1)}}), "longer than"),
    ],
)
def test_what_is_no_move(text: str, told: str) -> None:
    for rung in TEXT_RUNGS:
        assert told in problem(ChatReply(text=text), rung)


def test_a_megabyte_is_not_searched() -> None:
    text = "x" * 2**20 + json.dumps(GOOD)
    assert f"{MAX_MOVE_CHARS:,}" in problem(ChatReply(text=text))


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (ChatReply(), "empty"),
        (ChatReply(text="I open the request."), "no operation was called"),
        (ChatReply(text=json.dumps(GOOD)), "no operation was called"),
        (ChatReply(refusal="I can't help with that."), "a refusal"),
        (ChatReply(text="Sorry.", finish="refusal"), "a refusal"),
        (ChatReply(calls=(called({"lot": "Q"}).calls * 2)), "2 operations were called"),
        (ChatReply(calls=(ToolCall(name="x", arguments=None, raw="{", malformed="half"),)), "could not be read"),
        (called({"lot": "Q"}, name="launch"), "no operation 'launch'"),
        (called({"lot": "Q"}, name=None), "no operation"),
        (called({}), "'lot' is a required property"),
        (called({"lot": "Q\x00"}), "cannot be stored"),
        (called({"lot": "Q\ud800"}), "cannot be stored"),
        (called({"limit_c": math.nan}, name="update_alarm_limit"), "not finite"),
        (called({"limit_c": math.inf}, name="update_alarm_limit"), "not finite"),
        (called({"lot": "x" * 2**20}), "longer than"),
    ],
)
def test_what_is_no_call(reply: ChatReply, told: str) -> None:
    assert told in problem(reply, "tools")


def test_deep_arguments_raise_nothing() -> None:
    deep: dict[str, Any] = {}
    for _ in range(3000):
        deep = {"lot": deep}
    call = ToolCall.model_construct(
        name="open_disposition_request", arguments=deep, raw="", call_id=None, malformed=None
    )
    assert "nested deeper" in problem(ChatReply().model_copy(update={"calls": (call,)}), "tools")


@pytest.mark.parametrize("cut", [{"finish": "length"}, {"truncated": True}])
def test_a_reply_that_was_cut_makes_no_move(cut: dict[str, Any]) -> None:
    assert "cut off" in problem(ChatReply(text=json.dumps(GOOD), **cut))
    assert "cut off" in problem(called({"lot": "Q"}).model_copy(update=cut), "tools")


def test_a_refusal_beside_a_move_is_a_move() -> None:
    assert isinstance(read_move(called({"lot": "Q"}, refusal="I'd rather not."), PRESENTED, "tools"), Move)


def test_reasons_are_kept_storable() -> None:
    move = read_move(ChatReply(text=json.dumps(GOOD | {"reasoning": "a\x00b\ud800c"})), PRESENTED, "schema")
    assert isinstance(move, Move)
    assert move.reasoning == "a\\u0000b\\ud800c"


def test_opaque_names_are_the_ones_read() -> None:
    opaque = present(make_scenario(), levels(names="opaque"), 7)
    by_name = {item.name: item.action.key for item in opaque}
    name = next(name for name, key in by_name.items() if key == "ask-quality")
    move = read_move(ChatReply(text=json.dumps(GOOD | {"action": name})), opaque, "schema")
    assert isinstance(move, Move)
    assert move.action == "ask-quality"
    assert isinstance(read_move(ChatReply(text=json.dumps(GOOD)), opaque, "schema"), str)


@given(st.text(alphabet=st.characters(codec=None), max_size=400))
def test_any_text_gives_a_move_or_a_problem(text: str) -> None:
    for rung in TEXT_RUNGS:
        assert isinstance(read_move(ChatReply.model_construct(text=text, calls=()), PRESENTED, rung), str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["action", "parameters", "reasoning", "x"]), JSON))
def test_any_object_without_a_known_action_is_a_problem(data: dict[str, Any]) -> None:
    assert isinstance(read_move(ChatReply(text=json.dumps(data)), PRESENTED, "prompted"), str)


@given(lot=st.text(min_size=1, max_size=20), note=st.text(max_size=20), before=st.text("ab .:\n`'", max_size=20))
def test_a_written_move_reads_back(lot: str, note: str, before: str) -> None:
    storable = "\x00" not in lot + note
    text = before + json.dumps(GOOD | {"parameters": {"lot": lot, "note": note}}) + before
    move = read_move(ChatReply(text=text), PRESENTED, "prompted")
    assert isinstance(move, Move) == storable
    if isinstance(move, Move):
        assert move.parameters == {"lot": lot, "note": note}
