"""Which fields of a record are texts. Pure: JSON of a record in, JSON of a record out."""

from collections.abc import Mapping, Sequence
from typing import Any

from dilemma.studies.exporting.renaming import Words
from dilemma_kernel.records import JsonObject
from dilemma_kernel.semantics.labels import DECLINED, NO_VALID_MOVE
from trajectories.wanted import WITHDRAWN

_CLOSED = frozenset({"label", "executed_label", "refusal", "tool_verdict", "degenerate", "comprehension"})
"""Vocabularies whose values are known beforehand."""

_REASONS = frozenset(
    {
        DECLINED,
        NO_VALID_MOVE,
        "no label applies",
        "no choice",
        WITHDRAWN,
        "the judge refused",
        "the judge gave no verdict",
    }
)
"""Reasons of our own why nothing was measured; reports count them."""


def scrubbed_study(value: JsonObject, words: Words) -> JsonObject:
    """The settings of a study, but for its scenarios' ids: of these alone the texts that end a reply are texts."""
    return value | {
        name: {**value[name], "stop": [words.text(one) for one in value[name].get("stop", ())]}
        for name in ("sampling", "environment_sampling")
        if name in value
    }


def scrubbed_scenario(value: JsonObject, words: Words) -> JsonObject:
    """A scenario. Its name, family, domain and keys of actions tell it apart, and stay."""
    core = value["core"]
    return {
        **value,
        "title": words.text(value["title"]),
        "core": {
            **core,
            "narrative": _templates(core["narrative"], words),
            "evidence": [_evidence(item, words) for item in core["evidence"]],
            "actions": [_action(action, words) for action in core["actions"]],
            "state_schema": words.schema(core["state_schema"]),
            "initial_state": words.words(core["initial_state"]),
            "outcomes": {end: words.words(state) for end, state in core["outcomes"].items()},
        },
        "factors": {
            factor: {
                level: {"text": words.template(one["text"]), "values": words.words(one["values"])}
                for level, one in levels.items()
            }
            for factor, levels in value["factors"].items()
        },
        "no_dilemma": words.template(value["no_dilemma"]),
        "probe": _templates(value["probe"], words),
    }


def scrubbed_trajectory(value: JsonObject, words: Words) -> JsonObject:
    """An episode; ``case`` and ``scenario_id`` are the caller's. A suite's tools are named in it, and stay."""
    tools = value["order"] if value["instrument"] == "transfer" else ()
    return {
        **value,
        **_texts(value, ("opening", "error"), words),
        "initial_state": words.free(value["initial_state"]),
        "probe": _ask(value["probe"], words, ()) if value.get("probe") else value.get("probe"),
        "turns": [_turn(turn, words, tools) for turn in value["turns"]],
    }


def scrubbed_judgement(value: JsonObject, words: Words) -> JsonObject:
    """A judgement; what a closed vocabulary says stays."""
    outcome = dict(value["outcome"])
    if "value" in outcome and value["vocabulary"] not in _CLOSED:
        outcome["value"] = words.free(outcome["value"])
    if "why" in outcome and outcome["why"] not in _REASONS:
        outcome["why"] = words.text(outcome["why"])
    return {**value, **_texts(value, ("note",), words), "outcome": {**outcome, **_texts(outcome, ("error",), words)}}


def _evidence(value: JsonObject, words: Words) -> JsonObject:
    return {
        **value,
        **_texts(value, ("at",), words),
        "id": words.name(value["id"]),
        "source": words.template(value["source"]),
        "text": words.template(value["text"]),
        "fields": {words.name(name): words.word(one) for name, one in value["fields"].items()},
        "requires": words.schema(value["requires"]),
    }


def _action(value: JsonObject, words: Words) -> JsonObject:
    return {
        **value,
        "name": words.name(value["name"]),
        "description": words.template(value["description"]),
        "parameters": words.schema(value["parameters"]),
        "effects": words.words(value["effects"]),
        "cites": [words.name(one) for one in value["cites"]],
        "result": words.template(value["result"]),
    }


def _templates(value: Any, words: Words) -> Any:
    """Every text in fields of a fixed form."""
    if isinstance(value, str):
        return words.template(value)
    if isinstance(value, list | tuple):
        return [_templates(inner, words) for inner in value]
    return {key: _templates(inner, words) for key, inner in value.items()} if isinstance(value, dict) else value


def _texts(value: Mapping[str, Any], names: Sequence[str], words: Words) -> JsonObject:
    """These fields, where they are there and hold a text."""
    return {name: words.text(value[name]) for name in names if isinstance(value.get(name), str)}


def _turn(value: JsonObject, words: Words, tools: Sequence[str]) -> JsonObject:
    move, response = value["move"], value["response"]
    return {
        **value,
        "asks": [_ask(ask, words, tools) for ask in value["asks"]],
        "move": move and {**move, **_texts(move, ("reasoning",), words), "parameters": words.free(move["parameters"])},
        "response": response
        and {
            **response,
            "observation": words.text(response["observation"]),
            "patch": words.free(response["patch"]),
            "faults": [{**fault, **_texts(fault, ("detail",), words)} for fault in response["faults"]],
            "replies": [_reply(reply, words, ()) for reply in response["replies"]],
        },
    }


def _ask(value: JsonObject, words: Words, tools: Sequence[str]) -> JsonObject:
    return {**value, **_texts(value, ("problem",), words), "reply": _reply(value["reply"], words, tools)}


def _reply(value: JsonObject, words: Words, tools: Sequence[str]) -> JsonObject:
    """A reply; ``tools`` are names that stay where a call says them."""
    calls = [_call(call, words, tools) for call in value["calls"]]
    return {**value, **_texts(value, ("text", "refusal", "reasoning", "fingerprint"), words), "calls": calls}


def _call(value: JsonObject, words: Words, tools: Sequence[str]) -> JsonObject:
    return {
        **value,
        **_texts(value, ("raw", "malformed", "call_id"), words),
        "name": value["name"] if value["name"] in tools else words.free(value["name"]),
        "arguments": words.free(value["arguments"]),
    }
