"""OpenAI's chat format, which most endpoints speak: from a request to its JSON, from its JSON to a reply."""

import json
from collections.abc import Mapping
from typing import Any

from dilemma_kernel.models.hygiene import MAX_CALLS, kept, kept_name, read_call, sendable
from dilemma_kernel.records import (
    MAX_REPLY_CHARS,
    Capabilities,
    ChatReply,
    ChatRequest,
    Finish,
    JsonObject,
    Message,
    ToolCall,
    ToolSpec,
    Usage,
)

_FINISHES: Mapping[object, Finish] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
}


def omitted(request: ChatRequest, capabilities: Capabilities, refused: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The parts of ``request`` that a model is not sent.

    Args:
        request: what is asked.
        capabilities: what the model supports.
        refused: of ``stop``, ``top_p``, ``max_tokens`` and ``tool_choice``, what the model does not take.
    """
    parts = {
        "tools": bool(request.tools) and not capabilities.tools,
        "schema": request.reply_schema is not None and capabilities.schema_ != "native",
        "seed": request.seed is not None and not capabilities.seed,
        "temperature": not capabilities.temperature,
        "stop": bool(request.sampling.stop) and "stop" in refused,
        "max_tokens": "max_tokens" in refused,
        "top_p": request.sampling.top_p is not None and "top_p" in refused,
        "tool_choice": request.tool_choice != "auto" and bool(request.tools) and "tool_choice" in refused,
    }
    return tuple(name for name, left_out in parts.items() if left_out)


def to_wire(request: ChatRequest, left_out: tuple[str, ...]) -> JsonObject:
    """The body of a chat completion, without the model's name and without ``left_out``.

    The request's context is no part of it.
    """
    sampling = request.sampling
    body: JsonObject = {
        "messages": [_message(message) for message in request.messages],
        "max_tokens": sampling.max_tokens,
    }
    if "temperature" not in left_out:
        body["temperature"] = sampling.temperature
    if sampling.top_p is not None and "top_p" not in left_out:
        body["top_p"] = sampling.top_p
    if sampling.stop and "stop" not in left_out:
        body["stop"] = list(sampling.stop)
    if request.seed is not None and "seed" not in left_out:
        body["seed"] = request.seed
    if request.tools and "tools" not in left_out:
        body["tools"] = [tool_json(tool) for tool in request.tools]
        if "tool_choice" not in left_out:
            body["tool_choice"] = request.tool_choice
    if request.reply_schema is not None and "schema" not in left_out:
        schema = {"name": "reply", "schema": request.reply_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def tool_json(tool: ToolSpec) -> JsonObject:
    """A tool in OpenAI's format."""
    described = {"name": tool.name, "description": sendable(tool.description), "parameters": tool.parameters}
    return {"type": "function", "function": described}


def _message(message: Message) -> JsonObject:
    content = sendable(message.content)
    if message.role == "tool":
        return {"role": "tool", "content": content, "tool_call_id": message.call_id or "call_1"}
    if not message.calls:
        return {"role": message.role, "content": content}
    calls = [_call(call, number) for number, call in enumerate(message.calls, 1)]
    return {"role": message.role, "content": content or None, "tool_calls": calls}


def _call(call: ToolCall, number: int) -> JsonObject:
    """A call of an earlier reply. Endpoints refuse broken arguments, so those travel inside an object."""
    arguments = call.raw if call.arguments is not None else json.dumps({"malformed": call.raw})
    function = {"name": call.name or "unnamed", "arguments": arguments}
    return {"id": call.call_id or f"call_{number}", "type": "function", "function": function}


def from_wire(choice: JsonObject, body: JsonObject, left_out: tuple[str, ...]) -> ChatReply:
    """The reply in one choice of a completion, bounded and escaped. Timing and cost are for the adapter to add."""
    message = choice.get("message") or {}
    text = _text(message.get("content"))
    refusal = kept(message.get("refusal")) or None
    finish = _FINISHES.get(choice.get("finish_reason"), "other")
    if finish == "refusal" and refusal is None:
        refusal = "content filter"
    return ChatReply(
        text=kept(text),
        calls=_calls(message),
        finish="refusal" if refusal is not None else finish,
        refusal=refusal,
        reasoning=kept(message.get("reasoning_content") or message.get("reasoning")) or None,
        usage=_usage(body.get("usage")),
        model=kept_name(body.get("model")),
        fingerprint=kept_name(body.get("system_fingerprint")),
        omitted=left_out,
        truncated=len(text) > MAX_REPLY_CHARS,
    )


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return content if isinstance(content, str) else ""


def _calls(message: JsonObject) -> tuple[ToolCall, ...]:
    listed: list[Any] = list(message.get("tool_calls") or ())
    if message.get("function_call"):  # the form before tools
        listed.append({"function": message["function_call"]})
    made = []
    for call in listed[:MAX_CALLS]:
        function = call.get("function") or {}
        made.append(read_call(function.get("name"), function.get("arguments"), call.get("id")))
    return tuple(made)


def _usage(counted: Any) -> Usage | None:
    """None where the provider counted nothing."""
    if not isinstance(counted, dict):
        return None
    prompt, completion = counted.get("prompt_tokens") or 0, counted.get("completion_tokens") or 0
    return Usage(prompt_tokens=prompt, completion_tokens=completion) if prompt or completion else None
