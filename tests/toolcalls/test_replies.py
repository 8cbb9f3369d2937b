"""Raw replies of each family, read as the data files say."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from dilemma_kernel.models.toolcalls import FAMILIES, Family, ParsedReply, parse_reply

DATA = Path(__file__).parent / "data"
TOOLS = ("get_quote", "list_accounts", "send_note")
REPLIES: list[tuple[Family, dict[str, Any]]] = [
    (family, entry) for family in FAMILIES for entry in yaml.safe_load((DATA / f"{family}.yaml").read_text("utf-8"))
]
LEAST_REPLIES = 40


def summary(reply: ParsedReply) -> list[Any]:
    return ["malformed" if call.malformed else {call.name: call.arguments} for call in reply.calls]


@pytest.mark.parametrize(
    ("family", "entry"), REPLIES, ids=lambda value: value if isinstance(value, str) else value["case"]
)
def test_a_reply(family: Family, entry: dict[str, Any]) -> None:
    parsed = parse_reply(family, entry["reply"], TOOLS)
    assert summary(parsed) == entry["calls"]
    if "text" in entry:
        assert parsed.text == entry["text"]


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_its_replies(family: Family) -> None:
    cases = [entry["case"] for name, entry in REPLIES if name == family]
    assert len(set(cases)) == len(cases) >= LEAST_REPLIES


@pytest.mark.parametrize(
    ("family", "entry"), REPLIES, ids=lambda value: value if isinstance(value, str) else value["case"]
)
def test_a_malformed_call_keeps_its_text_and_has_no_arguments(family: Family, entry: dict[str, Any]) -> None:
    for call in parse_reply(family, entry["reply"], TOOLS).calls:
        assert (call.arguments is None) is (call.malformed is not None)
        assert call.raw in entry["reply"]
