"""What an export takes of a study, and what it rewrites on the way."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from dilemma_kernel.records import Cell, JsonObject, Judgement, Trajectory
from trajectories import queries
from trajectories.jsontext import parse


def _as_it_is(kind: str, value: JsonObject) -> JsonObject:
    return value


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Some of a study."""

    episodes: frozenset[str] | None = None
    """Ids that are taken; None for all."""
    rewrite: Callable[[str, JsonObject], JsonObject] = _as_it_is
    """Given ``study``, ``scenario``, ``trajectory``, ``judgement`` or ``timing``, and the JSON of one; gives the JSON
    that is written instead."""

    def takes(self, episode_id: str) -> bool:
        """Whether an episode is taken."""
        return self.episodes is None or episode_id in self.episodes


EVERYTHING = Choice()

AT_A_TIME = 64
"""Rows fetched at a time."""


def chosen(connection: Connection, study: str, choice: Choice) -> Iterator[tuple[Trajectory, tuple[Judgement, ...]]]:
    """The latest attempts that are taken, with what is said of them, in the study's order."""
    for text in connection.execution_options(yield_per=AT_A_TIME).scalars(queries.records_of(study)):
        value = parse(text)
        if not choice.takes(value["episode_id"]):
            continue
        on_it = queries.judgements_on(value["episode_id"], value["attempt"])
        judgements = [choice.rewrite("judgement", parse(said)) for said in connection.scalars(on_it)]
        yield (
            Trajectory.model_validate(choice.rewrite("trajectory", value)),
            tuple(Judgement.model_validate(judgement) for judgement in judgements),
        )


def first_request(connection: Connection, episode_id: str) -> JsonObject | None:
    """The JSON of the first request to an episode's agent; None where the call log has none."""
    text: str | None = connection.scalar(queries.first_asked(episode_id))
    request: JsonObject | None = None if text is None else parse(text)
    return request


def place_of(trajectory: JsonObject) -> tuple[Any, ...]:
    """Case, cell and repeat: where the calls of an episode belong."""
    return trajectory["case"], Cell.model_validate(trajectory["cell"]).key, trajectory["repeat"]
