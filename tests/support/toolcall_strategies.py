"""Replies that no model would write, and some that one might: the pieces of all families, mangled by a seed."""

import random
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).parents[1] / "toolcalls" / "data"
TOOLS = ("get_quote", "list_accounts", "send_note")
PIECES = (
    '{"name": "get_quote", "arguments": {"symbol": "A"}}',
    '{"name": "list_accounts", "parameters": {}}',
    '[{"tool_name": "send_note", "parameters": {"to": "x"}}]',
    '[get_quote(symbol="A")]',
    "<tool_call>",
    "</tool_call>",
    "<think>",
    "</think>",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    "<|START_THINKING|>",
    "<|END_THINKING|>",
    "```tool_code\n",
    "```json\n",
    "```\n",
    '"name": "get_quote"',
    "__import__('os').system('false')",
    "\\u0000",
    "\x00",
    "\ud800",
    "\ue000",
    "␛",
    "{" * 40,
    "[" * 40,
    "(" * 40,
    "- " * 20,
    "1e999",
    "NaN",
    "9" * 5000,
    " \n\t",
    "\u202e",
    "'''",
    '"',
    "'",
    "\\",
    "# ",
    "> ",
    "`",
)


def written_replies() -> list[str]:
    """Every reply in the data files."""
    files = sorted(DATA.glob("*.yaml"))
    return [entry["reply"] for file in files for entry in yaml.safe_load(file.read_text("utf-8"))]


def mangled(seed: int, written: list[str]) -> str:
    """One reply, made from written ones and loose pieces: cut, doubled, spliced, with characters swapped."""
    rng = random.Random(seed)
    parts: list[Any] = [rng.choice(written)]
    for _ in range(rng.randrange(4)):
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(rng.choice((written, PIECES))))
    text = "".join(parts)
    for _ in range(rng.randrange(6)):
        at = rng.randrange(len(text) + 1)
        other = rng.randrange(len(text) + 1)
        text = rng.choice(
            (
                text[:at],
                text[at:],
                text[:at] + rng.choice(PIECES) + text[at:],
                text[:at] + text[at + 1 :],
                text[:at] + text[min(at, other) : max(at, other)] + text[at:],
                text.replace('"', "'", 1),
                text.replace("}", "", 1),
            )
        )
    return text
