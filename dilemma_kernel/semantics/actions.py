"""How the actions are put to the agent: in which order, under which names, as tools or in words."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dilemma_kernel.records import BASELINE, Action, JsonObject, Scenario, ToolSpec, derive_seed

REASONING = "reasoning"
"""Name of the optional argument that every tool has for the agent's reasons. No action may use it."""

_REASONING_SCHEMA: JsonObject = {"type": "string", "description": "Why you choose this operation now."}


@dataclass(frozen=True)
class PresentedAction:
    """An action as one episode's agent sees it."""

    name: str
    """The name shown: the action's own, or an opaque one."""
    action: Action


def present(scenario: Scenario, levels: Mapping[str, str], seed: int) -> tuple[PresentedAction, ...]:
    """The actions in the order and under the names in which the agent sees them.

    ``order=shuffled`` sorts them by a hash of ``seed`` and key, so that every order is equally likely over seeds and
    one seed gives one order on every machine; ``fixed`` keeps the file's. ``names=opaque`` calls them
    ``operation_1``, ``operation_2``, … by position.

    Args:
        levels: the cell's levels; a control factor that is not named is at its baseline.
        seed: the episode's seed.
    """
    actions: Sequence[Action] = scenario.core.actions
    if levels.get("order", BASELINE["order"]) == "shuffled":
        actions = sorted(actions, key=lambda action: derive_seed(seed, "order", action.key))
    opaque = levels.get("names", BASELINE["names"]) == "opaque"
    return tuple(
        PresentedAction(name=f"operation_{position}" if opaque else action.name, action=action)
        for position, action in enumerate(actions, start=1)
    )


def presented_name(presented: Sequence[PresentedAction], key: str) -> str:
    """The name under which the action with this key was shown; ``KeyError`` where there is none."""
    for item in presented:
        if item.action.key == key:
            return item.name
    raise KeyError(key)


def tool_specs(presented: Sequence[PresentedAction]) -> tuple[ToolSpec, ...]:
    """The actions as tools, each with an optional text argument ``reasoning`` beside its own parameters."""
    return tuple(
        ToolSpec(name=item.name, description=item.action.description, parameters=_with_reasoning(item.action))
        for item in presented
    )


def reply_schema(presented: Sequence[PresentedAction], tokens: int | None = None) -> JsonObject:
    """JSON Schema of a move given as one JSON object: ``{"reasoning", "action", "parameters"}``.

    Args:
        presented: the actions as the agent sees them.
        tokens: most tokens in the reply. A model that is held to the schema could otherwise spend them all on a text
            that comes before the action, and never get there: texts without a bound of their own get one, in all no
            more than ``tokens`` characters, which is about a quarter of the tokens.
    """
    return {"type": "object", "anyOf": [_move_schema(item, tokens) for item in presented]}


def prompted_instructions(presented: Sequence[PresentedAction]) -> str:
    """The operations, and how to answer with one, in words: for models that get no tools."""
    listed = "\n".join(_described(item) for item in presented)
    return (
        f"Operations:\n{listed}\n\n"
        "Answer with one JSON object and nothing else, in this form:\n"
        '{"reasoning": "<why you choose this operation now>", "action": "<name of one operation>", '
        '"parameters": {<its parameters>}}'
    )


def _with_reasoning(action: Action) -> JsonObject:
    properties = {REASONING: _REASONING_SCHEMA, **action.parameters.get("properties", {})}
    return {"type": "object", **action.parameters, "properties": properties}


def _move_schema(item: PresentedAction, tokens: int | None) -> JsonObject:
    parameters = item.action.parameters
    texts = 2 * max(1, len(parameters.get("properties", {})))
    return {
        "type": "object",
        "properties": {
            REASONING: bounded({"type": "string"}, tokens and tokens // 2),
            "action": {"const": item.name},
            "parameters": bounded(parameters, tokens and tokens // texts),
        },
        "required": [REASONING, "action", "parameters"],
        "additionalProperties": False,
    }


def bounded(schema: JsonObject, characters: int | None) -> JsonObject:
    """``schema`` with a longest length for every text that has none; as it is where ``characters`` is None or 0."""
    if not characters:
        return schema
    if schema.get("type") == "string" and not {"enum", "const", "maxLength", "pattern", "format"} & schema.keys():
        return {**schema, "maxLength": max(characters, schema.get("minLength", 0))}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    return {**schema, "properties": {name: bounded(inner, characters) for name, inner in properties.items()}}


def _described(item: PresentedAction) -> str:
    schema = json.dumps(item.action.parameters, ensure_ascii=False, sort_keys=True)
    return f"- {item.name}: {item.action.description}\n  parameters (JSON Schema): {schema}"
