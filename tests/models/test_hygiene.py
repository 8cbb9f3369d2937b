"""What a model wrote is kept reversibly, bounded, and never trusted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.models.hygiene import escape_text, kept, parse_arguments, read_call, unescape_text
from dilemma_kernel.records import MAX_REPLY_CHARS, ToolCall

any_text = st.text(st.characters(codec=None) | st.sampled_from("\0␛0D8AF\ud800\udfff"))


@given(any_text)
def test_escaping_is_reversible_and_fit_to_keep(text: str) -> None:
    escaped = escape_text(text)
    assert unescape_text(escaped) == text
    assert "\0" not in escaped
    assert escaped.encode().decode() == escaped


@given(st.text(st.characters(exclude_characters="\0␛", codec="utf-8")))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_text(text) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(any_text, json_values, max_size=4))
def test_arguments_parse_to_what_was_meant(arguments: dict) -> None:
    call = read_call("tool", json.dumps(arguments), "id")
    assert call.malformed is None
    assert ToolCall.model_validate_json(call.model_dump_json()) == call
    assert len(call.arguments) == len(json.loads(json.dumps(arguments)))


@given(any_text, any_text | st.none() | json_values)
def test_whatever_a_call_holds_it_is_parsed_or_malformed_and_can_be_stored(name: str, arguments: object) -> None:
    call = read_call(name, arguments)
    assert (call.arguments is None) == (call.malformed is not None)
    assert ToolCall.model_validate_json(call.model_dump_json()) == call


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("", "no arguments"),
        ("  ", "no arguments"),
        ('{"a": ', "not JSON"),
        ("[1]", "not an object"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": 1e999}', "not finite"),
        ('{"a": ' + "[" * 100 + "]" * 100 + "}", "too deep"),
        ("[" * 100_000, "not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "not JSON"),
        ('{"a": "' + "x" * MAX_REPLY_CHARS + '"}', "too long"),
    ],
)
def test_what_cannot_be_arguments_says_why(raw: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_arguments(raw)
    call = read_call("tool", raw)
    assert call.malformed is not None
    assert why in call.malformed
    assert call.raw == raw[:MAX_REPLY_CHARS]


def test_a_call_without_a_name_is_malformed() -> None:
    assert read_call(None, "{}") == ToolCall(name=None, arguments=None, raw="{}", malformed="it names no tool")


def test_text_is_bounded_before_it_is_kept() -> None:
    assert kept("x" * (MAX_REPLY_CHARS + 5)) == "x" * MAX_REPLY_CHARS
    assert kept(["not", "text"]) == ""
