"""LangChain chat models behind our port."""

import asyncio
import json
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from model_logs import ask

from dilemma_kernel.errors import ModelRejected, ModelTimeout, RateLimited
from dilemma_kernel.models import ModelConfig, ModelEntry
from dilemma_kernel.models.langchain import LangChain
from dilemma_kernel.records import ChatReply, ChatRequest, Message, Sampling, ToolCall, ToolSpec, Usage

TOOL = ToolSpec(name="act", description="acts", parameters={"type": "object", "properties": {}})


class Canned(BaseChatModel):
    """Answers what it was given and remembers what it was asked."""

    said: Any = AIMessage("hello")
    temperature: float = 1.0
    max_tokens: int = 16
    asked: list[Any] = []

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self.asked.append({"messages": messages, "stop": stop, **kwargs})
        if isinstance(self.said, Exception):
            raise self.said
        return ChatResult(generations=[ChatGeneration(message=self.said)])

    def bind_tools(self, tools: Any, *, tool_choice: Any = None, **kwargs: Any) -> Any:
        return self.bind(tools=tools, tool_choice=tool_choice, **kwargs)

    @property
    def _llm_type(self) -> str:
        return "canned"


class Plain(Canned):
    """Knows no tools."""

    bind_tools = BaseChatModel.bind_tools


async def answered(said: Any, request: ChatRequest | None = None, **entry: Any) -> tuple[ChatReply, dict[str, Any]]:
    chat = Canned(said=said, asked=[])
    reply = await LangChain("python:x:y", chat, ModelEntry(**entry), ModelConfig()).complete(request or ask())
    return reply, chat.asked[0]


async def test_a_reply_keeps_text_usage_cost_and_names() -> None:
    said = AIMessage(
        [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "hello"}, " there"],
        usage_metadata={"input_tokens": 3, "output_tokens": 4, "total_tokens": 7},
        response_metadata={"finish_reason": "length", "model_name": "served", "system_fingerprint": "fp"},
        id="run-1",
    )
    reply, _ = await answered(said, input_price=1e6, output_price=2e6)
    assert (reply.text, reply.reasoning, reply.finish) == ("hello there", "hm", "length")
    assert reply.usage == Usage(prompt_tokens=3, completion_tokens=4)
    assert reply.cost == 11
    assert (reply.model, reply.fingerprint) == ("served", "fp")
    assert reply.timing is not None
    assert reply.timing.provider_id == "run-1"


async def test_calls_are_parsed_or_malformed() -> None:
    said = AIMessage(
        "",
        tool_calls=[{"name": "act", "args": {"n": "a\0"}, "id": "1"}],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "name": "act", "args": '{"n": ', "id": "2", "error": "bad"},
            {"type": "invalid_tool_call", "name": "act", "args": "{}", "id": "3", "error": "bad"},
        ],
    )
    parsed, broken, odd = (await answered(said))[0].calls
    assert (parsed.name, parsed.arguments, parsed.call_id) == ("act", {"n": "a␛0000"}, "1")
    assert (broken.arguments, broken.raw, broken.malformed) == (None, '{"n": ', "the arguments are not JSON")
    assert (odd.arguments, odd.raw, odd.malformed) == (None, "{}", "bad")


async def test_the_whole_request_arrives_without_its_context() -> None:
    said = (
        Message(role="system", content="be good"),
        Message(role="user", content="go \ud800"),
        Message(
            role="assistant",
            content="well",
            calls=(
                ToolCall(name="act", arguments={"a": 1}, raw='{"a": 1}', call_id="c1"),
                ToolCall(name="act", arguments=None, raw="{", malformed="bad"),
            ),
        ),
        Message(role="tool", content="done", call_id="c1"),
    )
    sampling = Sampling(temperature=0.25, max_tokens=9, stop=("END",))
    request = ask(messages=said, tools=(TOOL,), tool_choice="required", sampling=sampling, case="MARKED", seed=3)
    reply, asked = await answered(AIMessage("ok"), request)
    system, user, assistant, tool = asked["messages"]
    assert [m.type for m in asked["messages"]] == ["system", "human", "ai", "tool"]
    assert (system.content, user.content, tool.content, tool.tool_call_id) == ("be good", "go ␛D800", "done", "c1")
    assert [(c["name"], c["args"], c["id"]) for c in assistant.tool_calls] == [("act", {"a": 1}, "c1")]
    assert [(c["args"], c["id"]) for c in assistant.invalid_tool_calls] == [("{", "call_2")]
    assert asked["tools"][0]["function"]["name"] == "act"
    assert (asked["tool_choice"], asked["stop"], asked["temperature"], asked["max_tokens"]) == ("any", ["END"], 0.25, 9)
    assert "seed" not in asked
    assert "MARKED" not in str(asked)
    assert reply.omitted == ("seed",)


async def test_what_the_class_has_no_field_for_is_left_out_and_named() -> None:
    chat = Plain(asked=[])
    model = LangChain("python:x:y", chat, ModelEntry(), ModelConfig())
    request = ask(tools=(TOOL,), reply_schema={"type": "object"}, sampling=Sampling(top_p=0.5), seed=1)
    reply = await model.complete(request)
    assert reply.omitted == ("tools", "schema", "seed", "top_p")
    assert not {"tools", "seed", "top_p"} & set(chat.asked[0])


async def test_refusals_are_kept() -> None:
    reply, _ = await answered(AIMessage("", additional_kwargs={"refusal": "I will not."}))
    assert (reply.refusal, reply.finish) == ("I will not.", "refusal")
    filtered, _ = await answered(AIMessage("", response_metadata={"finish_reason": "content_filter"}))
    assert (filtered.refusal, filtered.finish) == ("content filter", "refusal")
    odd, _ = await answered(AIMessage("x", response_metadata={"finish_reason": "never heard of"}))
    assert odd.finish == "other"


async def test_errors_are_translated() -> None:
    class TooMany(Exception):
        status_code = 429

    with pytest.raises(RateLimited, match="python:x:y: slow down"):
        await answered(TooMany("slow\ndown"))
    with pytest.raises(ModelRejected):
        await answered(ValueError("a bug"))


async def test_it_is_not_waited_for_forever() -> None:
    class Slow(Canned):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(60)

    with pytest.raises(ModelTimeout):
        await LangChain("x", Slow(), ModelEntry(timeout_s=0.05), ModelConfig()).complete(ask())


async def test_a_reply_can_be_stored() -> None:
    reply, _ = await answered(AIMessage("a\0\ud800"))
    assert ChatReply.model_validate_json(reply.model_dump_json()) == reply
    assert json.loads(reply.model_dump_json())["text"] == "a␛0000␛D800"
