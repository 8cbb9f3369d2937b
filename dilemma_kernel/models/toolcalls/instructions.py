"""Tools offered in words, to models whose template has no place for them."""

import json
from collections.abc import Sequence

from dilemma_kernel.models.toolcalls.families import Family
from dilemma_kernel.records import ToolSpec

_HOW_JSON = (
    "To use one, answer with a JSON object and nothing else, in this form:\n"
    '{"name": "<name of the tool>", "arguments": {<its arguments>}}\n'
    "For several calls, write one such object a line. If no tool is needed, answer in plain words."
)
_HOW_PYTHON = (
    "To use one, answer with a call in square brackets and nothing else, every argument by name and as a Python "
    "literal:\n"
    "[name_of_the_tool(argument='value', other=1)]\n"
    "For several calls, separate them by commas within the brackets. If no tool is needed, answer in plain words."
)


def tool_instructions(family: Family, tools: Sequence[ToolSpec]) -> str:
    """What a prompt says of ``tools`` and of how to call them; empty where there are none.

    The form asked for is the one that the family's parser reads: Python calls for Gemma 3, JSON for all others.
    """
    if not tools:
        return ""
    described = "\n".join(
        json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
        for tool in tools
    )
    how = _HOW_PYTHON if family == "gemma3" else _HOW_JSON
    return f"These tools are at your disposal, each described by a JSON object:\n{described}\n\n{how}"
