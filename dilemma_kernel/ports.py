"""The doors between the rooms: Protocols, and nothing that does work."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from dilemma_kernel.records import (
    Attempt,
    Capabilities,
    Cell,
    ChatReply,
    ChatRequest,
    EnvironmentReply,
    Episode,
    Judgement,
    Move,
    Scenario,
    StudyRecord,
    Trajectory,
)


@runtime_checkable
class ChatModel(Protocol):
    """Anything that answers a chat request."""

    @property
    def name(self) -> str:
        """The name by which it was asked for."""
        ...

    @property
    def identity(self) -> str:
        """What shapes its replies beside the request: served model, endpoint. Part of a call's key."""
        ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer. Raises ``ModelError``; never returns a reply that it made up."""
        ...

    async def aclose(self) -> None:
        """Release connections and memory. May be called twice."""
        ...


@runtime_checkable
class Environment(Protocol):
    """The world an agent acts in. No state of its own between episodes. A base class too, for one's own."""

    @property
    def name(self) -> str:
        """The class's, unless a subclass says ``name = "..."`` in its body."""
        return type(self).__name__

    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        """The first observation."""
        ...

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        """Answer ``move``, which is not yet among ``episode.turns``; ``seed`` is this turn's own."""
        ...


class Judge(Protocol):
    """Labels trajectories."""

    @property
    def name(self) -> str: ...

    async def judge(self, trajectory: Trajectory, scenario: Scenario) -> Sequence[Judgement]: ...


class CallLog(Protocol):
    """Replies by key. The checkpoint of every study."""

    async def get(self, key: str) -> ChatReply | None: ...

    async def put(self, key: str, request: ChatRequest, reply: ChatReply, model: str) -> ChatReply:
        """Returns the reply that is stored, once it is committed: an earlier one, where the key has one."""
        ...

    async def lost(self, requests: int) -> None:
        """So many requests were sent and brought no reply. Returns once committed."""
        ...


class TrajectoryStore(Protocol):
    """Studies, trajectories and judgements."""

    async def save_study(self, study: StudyRecord, scenarios: Sequence[Scenario]) -> None: ...

    async def study(self, name: str) -> StudyRecord | None: ...

    async def save(self, trajectory: Trajectory, judgements: Sequence[Judgement]) -> None:
        """Returns once committed. Saving the same episode_id and attempt again changes nothing."""
        ...

    def call_log(self, study: str) -> CallLog:
        """The call log scoped to ``study``."""
        ...


class LineageStore(Protocol):
    """Where attempts are kept. ``put`` twice with the same attempt changes nothing."""

    async def put(self, attempts: Sequence[Attempt]) -> None:
        """Returns once committed. An attempt is known by generation, candidate, stage and round."""
        ...

    async def attempts(self, scenario: str) -> tuple[Attempt, ...]:
        """Every attempt of the candidate that became ``scenario`` (its name or scenario_id), or of the candidate of
        that id, in the order in which they were made; empty where there is none."""
        ...
