"""Scenarios as YAML that a person reads: block style, the records' order, blocks for long text."""

from typing import Any

import yaml

from dilemma_kernel.records import Scenario

_WIDTH = 100
_LONG = 70
"""Characters beyond which a text gets a block of its own."""


class _Dumper(yaml.SafeDumper):
    """Indents lists, and lays long text in blocks."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Lists are indented below their key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Every value is written out."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if not text.replace("\n", "").isprintable():
        style = '"'
    elif text == text.strip():
        style = "|" if "\n" in text else ">" if len(text) > _LONG else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dump_yaml(value: Any, comments: tuple[str, ...] = ()) -> str:
    """``value`` as block YAML in the order of its keys, under ``comments``, a line each."""
    head = "".join(f"# {line}\n" for line in comments)
    body = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=False)
    return head + body


def dump_scenario(scenario: Scenario, comments: tuple[str, ...] = ()) -> str:
    """YAML that loads as an equal scenario.

    Args:
        scenario: what to write. Fields that hold their default are left out.
        comments: lines for the head of the file, without ``#``; a pack's canary goes here.
    """
    return dump_yaml({"format": scenario.format} | scenario.model_dump(mode="json", exclude_defaults=True), comments)
