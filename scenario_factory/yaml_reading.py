"""YAML as scenarios use it: the JSON types, no surprises, and errors that name the place.

Narrower than YAML 1.1: ``yes``, ``no``, ``on``, ``off``, dates and ``10:30`` stay text; keys are
text and stand once; anchors, aliases and tags of other types are errors; size and depth are bounded.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar, get_args

import yaml
from pydantic import ValidationError
from yaml.constructor import ConstructorError, SafeConstructor

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Record

try:
    from yaml import CSafeLoader as _SafeLoader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

MAX_BYTES = 512 * 1024
"""Largest file that is read. A scenario takes about 15 KB."""
MAX_DEPTH = 40
"""Deepest nesting of mappings and lists."""

R = TypeVar("R", bound=Record)
_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "null": (r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
    "bool": (r"(?:true|True|TRUE|false|False|FALSE)", list("tTfF")),
    "int": (r"[-+]?(?:0|[1-9][0-9]{0,17})", list("-+0123456789")),
    "float": (r"[-+]?[0-9]{1,18}\.[0-9]{0,40}(?:[eE][-+]?[0-9]{1,3})?", list("-+0123456789")),
}
_LONGEST_QUOTE = 60


class _Loader(_SafeLoader):
    """Safe loader of JSON types only, with unique text keys."""

    yaml_implicit_resolvers: dict[str, Any] = {}
    yaml_constructors = {
        tag: make
        for tag, make in SafeConstructor.yaml_constructors.items()
        if tag is None or tag.removeprefix(_TAG) in {"null", "bool", "int", "float", "str", "seq", "map"}
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """As the base does, once every key is text and new."""
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if key.tag != f"{_TAG}str":
                raise ConstructorError(problem="expected a text key (put it in quotes)", problem_mark=key.start_mark)
            if key.value in seen:
                problem = f"expected each key once, found {quoted(key.value)} again"
                raise ConstructorError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


for _name, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(f"^{_pattern}$"), _first)


def quoted(value: Any) -> str:
    """``value`` as short JSON on one line, safe to print."""
    text = json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def parse_yaml(raw: bytes, where: str) -> Any:
    """The value that a YAML text of one document holds.

    Args:
        raw: UTF-8, with or without a byte order mark.
        where: the file's name, for errors.

    Raises:
        ScenarioError: one line, with the number of the line where the text breaks.
    """
    if len(raw) > MAX_BYTES:
        raise ScenarioError(f"{where}: expected at most {MAX_BYTES:,} bytes, found {len(raw):,}")
    try:
        text = raw.decode("utf-8-sig")
        _bound(text)
        return yaml.load(text, Loader=_Loader)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ScenarioError(f"{where}: line {line}: expected text in UTF-8") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{where}: {_yaml_problem(error)}") from None


def _bound(text: str) -> None:
    """Refuse aliases, tags and deep nesting before anything recurses or multiplies."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        place: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise ConstructorError(problem="expected the value itself, found an alias", problem_mark=place)
        if getattr(event, "tag", None) is not None:
            raise ConstructorError(problem="expected a value without a tag", problem_mark=place)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ConstructorError(problem=f"expected at most {MAX_DEPTH} levels of nesting", problem_mark=place)


def _yaml_problem(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
    problem = problem if problem.startswith("expected ") else f"expected YAML: {problem}"
    place = f"line {mark.line + 1}" if mark else f"character {getattr(error, 'position', 0)}"
    return " ".join(f"{place}: {problem}".split())


def read_record(kind: type[R], value: Any, where: str) -> R:
    """``value`` as a record of ``kind``.

    Raises:
        ScenarioError: ``FILE: path.in.file: expected …`` for the first thing that is wrong,
            with the number of the others.
    """
    if not isinstance(value, dict):
        raise ScenarioError(f"{where}: expected a mapping with {_keys(kind)}, found {quoted(value)}")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        problems = list(dict.fromkeys(_record_problem(kind, value, e) for e in error.errors(include_url=False)))
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise ScenarioError(f"{where}: {problems[0]}{more}") from None


def _record_problem(kind: type[Record], value: Any, error: Any) -> str:
    loc, found, is_union = _resolve(value, error["loc"])
    path = _path(loc) or "the whole file"
    match error["type"]:
        case "missing":
            return f"{_path(error['loc'])}: expected a value, found nothing"
        case "extra_forbidden":
            return f"{path}: expected no such key, but one of {_keys(_record_at(kind, loc[:-1]))}"
        case "value_error":
            return f"{path}: expected otherwise: {error['ctx']['error']}"
    if is_union:
        return f"{path}: expected text, a number, true, false or null, found {quoted(found)}"
    message = error["msg"].replace("Input should be", "expected").replace("String should", "expected text to")
    for theirs, ours in {
        "a valid tuple": "a list",
        "a valid dictionary": "a mapping",
        "a valid string": "text",
    }.items():
        message = message.replace(theirs, ours)
    message = re.sub(r"a valid dictionary or instance of \w+|a mapping or instance of \w+", "a mapping", message)
    return f"{path}: {message}, found {quoted(found)}"


def _resolve(value: Any, loc: Sequence[str | int]) -> tuple[Sequence[str | int], Any, bool]:
    """The part of ``loc`` that lies in the file, what stands there, and whether more followed."""
    for depth, part in enumerate(loc):
        inside = (isinstance(value, dict) and part in value) or (
            isinstance(value, list) and isinstance(part, int) and part < len(value)
        )
        if not inside:
            return loc[:depth], value, True
        value = value[part]
    return loc, value, False


def _path(loc: Sequence[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")


def _keys(kind: type[Record]) -> str:
    return ", ".join(kind.model_fields)


def _record_at(kind: type[Record], loc: Sequence[str | int]) -> type[Record]:
    """The record class that describes the place ``loc`` below ``kind``."""
    for part in loc:
        field = kind.model_fields.get(str(part))
        kind = (_record_within(field.annotation) if field else None) or kind
    return kind


def _record_within(annotation: Any) -> type[Record] | None:
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation if issubclass(annotation, Record) else None
    return next((found for found in map(_record_within, get_args(annotation)) if found), None)
