"""Replies of a person's own model are made fit, or refused one by one; fit ones pass as they are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_logs import MemoryLog, ask

from dilemma_kernel.errors import ModelRejected
from dilemma_kernel.models import ScriptedModel, wrapped
from dilemma_kernel.models.fitness import fit
from dilemma_kernel.models.hygiene import unescape_text
from dilemma_kernel.records import MAX_REPLY_CHARS, ChatReply, Timing, ToolCall

NASTY = "a\0b\ud800␛"
SHOWN = "a␛0000b␛D800␛␛"


def calling(arguments: object, **changes: object) -> ChatReply:
    return ChatReply(calls=(ToolCall(**{"name": "t", "arguments": arguments, "raw": "{}", **changes}),))


@pytest.mark.parametrize(
    "reply",
    [
        ChatReply(),
        ChatReply(text="é ␛0000 escaped before", cost=0.5, model="m", timing=Timing(latency_s=0.1)),
        calling({"a": [1, 2.5, None, True, {"b": "c"}]}, call_id="1"),
    ],
)
def test_a_fit_reply_passes_as_it_is(reply: ChatReply) -> None:
    assert fit(reply, "m") is reply


def test_texts_are_escaped_and_numbers_finite() -> None:
    made = fit(
        ChatReply(
            text=NASTY,
            reasoning=NASTY,
            refusal=NASTY,
            model=NASTY,
            fingerprint=NASTY,
            omitted=(NASTY,),
            cost=math.nan,
            timing=Timing(latency_s=math.inf, provider_id=NASTY),
            calls=(ToolCall(name=NASTY, arguments={NASTY: [NASTY]}, raw=NASTY, call_id=NASTY),),
        ),
        "m",
    )
    assert made == ChatReply(
        text=SHOWN,
        reasoning=SHOWN,
        refusal=SHOWN,
        model=SHOWN,
        fingerprint=SHOWN,
        omitted=(SHOWN,),
        timing=Timing(latency_s=0.0, provider_id=SHOWN),
        calls=(ToolCall(name=SHOWN, arguments={SHOWN: [SHOWN]}, raw=SHOWN, call_id=SHOWN),),
    )
    assert unescape_text(made.text) == NASTY


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (object(), "a object, which is no JSON"),
        ({1: 2}, "a dict, which is no JSON"),
        (math.nan, "not finite"),
        (1 << 20_000, "too large"),
        ({"a"}, "a set, which is no JSON"),
    ],
    ids=["object", "key", "nan", "huge", "set"],
)
def test_arguments_that_are_no_json_make_a_malformed_call(value: object, why: str) -> None:
    (call,) = fit(calling({"x": [value]}), "m").calls
    assert call.arguments is None
    assert why in (call.malformed or "")


def test_arguments_without_end_make_a_malformed_call() -> None:
    endless: dict[str, object] = {}
    endless["a"] = endless
    (call,) = fit(
        ChatReply(calls=(ToolCall(name="t", raw="", arguments=None).model_copy(update={"arguments": endless}),)), "m"
    ).calls
    assert call.malformed == "the arguments are nested too deep"


def test_long_replies_are_cut() -> None:
    made = fit(ChatReply(text="x" * (MAX_REPLY_CHARS + 1), calls=calling({}).calls * 65), "m")
    assert (len(made.text), made.truncated, len(made.calls)) == (MAX_REPLY_CHARS, True, 64)


@pytest.mark.parametrize(
    "reply", [None, "text", ChatReply.model_construct(text=None), ChatReply.model_construct(text=5)]
)
def test_what_is_no_reply_is_an_error_of_the_model(reply: object) -> None:
    with pytest.raises(ModelRejected, match="m returned a"):
        fit(reply, "m")


@given(st.text(st.characters(codec=None) | st.sampled_from("\0␛\ud800")))
def test_whatever_a_model_writes_can_be_stored(text: str) -> None:
    made = fit(calling({text: text}, raw=text).model_copy(update={"text": text}), "m")
    assert ChatReply.model_validate_json(made.model_dump_json()) == made
    assert fit(made, "m") is made


async def test_every_model_of_a_study_is_fitted() -> None:
    log = MemoryLog()
    model = wrapped(ScriptedModel(lambda request: ChatReply(text=NASTY, cost=math.nan)), log, study="s")
    reply = await model.complete(ask())
    assert (reply.text, reply.cost) == (SHOWN, None)
    assert [stored.text for stored in log.replies.values()] == [SHOWN]
