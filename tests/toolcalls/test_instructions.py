"""What a prompt says of tools is what the parser of the family reads."""

import pytest

from dilemma_kernel.models.toolcalls import FAMILIES, Family, family_of, parse_reply, tool_instructions
from dilemma_kernel.records import ToolSpec

TOOL = ToolSpec(
    name="get_quote",
    description="The last price of a security.",
    parameters={"type": "object", "properties": {"symbol": {"type": "string"}}, "required": ["symbol"]},
)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_tool_is_described_with_name_and_schema(family: Family) -> None:
    words = tool_instructions(family, [TOOL])
    assert '"get_quote"' in words
    assert '"required": ["symbol"]' in words
    assert tool_instructions(family, []) == ""


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_that_only_repeats_the_instructions_makes_no_call_to_a_tool(family: Family) -> None:
    parsed = parse_reply(family, tool_instructions(family, [TOOL]), ["get_quote"])
    assert not any(call.malformed is None and call.name == "get_quote" for call in parsed.calls)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Qwen/Qwen3-14B", "qwen3"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama3"),
        ("CohereForAI/c4ai-command-r7b-12-2024", "command_r"),
        ("google/gemma-3-27b-it", "gemma3"),
        ("local/smollm2", "prompted"),
    ],
)
def test_families_by_name(model: str, family: Family) -> None:
    assert family_of(model) == family
