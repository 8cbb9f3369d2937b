"""Calls that a family's own template writes parse back to themselves."""

import json
import warnings
from typing import Any

import pytest
from real_templates import LLAMA31, render, renderers, template

from dilemma_kernel.models.toolcalls import Family, parse_reply
from refusal_transfer import load_suite

SUITE = load_suite()
Call = tuple[str, dict[str, Any]]
CALLS: list[list[Call]] = [
    [(intent.call.tool, intent.call.arguments)] for intent in SUITE.intents if intent.scenario == "direct"
] + [
    [("list_accounts", {})],
    [("send_note", {"text": 'he said "go"\nnow', "to": {"desk": ["a", 1, 2.5, None, True]}}), ("list_accounts", {})],
    [("send_note", {"text": "Grüße, 株, <b>&amp;</b> </b>"})],
]
TOOLS = [name for calls in CALLS for name, _ in calls]
WAY = "python tests/support/real_templates.py fetches it"


def messages(calls: list[Call], content: str = "") -> list[dict[str, Any]]:
    made = [
        {"type": "function", "id": f"{i:09d}", "function": {"name": n, "arguments": a}}
        for i, (n, a) in enumerate(calls)
    ]
    return [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": content, "tool_calls": made}]


def back(family: Family, reply: str) -> list[Call]:
    parsed = parse_reply(family, reply, TOOLS)
    assert parsed.text == ""
    assert [call.malformed for call in parsed.calls] == [None] * len(parsed.calls)
    return [(str(call.name), call.arguments or {}) for call in parsed.calls]


def wanted(family: str) -> str:
    source = template(family)
    if source is None:
        pytest.skip(f"the template of {family} is not here; {WAY}")
    return source


def test_qwen3() -> None:
    source = wanted("qwen3")
    for calls in CALLS:
        text = render(source, messages=messages(calls))
        assert back("qwen3", text.rpartition("<|im_start|>assistant\n")[2]) == calls


def test_gemma3() -> None:
    source = wanted("gemma3")
    for calls in CALLS:
        written = "[" + ", ".join(f"{n}({', '.join(f'{k}={v!r}' for k, v in a.items())})" for n, a in calls) + "]"
        text = render(source, messages=messages(calls, written))
        assert back("gemma3", text.rpartition("<start_of_turn>model\n")[2]) == calls


def test_command_r_of_the_older_form() -> None:
    source = wanted("command_r_plus")
    for calls in CALLS:
        flat = json.dumps([{"tool_name": n, "parameters": a} for n, a in calls], indent=4, ensure_ascii=False)
        text = render(source, messages=messages(calls, f"Action: ```json\n{flat}\n```"), tools=[])
        said = text.split("<|CHATBOT_TOKEN|>")[1].partition("<|START_OF_TURN_TOKEN|>")[0]
        assert back("command_r", said) == calls


def test_llama_of_its_form() -> None:
    for calls in CALLS:
        text = render(LLAMA31, messages=messages(calls))
        assert back("llama3", text.rpartition("<|end_header_id|>\n\n")[2]) == calls


def test_command_r7b() -> None:
    if not renderers():
        pytest.skip(f"Cohere's renderer is not here; {WAY}")
    melody = pytest.importorskip("cohere_melody")
    for calls in CALLS:
        made = [{"id": str(i), "name": n, "parameters": json.dumps(a)} for i, (n, a) in enumerate(calls)]
        chat = [
            {"role": "user", "content": [{"type": "text", "text": "Hello."}]},
            {"role": "chatbot", "content": [], "tool_calls": made},
        ]
        text = melody.render_cmd3({"messages": chat})
        assert back("command_r", text.split("<|CHATBOT_TOKEN|>")[1].partition("<|START_OF_TURN_TOKEN|>")[0]) == calls


def test_mistral_v3() -> None:
    if not renderers():
        pytest.skip(f"Mistral's tokenizer is not here; {WAY}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mistral_common")
        from mistral_common.protocol.instruct.messages import AssistantMessage, ToolMessage, UserMessage  # noqa: PLC0415
        from mistral_common.protocol.instruct.request import ChatCompletionRequest  # noqa: PLC0415
        from mistral_common.protocol.instruct.tool_calls import FunctionCall, ToolCall  # noqa: PLC0415
        from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # noqa: PLC0415

        tokenizer = MistralTokenizer.v3()
        for calls in CALLS:
            made = [
                ToolCall(id=f"{i:09d}", function=FunctionCall(name=n, arguments=json.dumps(a)))
                for i, (n, a) in enumerate(calls)
            ]
            results = [ToolMessage(content="done", tool_call_id=one.id) for one in made]
            chat = [UserMessage(content="Hello."), AssistantMessage(content=None, tool_calls=made), *results]
            text = tokenizer.encode_chat_completion(ChatCompletionRequest(messages=chat, model="m")).text
            said = text.replace("▁", " ").replace("<0x0A>", "\n").partition("[/INST]")[2].partition("[TOOL_RESULTS]")[0]
            assert back("mistral", said) == calls
            assert back("mistral", said.replace("[TOOL_CALLS]", "").replace("</s>", "")) == calls
