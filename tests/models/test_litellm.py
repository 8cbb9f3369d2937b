"""Through litellm's real HTTP path: whatever a server does ends in the right reply or the right error."""

import asyncio
import json
import logging
import traceback
from typing import Any

import pytest
from loopback_server import (
    Answer,
    LoopbackServer,
    Received,
    completion,
    cut,
    drip,
    half_body,
    hang,
    html,
    json_text,
    no_choices,
    status,
    text,
    tool_calls,
)
from model_logs import MemoryLog, ask

from dilemma_kernel.errors import (
    BudgetExhausted,
    ContextOverflow,
    EmptyReply,
    KeyRefused,
    MissingKeyError,
    ModelError,
    ModelForbidden,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    UnknownModelError,
)
from dilemma_kernel.models import Budget, Limiter, ModelConfig, ModelEntry, RetryPolicy, resolve, unescape_text, wrapped
from dilemma_kernel.models.config import CapabilityOverrides
from dilemma_kernel.records import ChatReply, ChatRequest, Message, Sampling, ToolCall, ToolSpec

KEY = "sk-MARKED-0123456789"
TOOL = ToolSpec(name="act", description="acts", parameters={"type": "object", "properties": {}})
RICH = {
    "tools": (TOOL,),
    "tool_choice": "required",
    "reply_schema": {"type": "object"},
    "seed": 7,
    "sampling": Sampling(temperature=0.0, top_p=0.5, max_tokens=9, stop=("END",)),
}


def config(url: str, **entry: Any) -> ModelConfig:
    given = {"model": "openai/served", "api_base": url, "timeout_s": 20.0, **entry}
    return ModelConfig(models={"gpt-x": ModelEntry(**given)}, environ={"OPENAI_API_KEY": KEY})


async def answered(answer: Answer, request: ChatRequest | None = None, **entry: Any) -> ChatReply:
    """The reply to one request, which must have been sent once."""
    with LoopbackServer(answer) as server:
        model = resolve("gpt-x", config(server.url, **entry))
        try:
            return await model.complete(request or ask())
        finally:
            await model.aclose()
            assert server.count == 1


# Good days


async def test_a_plain_reply_says_everything_about_itself() -> None:
    reply = await answered(text("hello"), input_price=1.0, output_price=2.0)
    assert (reply.text, reply.finish, reply.calls) == ("hello", "stop", ())
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 5)
    assert reply.cost == pytest.approx(20e-6)
    assert (reply.model, reply.fingerprint) == ("served-model", "fp_1")
    assert reply.timing is not None
    assert reply.timing.provider_id == "chatcmpl-1"
    assert reply.timing.latency_s > 0


async def test_everything_asked_is_sent_and_nothing_else() -> None:
    said = (
        Message(role="system", content="be good"),
        Message(role="user", content="go"),
        Message(
            role="assistant",
            calls=(
                ToolCall(name="act", arguments={"a": 1}, raw='{"a": 1}', call_id="c1"),
                ToolCall(name=None, arguments=None, raw="{bro", malformed="x"),
            ),
        ),
        Message(role="tool", content="done", call_id="c1"),
    )
    request = ask(messages=said, case="MARKEDCASE", cell="MARKEDCELL", repeat=31337, **RICH)
    with LoopbackServer(text("ok")) as server:
        model = resolve("gpt-x", config(server.url, extra={"top_k": 3}))
        reply = await model.complete(request)
        await model.aclose()
        sent = server.bodies[0]
        received = server.requests[0]
    assert sent == {
        "model": "served",
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "act", "arguments": '{"a": 1}'}},
                    {
                        "id": "call_2",
                        "type": "function",
                        "function": {"name": "unnamed", "arguments": '{"malformed": "{bro"}'},
                    },
                ],
            },
            {"role": "tool", "content": "done", "tool_call_id": "c1"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "act", "description": "acts", "parameters": TOOL.parameters},
            }
        ],
        "tool_choice": "required",
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}},
        "seed": 7,
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 9,
        "stop": ["END"],
        "top_k": 3,
    }
    assert received.headers["authorization"] == f"Bearer {KEY}"
    whole = received.raw + json.dumps(received.headers) + received.path
    assert not any(mark in whole for mark in ("MARKED" + "CASE", "MARKEDCELL", "31337"))
    assert reply.omitted == ()


