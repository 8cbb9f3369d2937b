"""How each architecture writes a chat and a call: a template of its family's marks, small enough for a small model."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

Arch = Literal["llama", "qwen3", "mistral", "gemma3", "cohere2"]
ARCHS: tuple[Arch, ...] = get_args(Arch)

_NAMES = "tools:{% for tool in tools %} {{ tool.function.name }}{% endfor %}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The marks of one family."""

    template: str
    """A chat template with a place for tools, of which it gives the names."""
    call: str
    """A call, with ``%(name)s`` and ``%(arguments)s``."""
    end: str
    """The token that ends a turn."""
    begin: str | None
    """The token that begins a text, where there is one."""
    marks: tuple[str, ...]
    """Every other token of its own."""
    python: bool = False
    """Whether arguments are written as Python keywords, not as JSON."""

    @property
    def special(self) -> tuple[str, ...]:
        """Every special token, padding first."""
        return ("<pad>", *([self.begin] if self.begin else []), self.end, *self.marks)

    def call_text(self, name: str, arguments: Mapping[str, str]) -> str:
        """A call of tool ``name`` as the family writes it."""
        keywords = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return self.call % {"name": name, "arguments": keywords if self.python else json.dumps(dict(arguments))}


def _of_turns(begin: str, opens: str, after: str, closes: str, *, reply: str = "assistant", tools: str = _NAMES) -> str:
    """A template in which each message is a turn that names its role, and tools are a system turn before them."""
    return (
        f"{{{{ {begin!r} }}}}{{% if tools %}}{opens}system{after}{tools}{closes}{{% endif %}}"
        f"{{% for message in messages %}}{opens}{{{{ message.role }}}}{after}"
        f"{{{{ message.content }}}}{closes}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{opens}{reply}{after}{{% endif %}}"
    )


def _of_pairs(begin: str, before: str, opens: str, closes: str, reply: str, end: str) -> str:
    """A template without a system turn: the system text stands before the first user text."""
    return (
        f"{{{{ {begin!r} }}}}{{% set told = namespace(text='') %}}{{% for message in messages %}}"
        f"{{% if message.role == 'system' %}}{{% set told.text = message.content + '\\n\\n' %}}"
        f"{{% elif message.role == 'assistant' %}}{reply}{{{{ message.content }}}}{end}"
        f"{{% else %}}{{% if tools and loop.last %}}{before}{{% endif %}}"
        f"{opens}{{{{ told.text }}}}{{{{ message.content }}}}{closes}{{% set told.text = '' %}}{{% endif %}}"
        f"{{% endfor %}}{{% if add_generation_prompt %}}{reply}{{% endif %}}"
    )


FAMILIES: Mapping[Arch, Family] = MappingProxyType(
    {
        "llama": Family(
            template=_of_turns("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>"),
            call='{"name": "%(name)s", "arguments": %(arguments)s}',
            begin="<|begin_of_text|>",
            end="<|eot_id|>",
            marks=("<|start_header_id|>", "<|end_header_id|>"),
        ),
        "qwen3": Family(
            template=_of_turns("", "<|im_start|>", "\n", "<|im_end|>\n", tools=f"<tools>{_NAMES}</tools>"),
            call='<tool_call>\n{"name": "%(name)s", "arguments": %(arguments)s}\n</tool_call>',
            begin=None,
            end="<|im_end|>",
            marks=("<|im_start|>", "<tools>", "</tools>", "<tool_call>", "</tool_call>"),
        ),
        "mistral": Family(
            template=_of_pairs(
                "<s>", f"[AVAILABLE_TOOLS] {_NAMES}[/AVAILABLE_TOOLS]", "[INST] ", "[/INST]", "", "</s>"
            ),
            call='[TOOL_CALLS] [{"name": "%(name)s", "arguments": %(arguments)s}]',
            begin="<s>",
            end="</s>",
            marks=("[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]"),
        ),
        "gemma3": Family(
            template=_of_pairs(
                "<bos>",
                f"<start_of_turn>tools\n{_NAMES}<end_of_turn>\n",
                "<start_of_turn>user\n",
                "<end_of_turn>\n",
                "<start_of_turn>model\n",
                "<end_of_turn>\n",
            ),
            call="[%(name)s(%(arguments)s)]",
            begin="<bos>",
            end="<end_of_turn>",
            marks=("<start_of_turn>",),
            python=True,
        ),
        "cohere2": Family(
            template=_of_turns(
                "<BOS_TOKEN>",
                "<|START_OF_TURN_TOKEN|>",
                "<|ROLE|>",
                "<|END_OF_TURN_TOKEN|>",
                reply="chatbot",
            ),
            call='<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "%(name)s", "parameters": %(arguments)s}]'
            "<|END_ACTION|>",
            begin="<BOS_TOKEN>",
            end="<|END_OF_TURN_TOKEN|>",
            marks=("<|START_OF_TURN_TOKEN|>", "<|ROLE|>", "<|START_ACTION|>", "<|END_ACTION|>"),
        ),
    }
)
"""architecture -> how its family writes."""
