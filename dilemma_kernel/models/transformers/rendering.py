"""Messages and tools to the text that a model reads, through its own chat template."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from dilemma_kernel.errors import MissingExtraError, ModelRejected, UnknownModelError
from dilemma_kernel.models.messages import in_words
from dilemma_kernel.models.transformers.places import Place
from dilemma_kernel.models.transformers.template_alone import template_alone
from dilemma_kernel.models.wire import tool_json
from dilemma_kernel.records import JsonObject, Message, ToolCall, ToolSpec

ToolForm = Callable[[ToolSpec], JsonObject]
"""How a tool is handed to a template."""
FIXED = {"enable_thinking": False, "date_string": "26 Jul 2024"}
"""Told to every template: no thinking, and one date, so that prompts do not change overnight."""
_PROBE = ToolSpec(name="probe_of_slots", description="A probe.", parameters={"type": "object", "properties": {}})
_HELLO = Message(role="user", content="Hello.")
_PYTHON_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "List"}


@dataclass(frozen=True)
class Renderer:
    """A tokenizer's chat template.

    Args:
        tokenizer: anything with the ``apply_chat_template`` of transformers.
    """

    tokenizer: Any

    def render(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> str:
        """The prompt, up to where the reply begins.

        A system text is put before the first user text where the template raises on it. Tools go where the template
        has a slot for them, else nowhere.

        Raises:
            ModelRejected: the template does not take these messages.
        """
        told = messages if self.takes_tools else in_words(messages)
        try:
            return self._apply(told if self.takes_system else _folded(told), tools, self._form)
        except Exception as error:
            raise ModelRejected(f"the chat template refuses: {' '.join(str(error).split())[:200]}") from error

    @property
    def takes_tools(self) -> bool:
        """Whether the template writes tools into the prompt."""
        return self._form is not None

    @cached_property
    def _form(self) -> ToolForm | None:
        """The form in which the template takes tools; None where it takes none."""
        for form in (tool_json, _cohere_json):
            try:
                if _PROBE.name in self._apply((_HELLO,), (_PROBE,), form):
                    return form
            except Exception:
                continue
        return None

    @cached_property
    def takes_system(self) -> bool:
        """Whether the template takes a system message without raising."""
        try:
            self._apply((Message(role="system", content="Be brief."), _HELLO), (), None)
        except Exception:
            return False
        return True

    def _apply(self, messages: Sequence[Message], tools: Sequence[ToolSpec], form: ToolForm | None) -> str:
        text: str = self.tokenizer.apply_chat_template(
            [_plain(message) for message in messages],
            tools=[form(tool) for tool in tools] or None if form else None,
            add_generation_prompt=True,
            tokenize=False,
            **FIXED,
        )
        return text


def load_renderer(place: Place) -> Renderer:
    """The renderer of a model's own tokenizer; no weights are read.

    Raises:
        MissingExtraError: transformers is not installed.
        UnknownModelError: there is no tokenizer, or it has no chat template.
    """
    if find_spec("transformers") is None:
        raise MissingExtraError("hf/ (transformers)", "lab")
    from transformers import AutoTokenizer  # noqa: PLC0415
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()
    if (alone := template_alone(place.folder)) is not None:
        return Renderer(alone)
    try:
        tokenizer = AutoTokenizer.from_pretrained(place.folder, **place.options)
    except (OSError, ValueError, KeyError) as error:
        line = " ".join(str(error).split())[:200]
        raise UnknownModelError(f"hf/{place.folder}: no tokenizer can be read here: {line}") from error
    if not tokenizer.chat_template:
        raise UnknownModelError(f"hf/{place.folder}: its tokenizer has no chat template")
    return Renderer(tokenizer)


def _cohere_json(tool: ToolSpec) -> JsonObject:
    """A tool as the templates of Command R and R+ take it: flat, with types of Python."""
    required = tool.parameters.get("required", ())
    parameters = {
        name: {
            "description": schema.get("description") or name.replace("_", " "),
            "type": _PYTHON_TYPES.get(str(schema.get("type")), "Dict"),
            "required": name in required,
        }
        for name, schema in tool.parameters.get("properties", {}).items()
    }
    return {"name": tool.name, "description": tool.description, "parameter_definitions": parameters}


def _plain(message: Message) -> JsonObject:
    """A message as templates take it."""
    plain: JsonObject = {"role": message.role, "content": message.content}
    if message.role == "tool":
        plain["tool_call_id"] = _nine(message.call_id or "call_1")
    if message.calls:
        plain["tool_calls"] = [_plain_call(call, number) for number, call in enumerate(message.calls, 1)]
    return plain


def _plain_call(call: ToolCall, number: int) -> JsonObject:
    arguments = call.arguments if call.arguments is not None else {"malformed": call.raw}
    function = {"name": call.name or "unnamed", "arguments": arguments}
    return {"id": _nine(call.call_id or f"call_{number}"), "type": "function", "function": function}


def _nine(call_id: str) -> str:
    """An id of nine letters and digits, the only form that Mistral's template takes."""
    return call_id if len(call_id) == 9 and call_id.isalnum() else hashlib.sha256(call_id.encode()).hexdigest()[:9]


def _folded(messages: Sequence[Message]) -> tuple[Message, ...]:
    """System texts put before the first user text."""
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return tuple(rest)
    if not rest or rest[0].role != "user":
        return (Message(role="user", content=system), *rest)
    return (Message(role="user", content=f"{system}\n\n{rest[0].content}"), *rest[1:])