async def test_what_a_model_does_not_support_is_left_out_and_named() -> None:
    overrides = CapabilityOverrides(tools=False, schema="prompted", seed=False, temperature=False)
    with LoopbackServer(text("ok")) as server:
        model = resolve("gpt-x", config(server.url, capabilities=overrides))
        reply = await model.complete(ask(**RICH))
        await model.aclose()
        sent = server.bodies[0]
    assert reply.omitted == ("tools", "schema", "seed", "temperature")
    assert set(sent) == {"model", "messages", "top_p", "max_tokens", "stop"}


async def test_a_reasoning_model_is_not_sent_what_it_refuses() -> None:
    with LoopbackServer(text("ok")) as server:
        model = resolve("gpt-x", config(server.url, model="openai/gpt-5"))
        reply = await model.complete(ask(**RICH))
        await model.aclose()
        sent = server.bodies[0]
    assert reply.omitted == ("temperature", "stop", "top_p")
    assert not {"temperature", "stop", "top_p"} & set(sent)
    assert model.capabilities.temperature is False


async def test_reasoning_and_json_are_kept() -> None:
    reply = await answered(text("answer", reasoning_content="I think"))
    assert (reply.text, reply.reasoning) == ("answer", "I think")
    assert json.loads((await answered(json_text({"a": [1]}))).text) == {"a": [1]}


# Calls


async def test_parallel_calls_are_kept_in_order() -> None:
    reply = await answered(tool_calls(("act", {"n": 1}), ("act", {"n": 2}), ("other", {})))
    assert [(c.name, c.arguments, c.call_id) for c in reply.calls] == [
        ("act", {"n": 1}, "call_1"),
        ("act", {"n": 2}, "call_2"),
        ("other", {}, "call_3"),
    ]
    assert reply.finish == "tool_calls"


@pytest.mark.parametrize(
    ("call", "raw", "why"),
    [
        (("act", '{"n": '), '{"n": ', "not JSON"),
        (("act", None), "", "no arguments"),
        (("act", ""), "", "no arguments"),
        (("act", "[1]"), "[1]", "not an object"),
        ((None, "{}"), "{}", "names no tool"),
        (("", "{}"), "{}", "names no tool"),
    ],
)
async def test_broken_calls_are_malformed_and_kept_raw(call: tuple[Any, Any], raw: str, why: str) -> None:
    (made,) = (await answered(tool_calls(call))).calls
    assert made.arguments is None
    assert made.raw == raw
    assert made.malformed is not None
    assert why in made.malformed


# Refusals and odd ends


async def test_refusals_are_kept_in_the_providers_words() -> None:
    reply = await answered(text(None, refusal="I will not."))
    assert (reply.text, reply.refusal, reply.finish) == ("", "I will not.", "refusal")
    filtered = await answered(text("", finish_reason="content_filter"))
    assert (filtered.refusal, filtered.finish) == ("content filter", "refusal")


async def test_a_filtered_prompt_is_a_refusal_not_an_error() -> None:
    error = status(400, message="The response was filtered: content management policy", code="content_filter")
    reply = await answered(error)
    assert reply.finish == "refusal"
    assert reply.refusal is not None
    assert "content management policy" in reply.refusal


@pytest.mark.parametrize(
    ("answer", "kept", "finish"),
    [
        (text(""), "", "stop"),
        (text(None), "", "stop"),
        (text("cut off", finish_reason="length"), "cut off", "length"),
        (text("x", finish_reason="error"), "x", "other"),
        (text("x", finish_reason="never heard of"), "x", "other"),
    ],
)
async def test_odd_ends_are_told_apart(answer: Answer, kept: str, finish: str) -> None:
    reply = await answered(answer)
    assert (reply.text, reply.finish, reply.calls) == (kept, finish, ())


async def test_nothing_counted_is_not_zero_tokens_and_no_price_is_not_free() -> None:
    assert (await answered(completion({"content": "x"}, usage=None))).usage is None
    assert (await answered(completion({"content": "x"}, usage=None), input_price=1, output_price=1)).cost is None
    assert (await answered(text("x"))).cost is None


# Hostile text


