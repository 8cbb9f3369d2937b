"""Wording that all domains share, and the filling of ``<name>`` in it.

``<name>`` is filled while a scenario is composed; ``{name}`` stays, a slot that a factor level fills later.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from dilemma_kernel.errors import ScenarioError
from scenario_factory.yaml_reading import parse_yaml

_MARK = re.compile(r"<([A-Za-z][a-z0-9_]*)>")
_ARTICLE = re.compile(r"(?<![\w-])(a|^A|(?<=[.:] )A) (?=[aeio])")


@cache
def phrases() -> Mapping[str, Any]:
    """The phrase book. Never changed."""
    raw = (files("scenario_factory.composer") / "phrases.yaml").read_bytes()
    book: Mapping[str, Any] = parse_yaml(raw, "phrases.yaml")
    return book


def wording(path: str) -> tuple[str, ...]:
    """The alternatives at a dotted path of the phrase book, such as ``trigger.release``."""
    place: Any = phrases()
    for part in path.split("."):
        place = place[part]
    return tuple(place)


def written(template: str, marks: Mapping[str, str]) -> str:
    """``template`` with every ``<name>`` filled, marks within marks as well; ``<Name>`` begins with a capital.

    Raises:
        ScenarioError: a mark that nothing fills, or marks that fill each other without end.
    """
    text = template
    for _ in range(6):
        if "<" not in text:
            break
        text = _MARK.sub(lambda match: _fill(match.group(1), marks, template), text)
    else:
        raise ScenarioError(f"marks without end in {template[:60]!r}")
    return _ARTICLE.sub(r"\1n ", " ".join(text.split()))


def _fill(name: str, marks: Mapping[str, str], template: str) -> str:
    lower = name[0].lower() + name[1:]
    if lower not in marks:
        raise ScenarioError(f"nothing fills the mark <{name}> in {template[:60]!r}")
    value = marks[lower]
    return capital(value) if name[0].isupper() else value


def capital(text: str) -> str:
    """``text`` with its first letter a capital; of a mark, the mark's."""
    at = 1 if text.startswith("<") else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]
