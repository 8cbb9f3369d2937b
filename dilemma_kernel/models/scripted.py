"""Models that need no model: reference agents, and a function dressed as a model."""

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Protocol

from dilemma_kernel.errors import ModelRejected
from dilemma_kernel.models.instances import instance
from dilemma_kernel.models.prices import FREE, Prices
from dilemma_kernel.records import (
    Action,
    CallContext,
    Capabilities,
    ChatReply,
    ChatRequest,
    ToolCall,
    Track,
    derive_seed,
)


class Presented(Protocol):
    """An action as the agent sees it."""

    @property
    def name(self) -> str: ...

    @property
    def action(self) -> Action: ...


Truth = Callable[[CallContext], tuple[Presented, ...]]
"""The actions as presented in the episode that a call belongs to."""

Policy = Callable[[tuple[Presented, ...], ChatRequest], Presented]
"""Which of the presented actions to take."""


class ScriptedModel:
    """A function dressed as a model, for tests and benchmarks.

    Args:
        fn: takes the request; returns a text or a whole reply, or an awaitable of one. What it raises is raised.
        name: name and identity of the model.
        capabilities: what it says it supports; everything by default.
        prices: what it says its tokens cost.
    """

    def __init__(
        self,
        fn: Callable[[ChatRequest], str | ChatReply | Awaitable[str | ChatReply]],
        *,
        name: str = "scripted/function",
        capabilities: Capabilities | None = None,
        prices: Prices | None = FREE,
    ) -> None:
        self.name = name
        self.identity = name
        self.capabilities = capabilities or Capabilities(schema="native")
        self.prices = prices
        self.calls = 0
        """Requests answered so far."""
        self._fn = fn

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        answer = self._fn(request)
        if inspect.isawaitable(answer):
            answer = await answer
        return ChatReply(text=answer, cost=0.0) if isinstance(answer, str) else answer

    async def aclose(self) -> None:
        """Nothing to release."""


class ScriptedAgent:
    """An agent that follows a policy. It keeps no memory: the turn is in the request's context.

    Args:
        name: such as ``scripted/robust``.
        policy: which action to take.
        truth: the actions as presented in the episode of a call.
    """

    def __init__(self, name: str, policy: Policy, truth: Truth) -> None:
        self.name = name
        self.identity = name
        self.capabilities = Capabilities(schema="native")
        self.prices: Prices | None = FREE
        self.calls = 0
        """Requests answered so far."""
        self._policy = policy
        self._truth = truth

    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.context is None or request.context.role != "agent":
            raise ModelRejected(f"{self.name} plays the agent of an episode and nothing else")
        self.calls += 1
        chosen = self._policy(self._truth(request.context), request)
        return _reply(chosen, request)

    async def aclose(self) -> None:
        """Nothing to release."""


def _reply(chosen: Presented, request: ChatRequest) -> ChatReply:
    """The move in the form that the request asks for: a tool call, else JSON text."""
    parameters = instance(chosen.action.parameters, Random(_seed("parameters", request)))
    reasoning = f"The next step is {chosen.name}."
    if request.tools and request.tool_choice != "none":
        call = ToolCall(name=chosen.name, arguments=parameters, raw=json.dumps(parameters), call_id="call_1")
        return ChatReply(text=reasoning, calls=(call,), finish="tool_calls", cost=0.0)
    move = {"reasoning": reasoning, "action": chosen.name, "parameters": parameters}
    return ChatReply(text=json.dumps(move), cost=0.0)


def _seed(purpose: str, request: ChatRequest) -> int:
    """A seed that differs between cases, cells, repeats, turns, asks and the seeds of requests."""
    where = request.context.model_dump_json() if request.context else ""
    return derive_seed(purpose, where, str(request.seed))


def _of(actions: tuple[Presented, ...], track: Track, *, terminal: bool) -> list[Presented]:
    """The actions of one track, ordered by key so that the order shown does not matter."""
    found = [p for p in actions if p.action.track == track and p.action.terminal == terminal]
    return sorted(found, key=lambda p: p.action.key)


def _helper_of(actions: tuple[Presented, ...], track: Track, turn: int) -> Presented:
    helpers = _of(actions, track, terminal=False)
    if not helpers:
        raise ModelRejected(f"this scripted agent needs a helper on the {track} track, and the case has none")
    return helpers[turn % len(helpers)]


def _turn(request: ChatRequest) -> int:
    """The turn, from 1."""
    return request.context.turn if request.context else 1


def _first_then(helper: Track, terminal: Track) -> Policy:
    """A helper of one track in the first turn, a terminal of another from then on."""

    def policy(actions: tuple[Presented, ...], request: ChatRequest) -> Presented:
        if _turn(request) <= 1:
            return _helper_of(actions, helper, 0)
        return _of(actions, terminal, terminal=True)[0]

    return policy


def _robust(actions: tuple[Presented, ...], request: ChatRequest) -> Presented:
    helpers = _of(actions, "aligned", terminal=False)
    return helpers[0] if helpers and _turn(request) <= 1 else _of(actions, "aligned", terminal=True)[0]


def _direct(actions: tuple[Presented, ...], request: ChatRequest) -> Presented:
    return _of(actions, "misaligned", terminal=True)[0]


def _stalling(actions: tuple[Presented, ...], request: ChatRequest) -> Presented:
    return _helper_of(actions, "aligned", _turn(request))


def _random(actions: tuple[Presented, ...], request: ChatRequest) -> Presented:
    ordered = sorted(actions, key=lambda p: p.action.key)
    return ordered[_seed("action", request) % len(ordered)]


AGENTS: Mapping[str, Policy] = {
    "robust": _robust,
    "direct": _direct,
    "strategic": _first_then("misaligned", "misaligned"),
    "failed": _first_then("misaligned", "aligned"),
    "stalling": _stalling,
    "random": _random,
}
"""The reference agents. Each labels as its name says, under every feedback level, with two turns or more."""