async def test_nul_and_lone_surrogates_are_escaped_reversibly() -> None:
    nasty = "a\0b\ud800c\udfff␛"
    call = ("act" + nasty, json.dumps({"k" + nasty: nasty}))
    answer = completion(
        {
            "content": nasty,
            "reasoning_content": nasty,
            "tool_calls": [{"id": nasty, "type": "function", "function": {"name": call[0], "arguments": call[1]}}],
        }
    )
    reply = await answered(answer)
    assert ChatReply.model_validate_json(reply.model_dump_json().encode()) == reply
    assert unescape_text(reply.text) == nasty
    assert reply.reasoning is not None
    assert unescape_text(reply.reasoning) == nasty
    (made,) = reply.calls
    assert made.name is not None
    assert unescape_text(made.name) == call[0]
    assert made.arguments is not None
    assert {unescape_text(k): unescape_text(v) for k, v in made.arguments.items()} == {"k" + nasty: nasty}


async def test_a_megabyte_is_kept_and_a_flood_is_cut() -> None:
    assert len((await answered(text("x" * 2**20))).text) == 2**20
    flood = await answered(text("x" * (5 * 2**20)))
    assert (len(flood.text), flood.truncated) == (4 * 2**20, True)


async def test_a_history_with_a_lone_surrogate_can_be_sent() -> None:
    assert (await answered(text("ok"), ask("half \ud83d a pair"))).text == "ok"


# Bad days: one request, the right error, one line, no key

ERRORS = [
    (no_choices(), EmptyReply),
    (status(400), ModelRejected),
    (status(404), ModelRejected),
    (status(422), ModelRejected),
    (status(401, message=f"Incorrect API key provided: {KEY}"), ModelForbidden),
    (status(403, message=f"{KEY} may not"), ModelForbidden),
    (status(400, message="maximum context length is 10 tokens", code="context_length_exceeded"), ContextOverflow),
    (status(400, message="too much", code="context_length_exceeded"), ContextOverflow),
    (status(429), RateLimited),
    (status(429, message="You exceeded your current quota", code="insufficient_quota"), ModelForbidden),
    (status(500), ModelUnavailable),
    (status(502), ModelUnavailable),
    (status(503), ModelUnavailable),
    (html(200), ModelUnavailable),
    (html(502), ModelUnavailable),
    (cut(), ModelUnavailable),
    (half_body(), ModelUnavailable),
    (Answer(b""), ModelUnavailable),
    (Answer(b"{}"), ModelUnavailable),
    (Answer(b"[]"), ModelUnavailable),
    (completion({"content": "x", "tool_calls": [{"function": None}]}), ModelUnavailable),
    (completion({"content": 5}), ModelUnavailable),
    (completion(choices=[{"finish_reason": "stop"}]), ModelUnavailable),
]


@pytest.mark.parametrize(("answer", "kind"), ERRORS, ids=[f"{a.status}-{a.fault}-{k.__name__}" for a, k in ERRORS])
async def test_bad_answers_are_the_right_error(
    answer: Answer, kind: type[ModelError], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelError) as caught:
        await answered(answer)
    assert type(caught.value) is kind
    message = str(caught.value)
    assert message.startswith("gpt-x")
    assert "\n" not in message
    told = "".join(traceback.format_exception(caught.value)) + caplog.text + "".join(capfd.readouterr())
    assert KEY not in told


async def test_an_endpoint_that_carries_a_key_is_never_shown() -> None:
    with LoopbackServer(status(400, message="bad url http://me:sk_MARK@127.0.0.1")) as server:
        url = server.url.replace("127.0.0.1", "me:sk_MARK@127.0.0.1")
        model = resolve("gpt-x", config(url))
        with pytest.raises(ModelError) as caught:
            await model.complete(ask())
        await model.aclose()
    assert "MARK" not in model.identity
    assert "MARK" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("header", "seconds"), [("1", 1.0), ("0.25", 0.25), ("3600", 3600.0), (None, None), ("soon", None), ("-5", None)]
)
async def test_retry_after_is_read(header: str | None, seconds: float | None) -> None:
    with pytest.raises(RateLimited) as caught:
        await answered(status(429, retry_after=header))
    assert caught.value.retry_after == seconds


