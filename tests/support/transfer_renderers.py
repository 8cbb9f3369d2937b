"""Templates for audits: real ones where they were fetched, and ones with a planted fault."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import real_templates

from dilemma_kernel.models.transformers.rendering import Renderer
from dilemma_kernel.models.wire import tool_json
from dilemma_kernel.records import Message, ToolSpec


class Template:
    """A tokenizer that is a chat template and nothing else."""

    def __init__(self, source: str) -> None:
        self._source = source

    def apply_chat_template(self, conversation: list[Any], **values: Any) -> str:
        return real_templates.render(self._source, messages=conversation, **values)


WHOLE = """
{%- if tools %}<tools>{{ tools | tojson }}</tools>
{% endif %}
{%- for message in messages %}<{{ message.role }}>{{ message.content }}
{% endfor %}<assistant>"""
"""A template that loses nothing."""
NO_SYSTEM = WHOLE.replace(
    "<{{ message.role }}>{{ message.content }}",
    "{% if message.role != 'system' %}<{{ message.role }}>{{ message.content }}{% endif %}",
)
"""A template that drops the system text without a word."""
HALF_THE_TOOLS = WHOLE.replace("tools | tojson", "tools[:2] | tojson")
"""A template that shows two tools, however many there are."""


def planted_leak(tools: Sequence[ToolSpec]) -> Renderer:
    """A template that shows ``tools`` always."""
    listed = json.dumps([tool_json(tool) for tool in tools]).replace("{{", "{ {")
    return Renderer(
        Template(WHOLE.replace("{%- if tools %}<tools>{{ tools | tojson }}", f"{{%- if true %}}<tools>{listed}"))
    )


@dataclass(frozen=True)
class MistralV3:
    """Mistral's own renderer of its third template."""

    tokenizer: Any
    takes_tools: bool = True

    def render(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> str:
        from mistral_common.protocol.instruct.messages import SystemMessage, UserMessage  # noqa: PLC0415
        from mistral_common.protocol.instruct.request import ChatCompletionRequest  # noqa: PLC0415
        from mistral_common.protocol.instruct.tool_calls import Function, Tool  # noqa: PLC0415

        said = [(SystemMessage if m.role == "system" else UserMessage)(content=m.content) for m in messages]
        offered = [
            Tool(function=Function(name=t.name, description=t.description, parameters=t.parameters)) for t in tools
        ]
        request = ChatCompletionRequest(messages=said, tools=offered or None, model="m")
        text: str = self.tokenizer.encode_chat_completion(request).text
        return text.replace("▁", " ").replace("<0x0A>", "\n")


@dataclass(frozen=True)
class CommandR7B:
    """Cohere's own renderer."""

    melody: Any
    takes_tools: bool = True

    def render(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> str:
        chat = [{"role": message.role, "content": [{"type": "text", "text": message.content}]} for message in messages]
        offered = [{"name": t.name, "description": t.description, "parameters": t.parameters} for t in tools]
        text: str = self.melody.render_cmd3(
            {"messages": chat, "available_tools": offered} if tools else {"messages": chat}
        )
        return text


def fetched(family: str) -> Path | None:
    """The folder of a fetched template; None where it is missing."""
    folder = real_templates.HOME / family
    return folder if (folder / "tokenizer_config.json").is_file() else None
