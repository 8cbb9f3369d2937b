"""What is said to a model and what it answers."""

from functools import cached_property
from typing import Literal

from pydantic import Field

from dilemma_kernel.records.base import JsonObject, Record

Role = Literal["system", "user", "assistant", "tool"]
Rung = Literal["tools", "schema", "prompted"]
"""How a structured reply was asked for: native tool calls, native JSON Schema, or in words."""

Finish = Literal["stop", "length", "tool_calls", "refusal", "other"]


class ToolCall(Record):
    """One call in a reply: parsed, or malformed with its raw text kept."""

    name: str | None
    """The tool named; None where the model named none."""
    arguments: JsonObject | None
    """The parsed arguments; None exactly when the call is malformed."""
    raw: str
    """The arguments (or the whole call) as the model wrote them."""
    call_id: str | None = None
    """The provider's id of the call."""
    malformed: str | None = None
    """Why the call could not be parsed; None when it was."""


class Message(Record):
    """One message of a conversation."""

    role: Role
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    """Calls made in an assistant message."""
    call_id: str | None = None
    """In a tool message, the call that it answers."""


class ToolSpec(Record):
    """A tool offered to a model."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema of the arguments; an object schema."""


class Sampling(Record):
    """How a reply is drawn."""

    temperature: float = 1.0
    top_p: float | None = None
    max_tokens: int = 1024
    """Most tokens in a reply."""
    stop: tuple[str, ...] = ()


class CallContext(Record):
    """Where in a study a call belongs. Part of its key; no real adapter sends it."""

    case: str
    """The case: a core_id, or a triple's id."""
    cell: str = ""
    """Key of the cell, agent and environment included."""
    repeat: int = 0
    turn: int = 0
    role: Literal["agent", "environment", "judge", "writer", "discriminator", "rewriter"] = "agent"
    """Who is being asked."""
    ask: int = 0
    """0 for the first ask of a turn, then one more for each re-ask."""


class ChatRequest(Record):
    """Everything that shapes a reply."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: Literal["auto", "required", "none"] = "auto"
    reply_schema: JsonObject | None = None
    """JSON Schema that the reply's text should obey."""
    sampling: Sampling = Sampling()
    seed: int | None = None
    context: CallContext | None = None

    @cached_property
    def json_text(self) -> str:
        """All of it as JSON, made once: calls are keyed by it and stored as it."""
        return self.model_dump_json()


class Usage(Record):
    """Tokens counted by the provider."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Timing(Record):
    """What may differ between two equal runs; kept apart from every export but timing.jsonl."""

    latency_s: float
    """Seconds from request to reply, waiting and retries excluded."""
    attempts: int = 1
    """Requests sent for this reply, retries included."""
    waited_s: float = 0.0
    """Seconds spent waiting for retries and rate limits."""
    provider_id: str | None = None


class ChatReply(Record):
    """What a model answered."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    refusal: str | None = None
    """The provider's own refusal (a refusal field or a content filter), in its words."""
    reasoning: str | None = None
    """Reasoning that the provider returned apart from the text."""
    usage: Usage | None = None
    """None where the provider counted nothing."""
    cost: float | None = None
    """US dollars; None where no price is known."""
    model: str | None = None
    """The model name that the server returned."""
    fingerprint: str | None = None
    """The server's ``system_fingerprint``."""
    omitted: tuple[str, ...] = ()
    """Parts of the request that the model does not support and that were left out."""
    truncated: bool = False
    """Whether the text was longer than is kept (``MAX_REPLY_CHARS``)."""
    timing: Timing | None = None


class Capabilities(Record):
    """What a model supports."""

    tools: bool = True
    schema_: Literal["native", "prompted"] = Field(default="native", alias="schema")
    """``native`` when replies can be held to a JSON Schema; else it is asked for in words."""
    seed: bool = True
    temperature: bool = True

    model_config = {"populate_by_name": True}


MAX_REPLY_CHARS = 4 * 2**20
"""Longest reply text kept; what is beyond is cut and ``truncated`` set."""
