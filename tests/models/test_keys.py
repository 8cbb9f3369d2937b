"""A call's key differs whenever anything that shapes the reply does."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dilemma_kernel.models import call_key
from dilemma_kernel.records import CallContext, ChatRequest, Message, Sampling, ToolCall, ToolSpec

texts = st.text(max_size=8)
schemas = st.dictionaries(texts, st.none() | st.integers() | texts, max_size=2)
calls = st.builds(
    ToolCall,
    name=st.none() | texts,
    arguments=st.none() | schemas,
    raw=texts,
    call_id=st.none() | texts,
    malformed=st.none() | texts,
)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    content=texts,
    calls=st.lists(calls, max_size=2).map(tuple),
    call_id=st.none() | texts,
)
finite = st.floats(0, 2, allow_nan=False)
PARTS: dict[str, st.SearchStrategy[Any]] = {
    "messages": st.lists(messages, min_size=1, max_size=3).map(tuple),
    "tools": st.lists(st.builds(ToolSpec, name=texts, description=texts, parameters=schemas), max_size=2).map(tuple),
    "tool_choice": st.sampled_from(["auto", "required", "none"]),
    "reply_schema": st.none() | schemas,
    "seed": st.none() | st.integers(),
}
SAMPLING: dict[str, st.SearchStrategy[Any]] = {
    "temperature": finite,
    "top_p": st.none() | finite,
    "max_tokens": st.integers(1, 9999),
    "stop": st.lists(texts, max_size=2).map(tuple),
}
CONTEXT: dict[str, st.SearchStrategy[Any]] = {
    "case": texts,
    "cell": texts,
    "repeat": st.integers(),
    "turn": st.integers(),
    "role": st.sampled_from(["agent", "environment", "judge", "writer", "discriminator", "rewriter"]),
    "ask": st.integers(),
}
requests = st.builds(
    ChatRequest, **PARTS, sampling=st.builds(Sampling, **SAMPLING), context=st.builds(CallContext, **CONTEXT)
)


def changed(request: ChatRequest, part: str, value: Any) -> ChatRequest:
    if part in PARTS:
        return request.model_copy(update={part: value})
    home = "sampling" if part in SAMPLING else "context"
    return request.model_copy(update={home: getattr(request, home).model_copy(update={part: value})})


def test_every_field_of_a_request_is_among_the_parts() -> None:
    assert {*PARTS, "sampling", "context"} == set(ChatRequest.model_fields)
    assert set(SAMPLING) == set(Sampling.model_fields)
    assert set(CONTEXT) == set(CallContext.model_fields)


@given(st.data(), requests, st.sampled_from(sorted({**PARTS, **SAMPLING, **CONTEXT})))
def test_a_change_of_any_one_part_changes_the_key(data: st.DataObject, request: ChatRequest, part: str) -> None:
    other = changed(request, part, data.draw({**PARTS, **SAMPLING, **CONTEXT}[part]))
    same = request.model_dump_json() == other.model_dump_json()
    assert (call_key("study", "model", request) == call_key("study", "model", other)) == same


@given(requests, texts, texts, texts, texts)
def test_study_and_model_are_part_of_the_key(request: ChatRequest, s1: str, m1: str, s2: str, m2: str) -> None:
    assert (call_key(s1, m1, request) == call_key(s2, m2, request)) == ((s1, m1) == (s2, m2))


@given(requests)
def test_the_key_outlives_a_round_trip_through_json(request: ChatRequest) -> None:
    again = ChatRequest.model_validate_json(request.model_dump_json())
    assert call_key("study", "model", again) == call_key("study", "model", request)


def test_a_lone_surrogate_of_a_persons_own_has_a_key_too() -> None:
    keys = {
        call_key("study", "model", ChatRequest(messages=(Message(role="user", content=text),)))
        for text in ("\ud800", "\ud801", "\\ud800", "?")
    }
    assert len(keys) == 4
