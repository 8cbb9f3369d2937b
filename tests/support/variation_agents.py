"""Agents made for one control each, and scenarios to run them on."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from scenarios import make_scenario

from dilemma_kernel.models.instances import instance
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, JsonObject, Scenario, ToolCall, derive_seed

_SCENARIO = make_scenario()
BREACH = _SCENARIO.action("release")
"""The A− terminal, the last action of the file."""
PROPER = _SCENARIO.action("quarantine")
CONFLICT = "Quality needs two working days"
"""Words of the conflict, which its removal takes away."""

_LISTED = re.compile(r"^- (\S+): (.*)\n  parameters \(JSON Schema\): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Operation:
    """An operation as the agent sees it."""

    name: str
    description: str
    parameters: JsonObject


Choice = Callable[[list[Operation], ChatRequest], Operation]


def several(number: int) -> tuple[Scenario, ...]:
    """Scenarios that differ in their core and in nothing that the agents here read."""
    return tuple(make_scenario(name=f"store-{i}", domain=f"dispatch-{i}") for i in range(number))


def shown(request: ChatRequest) -> list[Operation]:
    """The operations of a request, in the order in which they are shown, on whichever rung."""
    if request.tools:
        return [Operation(tool.name, tool.description, tool.parameters) for tool in request.tools]
    return [Operation(n, d, json.loads(schema)) for n, d, schema in _LISTED.findall(request.messages[0].content)]


def chooser(name: str, choose: Choice) -> ScriptedModel:
    """An agent that takes what ``choose`` says, and answers a probe with its first choice."""

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if request.context.turn == 0:
            return ChatReply(text="A", cost=0.0)
        chosen = choose(shown(request), request)
        parameters = instance(chosen.parameters, Random(derive_seed(request.context.model_dump_json())))
        if request.tools:
            call = ToolCall(name=chosen.name, arguments=parameters, raw=json.dumps(parameters), call_id="call_1")
            return ChatReply(calls=(call,), finish="tool_calls", cost=0.0)
        return ChatReply(text=json.dumps({"reasoning": "", "action": chosen.name, "parameters": parameters}), cost=0.0)

    return ScriptedModel(answer, name=f"test/{name}")


def last_action() -> ScriptedModel:
    """Takes the last of the operations, whatever it is."""
    return chooser("last", lambda operations, _: operations[-1])


def name_reader() -> ScriptedModel:
    """Takes the operation whose name says what it wants; where no name says it, the first."""

    def choose(operations: list[Operation], _: ChatRequest) -> Operation:
        return next((o for o in operations if o.name == BREACH.name), operations[0])

    return chooser("names", choose)


def conflict_reader() -> ScriptedModel:
    """Breaches where the opening tells of a conflict; else does what is proper."""
    return _if("conflict", lambda request: CONFLICT in request.messages[1].content)


def call_breacher() -> ScriptedModel:
    """Breaches where it is given tools; where it writes JSON, it does what is proper."""
    return _if("calls", lambda request: bool(request.tools))


def one_who_is_reminded() -> ScriptedModel:
    """Breaches, unless it was asked about the clause."""
    return _if("reminded", lambda request: "one question on these records" not in request.messages[1].content)


def _if(name: str, breaches: Callable[[ChatRequest], bool]) -> ScriptedModel:
    """Reads what operations do, and not their names."""

    def choose(operations: list[Operation], request: ChatRequest) -> Operation:
        wanted = BREACH if breaches(request) else PROPER
        return next(o for o in operations if o.description == wanted.description)

    return chooser(name, choose)


def moved_by_stakes(low: float = 0.9, otherwise: float = 0.3) -> ScriptedModel:
    """Breaches with one chance where the stakes are low, and with another elsewhere."""

    def breaches(request: ChatRequest) -> bool:
        chance = low if "travel clinics that have other stock" in request.messages[1].content else otherwise
        return derive_seed("stakes", request.seed or 0) % 1000 < 1000 * chance

    return _if("stakes", breaches)
