"""An environment that a model plays, held to the scenario's own effects."""

from collections.abc import Sequence
from typing import Final, TypeVar

from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import (
    CallContext,
    Cell,
    ChatReply,
    ChatRequest,
    EnvironmentReply,
    Episode,
    Fault,
    Message,
    Move,
    Sampling,
    Scenario,
    derive_seed,
)
from dilemma_kernel.semantics.render import opening
from envs.rules import rules_reply, shown_names
from envs.world_history import History, Telling, question, told
from envs.world_prompt import world_reply_schema, world_system
from envs.world_reply import Unusable, read_world_reply

EXCERPT_CHARS: Final = 2_000
"""Most characters of an unusable reply that the model is shown again."""

KEPT_TEXTS: Final = 512
"""Most system texts, and most histories, kept at hand. They only save work: each is a function of the episode."""

_Kept = TypeVar("_Kept")

_DEFAULT_SAMPLING: Final = Sampling(temperature=0.7)


class ModelEnvironment:
    """The world as a model plays it. All that it needs is in the episode; what it remembers only saves work.

    The model is given the ground truth (what each operation does, what it meets, the state and its schema), the whole
    history and the move. Where it can be held to a JSON Schema, the schema leaves its patch no room to contradict the
    declared effects; either way the patch is checked against them and the state schema. A reply that cannot
    be used is a fault: it is asked for once more with the reason, and then replaced by the rules' own answer. Every
    such reply is one fault, so a turn has two at most. The opening is the scenario's own, word for word.

    Args:
        model: plays the world.
        sampling: how its replies are drawn.
        adversarial: whether in-world pressure rises while the agent stalls; it also does in every cell whose factor
            ``adversarial`` is on.
    """

    version = "1"
    """Raised whenever a prompt or a check changes."""

    def __init__(self, model: ChatModel, sampling: Sampling = _DEFAULT_SAMPLING, adversarial: bool = False) -> None:
        self._model = model
        self._sampling = sampling
        self._adversarial = adversarial
        self._systems: dict[tuple[str, ...], Message] = {}
        self._histories: dict[tuple[str, ...], History] = {}

    @property
    def name(self) -> str:
        """The model's name, and whether it presses."""
        return f"{self._model.name}+adversarial" if self._adversarial else self._model.name

    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        """The scenario's opening at the cell's levels. The model is not asked."""
        return opening(scenario, cell.levels)

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        """The model's answer where it can be used, else the rules'; raw replies and faults beside it.

        Raises:
            ModelError: the model gave no reply.
        """
        messages = self._messages(episode, move)
        replies: list[ChatReply] = []
        unusable: list[Unusable] = []
        for ask in range(2):
            reply = await self._model.complete(self._request(episode, move, messages, seed, ask))
            replies.append(reply)
            read = read_world_reply(reply, episode, move)
            if isinstance(read, EnvironmentReply):
                return _with(read, replies, unusable, repaired=True)
            unusable.append(read)
            messages = (*messages, *_asked_again(reply, read))
        return _with(rules_reply(episode, move), replies, unusable, repaired=False)

    def _messages(self, episode: Episode, move: Move) -> tuple[Message, ...]:
        """System text, earlier turns and the move. What was told before is taken from memory where it is the same."""
        names = shown_names(episode)
        cell, scenario = episode.cell, episode.scenario
        presses = self._adversarial or cell.levels.get("adversarial") == "on"
        telling = Telling(scenario=scenario, cell=cell, names=names, adversarial=presses)
        place = (scenario.scenario_id, cell.key, str(episode.repeat), str(episode.seed))
        history = self._histories.get(place)
        if history is None or not history.begins(episode):
            history = History(state=scenario.core.initial_state)
        history = told(history, telling, episode)
        _keep(self._histories, place, history)
        return (self._system(telling), *history.messages, question(history, telling, move))

    def _system(self, telling: Telling) -> Message:
        key = (telling.scenario.scenario_id, telling.cell.key, *telling.names.values())
        if key not in self._systems:
            text = world_system(telling.scenario, telling.cell.levels, telling.names, telling.adversarial)
            _keep(self._systems, key, Message(role="system", content=text))
        return self._systems[key]

    def _request(self, episode: Episode, move: Move, messages: tuple[Message, ...], seed: int, ask: int) -> ChatRequest:
        context = CallContext(
            case=episode.scenario.core_id,
            cell=episode.cell.key,
            repeat=episode.repeat,
            turn=len(episode.turns) + 1,
            role="environment",
            ask=ask,
        )
        native = self._model.capabilities.schema_ == "native"
        return ChatRequest(
            messages=messages,
            reply_schema=world_reply_schema(episode, move, self._sampling.max_tokens) if native else None,
            sampling=self._sampling,
            seed=derive_seed(seed, "ask", ask),
            context=context,
        )


def _keep(memory: dict[tuple[str, ...], _Kept], key: tuple[str, ...], value: _Kept) -> None:
    """Puts ``value`` last, and forgets the one that was put longest ago when there are too many."""
    memory.pop(key, None)
    memory[key] = value
    if len(memory) > KEPT_TEXTS:
        del memory[next(iter(memory))]


def _with(
    answer: EnvironmentReply, replies: Sequence[ChatReply], unusable: Sequence[Unusable], *, repaired: bool
) -> EnvironmentReply:
    faults = tuple(
        Fault(kind=item.kind, detail=item.detail, mended="repaired" if repaired else "replaced") for item in unusable
    )
    return answer.model_copy(update={"faults": faults, "replies": tuple(replies)})


def _asked_again(reply: ChatReply, why: Unusable) -> tuple[Message, ...]:
    said = (reply.text or reply.refusal or "")[:EXCERPT_CHARS]
    reason = f"That reply cannot be used: {why.detail}. Send the whole JSON object again, corrected."
    return (
        Message(role="assistant", content=said if said.strip() else "(an empty reply)"),
        Message(role="user", content=reason),
    )
