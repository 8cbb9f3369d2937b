"""Replay: an episode run again from the call log, with no call made; it must come out the same."""

from collections.abc import Iterable, Mapping, Sequence

from dilemma.studies.judging import rule_judgements
from dilemma.studies.study import known_study, store_url, waited
from dilemma_kernel.errors import ModelError, StudyError
from dilemma_kernel.ports import ChatModel, Environment
from dilemma_kernel.records import (
    Capabilities,
    ChatReply,
    ChatRequest,
    JsonObject,
    Judgement,
    Record,
    Scenario,
    StudyRecord,
    Trajectory,
)
from dilemma_kernel.semantics.actions import prompted_instructions
from envs import ModelEnvironment, RulesEnvironment, run_episode
from trajectories import Store, StoredCall, open_store

LOOSE = frozenset({"error", "attempt", "versions"})
"""Fields that a replay may write otherwise: what an exception said, which attempt it was, what software ran it."""


LISTED = prompted_instructions(()).strip().splitlines()[-1]
"""Words in the system text of an agent without tools."""


class Replayed(Record):
    """What came of a replay."""

    episode_id: str
    study: str
    equal: bool
    """Whether trajectory and rule judgements came out as stored."""
    differs: tuple[str, ...] = ()
    """Where they did not: paths into the trajectory, or the vocabulary of a judgement."""
    replies: int
    """Replies taken from the log. No call was made."""


class LoggedModel:
    """A model that answers from the call log and makes no call.

    What it supports is read off what it was asked, so that no key and no library of the real one is needed.

    Args:
        name: the name by which it was asked for.
        calls: what it was asked, and what it answered.
    """

    def __init__(self, name: str, calls: Iterable[StoredCall]) -> None:
        self.name = name
        self.identity = name
        self.taken = 0
        """Replies given so far."""
        self.known = 0
        """Replies in the log."""
        self._replies: dict[str, ChatReply] = {}
        asked: list[ChatRequest] = []
        for call in calls:
            self._replies[_place(call.request)] = call.reply
            self.known += 1
            asked.append(call.request)
        self.capabilities = Capabilities(
            tools=all(request.tools or _is_probe(request) for request in asked),
            schema="native" if any(request.reply_schema for request in asked) else "prompted",
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = self._replies.get(_place(request))
        if reply is None:
            raise ModelError(f"the call log of {self.name} holds no reply to this request")
        self.taken += 1
        return reply

    async def aclose(self) -> None:
        """Nothing to release."""


def replay(episodes: Sequence[str], url: str | None) -> tuple[Replayed, ...]:
    """Run stored episodes again from the call log.

    Args:
        episodes: ids, or the start of one each.
        url: the store; None for the settings file's or the default.

    Raises:
        InputError: no such episode, a fork, or an environment that is a caller's own object.
    """
    return waited(_replay(episodes, store_url(url)))


async def _replay(episodes: Sequence[str], url: str) -> tuple[Replayed, ...]:
    async with open_store(url, read_only=True) as store:
        return tuple([await replay_one(store, await store.episode(episode)) for episode in episodes])


async def replay_one(store: Store, stored: Trajectory) -> Replayed:
    """Run one stored episode again. Raises as ``replay``."""
    if stored.origin is not None:
        raise StudyError(f"episode {stored.episode_id} is a fork of {stored.origin}: replay that one")
    study = await known_study(store, stored.study)
    scenario = next(s for s in await store.scenarios(stored.study) if s.scenario_id == stored.scenario_id)
    calls = [call async for call in store.calls(stored.study, case=stored.case) if _belongs(call.request, stored)]
    agent = LoggedModel(stored.cell.agent, [call for call in calls if _role(call) == "agent"])
    world = LoggedModel(stored.cell.environment, [call for call in calls if _role(call) == "environment"])
    made = await _run_again(study, stored, scenario, agent, _environment(stored, world, study))
    judged = await store.judgements_on(stored)
    differs = (*_differences(stored, made), *_judged_otherwise(judged, made, scenario))
    return Replayed(
        episode_id=stored.episode_id,
        study=stored.study,
        equal=not differs,
        differs=differs,
        replies=agent.taken + world.taken,
    )


async def _run_again(
    study: StudyRecord, stored: Trajectory, scenario: Scenario, agent: ChatModel, environment: Environment
) -> Trajectory:
    return await run_episode(
        agent,
        environment,
        scenario,
        stored.cell,
        study=study.name,
        repeat=stored.repeat,
        seed=stored.seed,
        budget=stored.budget,
        end_rule=stored.end_rule,
        sampling=study.sampling,
        history=study.history,
        attempt=stored.attempt,
    )


def _environment(stored: Trajectory, world: LoggedModel, study: StudyRecord) -> Environment:
    if stored.cell.environment == RulesEnvironment.name:
        return RulesEnvironment()
    if not world.known and any(turn.response for turn in stored.turns):
        raise StudyError(
            f"the environment {stored.cell.environment!r} made no call through the log: it is a caller's own object, "
            "and cannot be replayed"
        )
    return ModelEnvironment(world, study.environment_sampling)


def _is_probe(request: ChatRequest) -> bool:
    """Whether this is the probe question to an agent that has tools, which it is not shown yet."""
    told = request.messages[0].content
    return request.context is not None and request.context.turn == 0 and LISTED not in told


def _belongs(request: ChatRequest, stored: Trajectory) -> bool:
    context = request.context
    return context is not None and (context.cell, context.repeat) == (stored.cell.key, stored.repeat)


def _role(call: StoredCall) -> str:
    return call.request.context.role if call.request.context else ""


def _place(request: ChatRequest) -> str:
    """The whole request as JSON: where it belongs, and every word of it."""
    return request.model_dump_json()


def _differences(stored: Trajectory, made: Trajectory) -> tuple[str, ...]:
    """Paths at which two trajectories differ, the first few."""
    before, after = (t.model_dump(mode="json", exclude=set(LOOSE)) for t in (stored, made))
    return tuple(_paths(before, after, ""))[:5]


def _paths(before: object, after: object, where: str) -> Iterable[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _paths(before.get(key), after.get(key), f"{where}.{key}".lstrip("."))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _paths(one, other, f"{where}.{place}")
    elif before != after:
        yield where


def _judged_otherwise(judged: Sequence[Judgement], made: Trajectory, scenario: Scenario) -> tuple[str, ...]:
    stored = {judgement.vocabulary: _said(judgement) for judgement in judged if judgement.maker == "rules"}
    found = {judgement.vocabulary: _said(judgement) for judgement in rule_judgements(made, scenario)}
    return tuple(name for name in found if name in stored and stored[name] != found[name])


def _said(judgement: Judgement) -> JsonObject:
    """The outcome, without the words of an error."""
    return judgement.outcome.model_dump(mode="json", exclude={"error"})
