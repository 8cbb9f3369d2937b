"""Reading 100,000 episodes at once: texts that recur and judgements that say the same are one object each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from dilemma_kernel.records import Judgement, Trajectory
from trajectories import queries
from trajectories.jsontext import loads
from trajectories.reading import trajectory_from
from trajectories.store import Store
from trajectories.views import EpisodeSummary

T = TypeVar("T")

Said = Mapping[tuple[str, str], Judgement]
"""(vocabulary, maker) -> the judgement of the newest version. Without subject and note: equal ones are shared."""

_AT_A_TIME = 2_000


async def each_episode(store: Store, study: str, make: Callable[[EpisodeSummary, Said], T]) -> list[T]:
    """What ``make`` makes of every episode at its latest attempt, by case, cell and repeat.

    Args:
        store: where they are.
        study: its name.
        make: called on the reader's thread, with the columns of an episode and what is said of it.
    """
    return await store.read(lambda connection: list(_each(connection, study, make)))


def newest(judgements: Sequence[Judgement]) -> dict[tuple[str, str], Judgement]:
    """(vocabulary, maker) -> the judgement of the newest version."""
    by_age = sorted(judgements, key=lambda judgement: (len(judgement.version), judgement.version))
    return {(judgement.vocabulary, judgement.maker): judgement for judgement in by_age}


def _each(connection: Connection, study: str, make: Callable[[EpisodeSummary, Said], T]) -> Iterator[T]:
    said = _said(connection, study)
    texts: dict[str, str] = {}
    rows = connection.execution_options(yield_per=_AT_A_TIME).execute(queries.summaries_of(study))
    for row in rows.mappings():
        fields = {
            name: texts.setdefault(value, value) if isinstance(value, str) and name != "episode_id" else value
            for name, value in row.items()
        }
        yield make(EpisodeSummary.model_validate(fields), said.get(row["episode_id"], {}))


def _said(connection: Connection, study: str) -> dict[str, Said]:
    """episode_id -> what is said of it."""
    known: dict[str, Judgement] = {}
    on: dict[str, tuple[Judgement, ...]] = {}
    rows = connection.execution_options(yield_per=_AT_A_TIME).execute(queries.said_in(study))
    for subject, text in rows:
        if text not in known:
            known[text] = loads(Judgement, text)
        on[subject] = (*on.get(subject, ()), known[text])
    alike: dict[tuple[int, ...], Said] = {}
    shared: dict[str, Said] = {}
    for subject, judgements in on.items():
        same = tuple(map(id, judgements))
        if same not in alike:
            alike[same] = newest(judgements)
        shared[subject] = alike[same]
    return shared


async def whole_episodes(store: Store, episodes: Sequence[str]) -> list[tuple[Trajectory, tuple[Judgement, ...]]]:
    """These episodes at their latest attempts with all that is said of them, in this order; unknown ones are left out.

    Args:
        store: where they are.
        episodes: ids, whole.
    """
    return await store.read(lambda connection: list(_whole(connection, episodes)))


def _whole(connection: Connection, episodes: Sequence[str]) -> Iterator[tuple[Trajectory, tuple[Judgement, ...]]]:
    for episode_id in episodes:
        row = connection.execute(queries.latest_attempt(episode_id)).first()
        if row is not None:
            on_it = connection.scalars(queries.judgements_on(episode_id, row.attempt))
            yield trajectory_from(row), tuple(loads(Judgement, text) for text in on_it)
