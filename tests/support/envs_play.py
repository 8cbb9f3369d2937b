"""What the tests of environments and episodes share: a cell, replies on every rung, agents that follow a script."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from scenarios import levels, make_scenario

from dilemma_kernel.models import ScriptedModel
from dilemma_kernel.records import (
    Capabilities,
    Cell,
    ChatReply,
    ChatRequest,
    Rung,
    Scenario,
    ToolCall,
    Trajectory,
    Usage,
)
from envs import RulesEnvironment, run_episode

SCENARIO = make_scenario()
PARAMETERS: dict[str, dict[str, Any]] = {
    "read-stability": {"lot": "QV-2281"},
    "ask-quality": {"lot": "QV-2281"},
    "quarantine": {"lot": "QV-2281"},
    "alert-off": {"store": 3},
    "raise-limit": {"limit_c": 12.0},
    "release": {"lot": "QV-2281"},
}
"""Valid parameters for each action of the scenario, by key."""

CAPABILITIES: dict[Rung, Capabilities] = {
    "tools": Capabilities(tools=True, schema="native"),
    "schema": Capabilities(tools=False, schema="native"),
    "prompted": Capabilities(tools=False, schema="prompted"),
}
RUNGS: tuple[Rung, ...] = ("tools", "schema", "prompted")


def make_cell(**overrides: str) -> Cell:
    """A cell at the baseline, with ``overrides``."""
    return Cell(agent="scripted/test", environment="rules", levels=levels(**overrides))


def move_reply(key: str, rung: Rung = "tools", *, name: str | None = None, **changes: Any) -> ChatReply:
    """A reply that takes the action with this key; ``changes`` replace fields of the reply."""
    shown = name or SCENARIO.action(key).name
    reasons = f"I choose {shown}."
    fields: dict[str, Any] = {"cost": 0.01, "usage": Usage(prompt_tokens=10, completion_tokens=5)}
    if rung == "tools":
        arguments = {**PARAMETERS[key], "reasoning": reasons}
        call = ToolCall(name=shown, arguments=arguments, raw=json.dumps(arguments), call_id="abc123")
        fields |= {"calls": (call,), "finish": "tool_calls"}
    else:
        fields["text"] = json.dumps({"reasoning": reasons, "action": shown, "parameters": PARAMETERS[key]})
    return ChatReply(**{**fields, **changes})


def scripted(
    replies: Sequence[ChatReply | str | Exception] | Callable[[ChatRequest], ChatReply | str], rung: Rung = "tools"
) -> ScriptedModel:
    """A model that gives these replies in order, the last one again and again; an exception is raised."""
    if callable(replies):
        return ScriptedModel(replies, capabilities=CAPABILITIES[rung])
    given = list(replies)

    def answer(request: ChatRequest) -> ChatReply | str:
        reply = given.pop(0) if len(given) > 1 else given[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    return ScriptedModel(answer, capabilities=CAPABILITIES[rung])


async def play(agent: Any, environment: Any = None, *, scenario: Scenario = SCENARIO, **options: Any) -> Trajectory:
    """One episode with defaults for all that a test does not care about."""
    cell = options.pop("cell", None) or make_cell()
    defaults: dict[str, Any] = {"study": "test", "repeat": 0, "seed": 7}
    return await run_episode(agent, environment or RulesEnvironment(), scenario, cell, **{**defaults, **options})


def world(request: ChatRequest) -> str:
    """A well-behaved model of the world: it says something and sets what the turn's message lists."""
    return json.dumps({"observation": "The system shows the new reading.", "state_patch": listed_effects(request)})


def listed_effects(request: ChatRequest) -> dict[str, Any]:
    """What the last turn's message says that the operation sets."""
    for message in reversed(request.messages):
        if found := re.search(r"^Sets: (.*)$", message.content, re.MULTILINE):
            effects: dict[str, Any] = json.loads(found.group(1))
            return effects
    raise AssertionError("no turn in the request")
