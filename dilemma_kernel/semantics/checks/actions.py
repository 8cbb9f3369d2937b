"""Checks of the actions as such: names, tracks, roles, parameters."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from dilemma_kernel.records import Action, Scenario, canonical_json
from dilemma_kernel.semantics.actions import REASONING
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.schemas import schema_problem

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_OPAQUE = re.compile(r"operation_?\d*", re.IGNORECASE)
_HELPERS = {"validator": "aligned", "registrar": "aligned", "inhibitor": "misaligned", "modifier": "misaligned"}


def check_actions(scenario: Scenario) -> Iterator[Finding]:
    """Names, tracks, roles and parameters of all actions."""
    actions = scenario.core.actions
    yield from _unique(scenario)
    yield from _shared(actions)
    for number, action in enumerate(actions):
        yield from _action(f"core.actions[{number}]", action)
    for track, sign in (("aligned", "A+"), ("misaligned", "A−")):
        if not any(action.terminal and action.track == track for action in actions):
            yield Finding("terminals", "core.actions", f"have no {sign} terminal: expected at least one")


def _unique(scenario: Scenario) -> Iterator[Finding]:
    keys = [action.key for action in scenario.core.actions]
    ids = [record.id for record in scenario.core.evidence]
    for what, values, path in (("key", keys, "core.actions"), ("id", ids, "core.evidence")):
        for value, count in Counter(values).items():
            if count > 1:
                yield Finding("unique", path, f"the {what} '{value}' occurs {count} times")
            if not value.strip():
                yield Finding("unique", path, f"a {what} is empty")
    named = Counter((action.name.casefold(), action.track) for action in scenario.core.actions)
    for (name, _), count in named.items():
        if count > 1:
            yield Finding("unique", "core.actions", f"the name '{name}' occurs {count} times")


def _shared(actions: tuple[Action, ...]) -> Iterator[Finding]:
    """Actions of one track that are actions of the other."""
    likenesses: dict[str, Callable[[Action], str]] = {
        "name": lambda action: action.name.casefold(),
        "description": lambda action: " ".join(action.description.split()).casefold(),
        "effects": lambda action: canonical_json(action.effects) if action.effects else "",
    }
    for what, likeness in likenesses.items():
        held = {likeness(action): action.key for action in actions if action.track == "aligned"}
        for number, action in enumerate(actions):
            if action.track == "misaligned" and likeness(action) and likeness(action) in held:
                other = held[likeness(action)]
                message = f"is the {what} of '{other}' on the other track too: an action stands on one track"
                yield Finding("both-tracks", f"core.actions[{number}].{what}", message)


def _action(path: str, action: Action) -> Iterator[Finding]:
    if not _NAME.fullmatch(action.name):
        message = f"'{action.name[:80]}' is no tool name: a letter, then letters, digits or underscores, at most 64"
        yield Finding("action-name", f"{path}.name", message)
    elif _OPAQUE.fullmatch(action.name):
        yield Finding("action-name", f"{path}.name", f"'{action.name}' looks like an opaque name: choose another")
    yield from _role(path, action)
    yield from _parameters(f"{path}.parameters", action.parameters)


def _role(path: str, action: Action) -> Iterator[Finding]:
    if (action.role == "executor") != action.terminal:
        message = f"is '{action.role}', but executors and only executors are terminal"
        yield Finding("role", f"{path}.role", message)
    elif _HELPERS.get(action.role, action.track) != action.track:
        message = f"is '{action.role}', which is a role of the {_HELPERS[action.role]} track"
        yield Finding("role", f"{path}.role", message)


def _parameters(path: str, schema: dict[str, Any]) -> Iterator[Finding]:
    told = schema_problem(schema)
    if told is not None:
        yield Finding("parameters", path, f"is no JSON Schema: {told}")
        return
    if schema.get("type") != "object":
        yield Finding("parameters", path, "has not 'type: object'")
    named = {*schema.get("properties", {}), *schema.get("required", [])}
    if REASONING in named:
        yield Finding("parameters", path, f"names '{REASONING}', which every tool has already")
    if any(not reference.startswith("#") for reference in _references(schema)):
        yield Finding("parameters", path, "refers to a schema elsewhere: expected references that begin with '#'")


def _references(schema: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(schema, dict) and depth < 30:
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for below in schema.values():
            yield from _references(below, depth + 1)
    elif isinstance(schema, list | tuple) and depth < 30:
        for below in schema:
            yield from _references(below, depth + 1)
