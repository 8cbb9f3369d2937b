"""Any LangChain chat model as one of ours."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from dilemma_kernel.errors import ModelRejected
from dilemma_kernel.models.config import ModelConfig, ModelEntry
from dilemma_kernel.models.failures import translated
from dilemma_kernel.models.hygiene import MAX_CALLS, kept, kept_name, read_call, sendable
from dilemma_kernel.models.wire import omitted, tool_json
from dilemma_kernel.records import (
    MAX_REPLY_CHARS,
    Capabilities,
    ChatReply,
    ChatRequest,
    Finish,
    JsonObject,
    Message,
    Timing,
    ToolCall,
    Usage,
)

_FINISHES: Mapping[object, Finish] = {
    None: "stop",
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "STOP": "stop",
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "refusal",
    "refusal": "refusal",
    "SAFETY": "refusal",
}


class LangChain:
    """A LangChain chat model.

    Schemas are asked for in words. A sampling parameter is sent where the model's class has a field for it, else left
    out and named: most classes drop what they do not know without a word. Retries of the model's own stay on, for only
    its maker can switch them off.

    Args:
        name: the name it was asked for by.
        chat: the model.
        entry: overrides, prices and the timeout.
        config: the default timeout.
    """

    def __init__(self, name: str, chat: BaseChatModel, entry: ModelEntry, config: ModelConfig) -> None:
        fields = type(chat).model_fields
        found = Capabilities(
            tools=type(chat).bind_tools is not BaseChatModel.bind_tools,
            schema="prompted",
            seed="seed" in fields,
            temperature="temperature" in fields,
        )
        served = getattr(chat, "model_name", None) or getattr(chat, "model", None) or ""
        self.name = name
        self.identity = f"langchain/{type(chat).__module__}.{type(chat).__qualname__}:{served}@{name}"
        self.capabilities = entry.capabilities.over(found).model_copy(update={"schema_": "prompted"})
        self.prices = entry.prices
        self._chat = chat
        self._refused = frozenset(part for part in ("max_tokens", "top_p") if part not in fields)
        self._timeout_s = entry.timeout_s or config.timeout_s
        self._extra = entry.extra

    async def complete(self, request: ChatRequest) -> ChatReply:
        left_out = omitted(request, self.capabilities, self._refused)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout_s):
                said = await self._runnable(request, left_out).ainvoke(
                    [_message(message) for message in request.messages], **self._arguments(request, left_out)
                )
        except Exception as error:
            failure = error
        else:
            return self._reply(said, left_out, time.perf_counter() - started)
        raise translated(failure, self.name)  # outside the handler: the cause may hold a key

    def _runnable(self, request: ChatRequest, left_out: tuple[str, ...]) -> Any:
        if not request.tools or "tools" in left_out:
            return self._chat
        choice = {"auto": "auto", "required": "any", "none": "none"}[request.tool_choice]
        return self._chat.bind_tools([tool_json(tool) for tool in request.tools], tool_choice=choice)

    def _arguments(self, request: ChatRequest, left_out: tuple[str, ...]) -> JsonObject:
        sampling = request.sampling
        wished = {
            "seed": request.seed,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "stop": list(sampling.stop) or None,
        }
        sent = {name: value for name, value in wished.items() if value is not None and name not in left_out}
        return {**self._extra, **sent}

    def _reply(self, said: Any, left_out: tuple[str, ...], seconds: float) -> ChatReply:
        if not isinstance(said, AIMessage):
            raise ModelRejected(f"{self.name} answered with a {type(said).__name__}, not with an AIMessage")
        facts = said.response_metadata
        finish = _FINISHES.get(facts.get("finish_reason") or facts.get("stop_reason"), "other")
        refusal = kept(said.additional_kwargs.get("refusal")) or ("content filter" if finish == "refusal" else None)
        usage = _usage(said)
        text, reasoning = _blocks(said)
        return ChatReply(
            text=kept(text),
            calls=_calls(said),
            finish="refusal" if refusal else finish,
            refusal=refusal,
            reasoning=kept(reasoning) or None,
            usage=usage,
            cost=self.prices.of(usage) if self.prices else None,
            model=kept_name(facts.get("model_name") or facts.get("model")),
            fingerprint=kept_name(facts.get("system_fingerprint")),
            omitted=left_out,
            truncated=len(text) > MAX_REPLY_CHARS,
            timing=Timing(latency_s=seconds, provider_id=kept_name(said.id)),
        )

    async def aclose(self) -> None:
        """LangChain models have nothing to close."""


def _message(message: Message) -> BaseMessage:
    content = sendable(message.content)
    if message.role == "system":
        return SystemMessage(content)
    if message.role == "user":
        return HumanMessage(content)
    if message.role == "tool":
        return ToolMessage(content, tool_call_id=message.call_id or "call_1")
    calls = [(call, call.call_id or f"call_{number}") for number, call in enumerate(message.calls, 1)]
    return AIMessage(
        content,
        tool_calls=[{"name": c.name or "", "args": c.arguments, "id": i} for c, i in calls if c.arguments is not None],
        invalid_tool_calls=[
            {"type": "invalid_tool_call", "name": c.name, "args": c.raw, "id": i, "error": c.malformed}
            for c, i in calls
            if c.arguments is None
        ],
    )


def _blocks(said: AIMessage) -> tuple[str, str]:
    """Text and reasoning, whether content is a text or a list of blocks."""
    blocks = [said.content] if isinstance(said.content, str) else said.content
    text = [_part(block, "text") for block in blocks]
    reasoning = [_part(block, "reasoning") or _part(block, "thinking") for block in blocks]
    return "".join(text), "".join(reasoning) or str(said.additional_kwargs.get("reasoning_content") or "")


def _part(block: object, kind: str) -> str:
    if isinstance(block, str):
        return block if kind == "text" else ""
    if not isinstance(block, dict) or block.get("type") != kind:
        return ""
    return str(block.get(kind) or "")


def _calls(said: AIMessage) -> tuple[ToolCall, ...]:
    parsed = [read_call(call["name"], call["args"], call["id"]) for call in said.tool_calls]
    broken = [_broken(read_call(c["name"], c["args"], c["id"]), str(c["error"] or "")) for c in said.invalid_tool_calls]
    return tuple([*parsed, *broken][:MAX_CALLS])


def _broken(call: ToolCall, why: str) -> ToolCall:
    """A call that LangChain could not parse stays malformed, whatever its text looks like."""
    if call.malformed is not None:
        return call
    return call.model_copy(update={"arguments": None, "malformed": kept(why, 300) or "LangChain could not parse it"})


def _usage(said: AIMessage) -> Usage | None:
    counted = said.usage_metadata
    if counted is None:
        return None
    return Usage(prompt_tokens=counted["input_tokens"], completion_tokens=counted["output_tokens"])
