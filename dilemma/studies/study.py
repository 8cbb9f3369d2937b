"""A stored study, and what can be read of it."""

import asyncio
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from dilemma.settings import read_settings
from dilemma.studies.plan import DEFAULT_STORE
from dilemma.studies.report import Report, build_report
from dilemma.studies.rows import EpisodeRow
from dilemma_kernel.errors import StudyError
from dilemma_kernel.records import Judgement, Scenario, StudyRecord, Trajectory, Unmeasured
from trajectories import EpisodeSummary, Store, StudySummary, open_store
from trajectories.bulk import each_episode

T = TypeVar("T")


class Study:
    """A study in a store. Reading it needs no event loop, and does no harm inside one."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.url = url

    def report(self, *, sheet_from: str | None = None, published: bool = False) -> Report:
        """The report over the episodes stored by now; forks are left out.

        Args:
            sheet_from: another study of the store, whose sheet of people's labels corrects judges here.
            published: lay the published cells beside.
        """
        return waited(_report(self.name, self.url, sheet_from, published))

    def crashed(self) -> int:
        """Episodes that crashed, whether or not their label was fixed before; those of controls among them."""
        return waited(_crashed(self.name, self.url))

    def trajectories(self) -> Iterator[Trajectory]:
        """The latest attempt of every episode, in the order of case, cell and repeat."""
        return iter(waited(_trajectories(self.name, self.url)))


@dataclass(frozen=True, kw_only=True)
class StoredEpisode:
    """An episode with all that is known of it."""

    trajectory: Trajectory
    scenario: Scenario | None
    """None for an arm of refusal transfer, which has none."""
    judgements: tuple[Judgement, ...]


def store_url(url: str | None) -> str:
    """The store to use: the one named, the settings file's, or the default."""
    return url or read_settings().store or DEFAULT_STORE


def open_study(name: str, url: str | None) -> Study:
    """The study of this name. Raises ``StudyError`` where the store has none."""
    where = store_url(url)
    waited(_record_of(name, where))
    return Study(name, where)


def instrument_of(study: Study) -> str:
    """Which instrument a study belongs to."""
    return waited(_record_of(study.name, study.url)).instrument


def list_studies(url: str | None) -> Sequence[StudySummary]:
    """Every study of a store. Raises ``StoreError`` where it cannot be read."""
    return waited(_studies(store_url(url)))


def read_episode(episode: str, url: str | None) -> StoredEpisode:
    """The episode whose id starts with ``episode``.

    Raises:
        StudyError: none does, or several do.
    """
    return waited(_episode(episode, store_url(url)))


async def _record_of(name: str, url: str) -> StudyRecord:
    async with open_store(url, read_only=True) as store:
        return await known_study(store, name)


async def known_study(store: Store, name: str) -> StudyRecord:
    """The record of a study. Raises ``StudyError`` where the store has none."""
    record = await store.study(name)
    if record is None:
        names = [summary.name for summary in await store.studies()]
        there = f"it has {', '.join(names[:10])}" if names else "it has none yet"
        raise StudyError(f"no study {name!r} in this store; {there}")
    return record


async def _report(name: str, url: str, sheet_from: str | None, published: bool) -> Report:
    async with open_store(url, read_only=True) as store:
        record = await known_study(store, name)
        if sheet_from is not None:
            await known_study(store, sheet_from)
        report = build_report(
            record,
            await store.scenarios(name),
            await episode_rows(store, name),
            elsewhere=await episode_rows(store, sheet_from) if sheet_from else (),
            published=published,
        )
        return report.model_copy(update={"served": tuple(await store.served(name))})


def stored_rows(name: str, url: str) -> tuple[StudyRecord, list[EpisodeRow]]:
    """A study's record, and what a report needs of its episodes. Raises ``StudyError`` where there is none."""
    return waited(_record_and_rows(name, url))


async def _record_and_rows(name: str, url: str) -> tuple[StudyRecord, list[EpisodeRow]]:
    async with open_store(url, read_only=True) as store:
        return await known_study(store, name), await episode_rows(store, name)


async def episode_rows(store: Store, study: str) -> list[EpisodeRow]:
    """What a report needs of every episode at its latest attempt; forks are left out."""
    made = await each_episode(store, study, lambda episode, said: None if episode.origin else _row(episode, said))
    return [row for row in made if row is not None]


def _unjudged(episode: EpisodeSummary, vocabulary: str) -> Judgement:
    """What stands for the rules' judgement where it did not come with an episode, as in an import of a part."""
    return Judgement(
        subject=episode.episode_id,
        vocabulary=vocabulary,
        maker="rules",
        version="",
        outcome=Unmeasured(why="no judgement by the rules"),
    )


def _row(episode: EpisodeSummary, said: Mapping[tuple[str, str], Judgement]) -> EpisodeRow:
    return EpisodeRow(
        cell=episode.cell,
        core_id=episode.case_id,
        family=episode.family,
        label=said.get(("label", "rules")) or _unjudged(episode, "label"),
        executed=said.get(("executed_label", "rules")) or _unjudged(episode, "executed_label"),
        faults=episode.faults,
        invalid_turns=episode.invalid_turns,
        episode_id=episode.episode_id,
        scenario=episode.scenario,
        repeat=episode.repeat,
        turns=episode.whole_turns,
        ended=episode.ended,
        cost=episode.cost,
        said=said,
    )


async def _crashed(name: str, url: str) -> int:
    async with open_store(url, read_only=True) as store:
        return sum(ended == "crashed" for _, ended in (await store.finished(name)).values())


async def _trajectories(name: str, url: str) -> list[Trajectory]:
    async with open_store(url, read_only=True) as store:
        await known_study(store, name)
        return [trajectory async for trajectory in store.trajectories(name)]


async def _studies(url: str) -> Sequence[StudySummary]:
    async with open_store(url, read_only=True) as store:
        return await store.studies()


async def _episode(episode: str, url: str) -> StoredEpisode:
    async with open_store(url, read_only=True) as store:
        trajectory = await store.episode(episode)
        scenarios = {s.scenario_id: s for s in await store.scenarios(trajectory.study)}
        said = await store.judgements_on(trajectory)
        return StoredEpisode(
            trajectory=trajectory, scenario=scenarios.get(trajectory.scenario_id), judgements=tuple(said)
        )


def waited(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on a loop of its own, in a thread of its own, so that a caller's loop is not in the way."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, work).result()