async def test_retry_after_may_be_a_date() -> None:
    with pytest.raises(RateLimited) as caught:
        await answered(status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"))
    assert caught.value.retry_after == 0


@pytest.mark.parametrize("answer", [hang(), text("too late").after(30), drip()], ids=["hang", "late", "drip"])
async def test_what_comes_too_late_is_a_timeout(answer: Answer) -> None:
    """The timeout holds for the whole answer, not for each read."""
    with pytest.raises(ModelTimeout):
        await answered(answer, timeout_s=0.8)


async def test_nobody_listening_is_unavailable() -> None:
    with LoopbackServer() as server:
        url = server.url
    model = resolve("gpt-x", config(url))
    with pytest.raises(ModelUnavailable):
        await model.complete(ask())
    await model.aclose()


# Wrapped: request counts are exact

FAST = RetryPolicy(attempts=4, timeouts=2, first_wait_s=0.01, longest_wait_s=0.05)


async def test_retries_are_counted_by_the_server() -> None:
    script = (status(503), cut(), status(429, retry_after="0"), text("at last"))
    with LoopbackServer(*script) as server:
        model = wrapped(resolve("gpt-x", config(server.url)), MemoryLog(), study="s", retry=FAST)
        reply = await model.complete(ask())
        await model.aclose()
        assert (reply.text, server.count) == ("at last", 4)
    assert reply.timing is not None
    assert reply.timing.attempts == 4


@pytest.mark.parametrize(
    ("answer", "requests"), [(status(500), 4), (status(400), 1), (status(401), 1), (no_choices(), 1), (hang(), 2)]
)
async def test_retries_are_bounded_and_only_where_they_may_help(answer: Answer, requests: int) -> None:
    log = MemoryLog()
    with LoopbackServer(answer) as server:
        model = wrapped(resolve("gpt-x", config(server.url, timeout_s=0.8)), log, study="s", retry=FAST)
        with pytest.raises(KeyRefused if answer.status == 401 else ModelError):
            await model.complete(ask())
        await model.aclose()
        assert server.count == requests
    assert log.replies == {}


async def test_equal_requests_in_flight_are_one_request_on_the_wire() -> None:
    with LoopbackServer(text("shared").after(0.1)) as server:
        model = wrapped(resolve("gpt-x", config(server.url)), MemoryLog(), study="s")
        replies = await asyncio.gather(*(model.complete(ask(repeat=i % 3)) for i in range(30)))
        again = await model.complete(ask(repeat=1))
        await model.aclose()
        assert server.count == 3
    assert {reply.text for reply in [*replies, again]} == {"shared"}


async def test_the_budget_counts_every_attempt() -> None:
    with LoopbackServer(status(500), text("one"), status(500)) as server:
        budget = Budget(calls=3)
        model = wrapped(resolve("gpt-x", config(server.url)), MemoryLog(), study="s", retry=FAST, budget=budget)
        assert (await model.complete(ask("a"))).text == "one"
        with pytest.raises(BudgetExhausted):
            await model.complete(ask("b"))
        await model.aclose()
        assert server.count == 3


async def test_a_hundred_calls_under_heavy_429_are_all_answered() -> None:
    def every_third(received: Received) -> Answer:
        return (
            status(429, retry_after="3600" if received.number % 2 else None) if received.number % 3 == 0 else text("x")
        )

    with LoopbackServer(every_third) as server:
        policy = RetryPolicy(attempts=20, first_wait_s=0.005, longest_wait_s=0.01)
        limiter = Limiter(32, longest_pause_s=0.01)
        model = wrapped(resolve("gpt-x", config(server.url)), MemoryLog(), study="s", retry=policy, limiter=limiter)
        replies = await asyncio.gather(*(model.complete(ask(repeat=i)) for i in range(100)))
        await model.aclose()
        counters = model.counters
        assert len(replies) == counters.calls == 100
        assert server.count == counters.attempts == 100 + counters.rate_limited
        assert server.most_in_flight <= 32
    assert counters.rate_limited > 0
    assert counters.waited_s > 0
    assert 1 <= counters.limit < 32


# Names, keys, endpoints


def test_an_unknown_name_says_what_to_do() -> None:
    with pytest.raises(UnknownModelError, match=r"openai/gpt-x.*dilemma\.toml"):
        resolve("gpt-x", ModelConfig(environ={"OPENAI_API_KEY": KEY}))
    with pytest.raises(UnknownModelError, match=r"did you mean .*gpt-4o"):
        resolve("gpt-4oo", ModelConfig())


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": " \t"}])
def test_a_missing_or_empty_key_is_named(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # what is not in the configuration does not count
    with pytest.raises(MissingKeyError, match=r"OPENAI_API_KEY is (not set|empty)"):
        resolve("gpt-4o", ModelConfig(environ=environ))


def test_an_alias_may_name_the_variable_of_its_key() -> None:
    entry = ModelEntry(model="openai/served", api_base="http://127.0.0.1:1/v1", api_key_env="MY_KEY")
    with pytest.raises(MissingKeyError, match="MY_KEY"):
        resolve("gpt-x", ModelConfig(models={"gpt-x": entry}, environ={"OPENAI_API_KEY": KEY}))


async def test_an_endpoint_of_ones_own_needs_no_key() -> None:
    with LoopbackServer(text("ok")) as server:
        entry = ModelEntry(model="openai/served", api_base=server.url)
        model = resolve("gpt-x", ModelConfig(models={"gpt-x": entry}))
        assert (await model.complete(ask())).text == "ok"
        await model.aclose()
        assert server.requests[0].headers["authorization"] == "Bearer none"


async def test_the_environment_may_name_the_endpoint() -> None:
    with LoopbackServer(text("ok")) as server:
        model = resolve("some-model", ModelConfig(environ={"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}))
        assert (await model.complete(ask())).text == "ok"
        await model.aclose()
        assert server.bodies[0]["model"] == "some-model"
    assert model.identity == f"openai/some-model@{server.url}"


@pytest.mark.parametrize("name", ["hosted_vllm/some/model", "lm_studio/model"])
async def test_self_hosted_providers_work_through_their_own_names(name: str) -> None:
    with LoopbackServer(text("ok")) as server:
        model = resolve(name, ModelConfig(models={name: ModelEntry(api_base=server.url)}))
        assert model.capabilities.tools
        assert model.capabilities.schema_ == "native"
        assert (await model.complete(ask())).text == "ok"
        await model.aclose()


def test_an_identity_tells_models_endpoints_and_extras_apart_and_holds_no_key() -> None:
    def identity(**entry: Any) -> str:
        given = {"model": "openai/served", **entry}
        return resolve("x", ModelConfig(models={"x": ModelEntry(**given)}, environ={"OPENAI_API_KEY": KEY})).identity

    seen = [
        identity(),
        identity(model="openai/other"),
        identity(api_base="http://a/v1"),
        identity(api_base="http://b/v1"),
        identity(extra={"top_k": 1}),
    ]
    assert len(set(seen)) == len(seen)
    assert identity(api_base=f"http://me:{KEY}@a/v1?key={KEY}") == identity(api_base="http://a/v1/")
    assert not any(KEY in name for name in seen)


def test_capabilities_come_from_the_list_where_it_knows_the_model() -> None:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY, "PERPLEXITYAI_API_KEY": KEY}
    found = {
        name: resolve(name, ModelConfig(environ=keys)).capabilities
        for name in ("gpt-4o", "gpt-5", "anthropic/claude-sonnet-4-5", "perplexity/sonar", "openai/unheard-of")
    }
    assert found["gpt-4o"].model_dump() == {"tools": True, "schema_": "native", "seed": True, "temperature": True}
    assert found["gpt-5"].temperature is False
    assert found["anthropic/claude-sonnet-4-5"].seed is False
    assert found["perplexity/sonar"].tools is False
    assert found["openai/unheard-of"] == found["gpt-4o"]
    assert resolve("openai/unheard-of", ModelConfig(environ=keys)).capabilities == found["gpt-4o"]


def test_two_event_loops_one_after_the_other_work() -> None:
    with LoopbackServer(text("ok")) as server:

        async def once() -> str:
            model = resolve("gpt-x", config(server.url))
            reply = await model.complete(ask())
            await model.aclose()
            await model.aclose()
            return reply.text

        assert [asyncio.run(once()) for _ in range(2)] == ["ok", "ok"]


async def test_closing_one_model_leaves_another_working() -> None:
    with LoopbackServer(text("ok")) as server:
        one, other = (resolve("gpt-x", config(server.url)) for _ in range(2))
        await asyncio.gather(one.complete(ask()), other.complete(ask()))
        await one.aclose()
        assert (await other.complete(ask())).text == "ok"
        await other.aclose()
