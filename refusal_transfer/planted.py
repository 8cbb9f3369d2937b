"""``scripted/transfer``: a model whose refusals and calls are planted, so that a report can be held against the truth.

``scripted/transfer?refusal=.75&normal=.5&stress=.65&malformed=.05`` refuses three of four harmful chats, is unsafe in
half of the harmful prompts with tools and in .65 of those under stress, and garbles one call in twenty.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from statistics import NormalDist

from dilemma_kernel.errors import ModelRejected, UnknownModelError
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import CallContext, Capabilities, ChatReply, ChatRequest, ToolCall, Usage, derive_seed
from refusal_transfer.records import ExampleCall, Triple
from refusal_transfer.suite import Suite

TripleTruth = Callable[[CallContext], Triple]
"""The triple that a call belongs to."""
REFUSAL = "I can't help with that. It would be a misuse of the system, and I won't take part in it."
ANSWER = "Here is what you asked for, set out so that you can use it as it stands."
_SEEDS = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """What is planted. Every field is a probability, but ``spread``."""

    refusal: float = 0.75
    """That a harmful chat is refused."""
    normal: float = 0.5
    """That a harmful prompt with tools gets the unsafe call, whatever the chat got."""
    stress: float = 0.65
    """The same under stress."""
    malformed: float = 0.0
    """That a reply with a call has it garbled."""
    gap: float = 0.0
    """That an unsafe call comes with a refusal in words."""
    over: float = 0.0
    """That a benign prompt is refused."""
    redraw: float = 0.0
    """That the tool arm does nothing but draw the chat's own refusal once more."""
    spread: float = 0.0
    """Standard deviation, on the logit scale, by which intents differ in their chat refusal."""


class PlantedTransfer:
    """A model that looks up the triple of each call and does as planted. It keeps nothing between calls.

    Args:
        name: the name it was asked for by; its identity too.
        plant: what is planted.
        truth: the triple that a call belongs to.
    """

    capabilities = Capabilities()

    def __init__(self, name: str, plant: Plant, truth: TripleTruth) -> None:
        self.name = name
        self.identity = name
        self._plant = plant
        self._truth = truth

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer as planted. Draws depend on the request's seed, case and repeat, and on nothing else.

        Raises:
            ModelRejected: the request has no context to look up.
        """
        if request.context is None:
            raise ModelRejected(f"{self.name} needs the context of a call")
        triple = self._truth(request.context)
        draw = _Draws(request)
        words, call = self._with_tools(triple, draw) if request.tools else (self._in_chat(triple, draw), None)
        calls = () if call is None else (_written(call, garbled=draw("malformed") < self._plant.malformed),)
        return ChatReply(
            text=words, calls=calls, finish="tool_calls" if calls else "stop", usage=Usage(), cost=0.0, model=self.name
        )

    async def aclose(self) -> None:
        """Nothing to release."""

    def _in_chat(self, triple: Triple, draw: "_Draws") -> str:
        return REFUSAL if draw(f"chat {draw.wording(triple)}") < self._propensity(triple) else ANSWER

    def _with_tools(self, triple: Triple, draw: "_Draws") -> tuple[str, ExampleCall | None]:
        if not self._complies(triple, draw):
            return REFUSAL, None
        words = REFUSAL if triple.intent.request == "harmful" and draw("gap") < self._plant.gap else ""
        return words, triple.intent.call

    def _complies(self, triple: Triple, draw: "_Draws") -> bool:
        wording = draw.wording(triple)
        if draw("redraw") < self._plant.redraw:
            return draw(f"again {wording}") >= self._propensity(triple)
        if triple.intent.request == "benign":
            return draw(f"benign {wording}") >= self._plant.over
        return draw(f"unsafe {wording}") < (self._plant.stress if wording == "stress" else self._plant.normal)

    def _propensity(self, triple: Triple) -> float:
        """How likely the chat is refused: that of its intent, where intents differ."""
        base = self._plant.refusal if triple.intent.request == "harmful" else self._plant.over
        if not self._plant.spread or not 0 < base < 1:
            return base
        place = (derive_seed("spread", self.name, triple.intent.id) + 0.5) / _SEEDS
        odds = base / (1 - base) * math.exp(self._plant.spread * NormalDist().inv_cdf(place))
        return odds / (1 + odds)


class _Draws:
    """Uniform draws in [0, 1), one a purpose, fixed by the request."""

    def __init__(self, request: ChatRequest) -> None:
        self._text = request.messages[-1].content
        context = request.context
        self._place = (str(request.seed), context.case, str(context.repeat)) if context else ()

    def __call__(self, purpose: str) -> float:
        return derive_seed(*self._place, purpose) / _SEEDS

    def wording(self, triple: Triple) -> str:
        """The mode whose words the user's text are."""
        return next((mode for mode in ("chat", "tool", "stress") if triple.text(mode) == self._text), "chat")


def _written(call: ExampleCall, *, garbled: bool) -> ToolCall:
    raw = json.dumps(call.arguments)
    if garbled:
        return ToolCall(
            name=call.tool, arguments=None, raw=raw[: len(raw) // 2], malformed="the arguments are not JSON"
        )
    return ToolCall(name=call.tool, arguments=call.arguments, raw=raw)


def planted_models(suite: Suite) -> Callable[[str, Mapping[str, str]], ChatModel]:
    """What the registry of models calls for ``scripted/transfer``: takes the full name and the options behind ``?``.

    The function that it returns raises ``UnknownModelError`` for an option that is unknown or no probability.
    """

    def factory(name: str, options: Mapping[str, str]) -> ChatModel:
        return PlantedTransfer(name, plant_of(name, options), lambda context: suite.triple(context.case))

    return factory


def plant_of(name: str, options: Mapping[str, str]) -> Plant:
    """The plant that ``options`` describe.

    Raises:
        UnknownModelError: an option is unknown, or no probability.
    """
    known = [field.name for field in fields(Plant)]
    values: dict[str, float] = {}
    for key, text in options.items():
        if key not in known:
            raise UnknownModelError(f"{name}: {key} is none of {', '.join(known)}")
        try:
            values[key] = float(text)
        except ValueError:
            values[key] = -1.0
        if not 0 <= values[key] <= (10 if key == "spread" else 1):
            raise UnknownModelError(f"{name}: {key} is a number from 0 to {10 if key == 'spread' else 1}, not {text!r}")
    return Plant(**values)
