"""Running a study's episodes: concurrently, each stored as it ends, none taking a neighbour along."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from dilemma.studies.participants import Participants
from dilemma.studies.plan import Job
from dilemma.studies.watching import Tally, Watcher
from dilemma_kernel.records import StudyRecord
from dilemma_kernel.semantics.labels import judge
from envs import run_episode
from trajectories import Store

T = TypeVar("T")


async def run_jobs(
    store: Store,
    record: StudyRecord,
    every: Sequence[Job],
    participants: Participants,
    *,
    concurrency: int,
    retry_crashed: bool,
    watcher: Watcher,
) -> None:
    """Run the jobs whose episode is not stored yet.

    Args:
        concurrency: episodes at once.
        retry_crashed: run crashed episodes again, as a new attempt.
    """
    finished = await store.finished(record.name)
    tally = Tally(total=len(every))
    for judgement in await store.judgements(record.name, vocabulary="label"):
        tally.count(judgement)
        tally.skipped += 1
    participants.wrap(store.call_log(record.name), record.name)

    def attempt_of(job: Job) -> int | None:
        """Which attempt to make; None where the episode is done."""
        if job.episode_id not in finished:
            return 0
        attempt, ended = finished[job.episode_id]
        return attempt + 1 if retry_crashed and ended == "crashed" else None

    async def run_one(job: Job) -> None:
        attempt = attempt_of(job)
        if attempt is None:
            return
        trajectory = await run_episode(
            participants.agent(job.cell.agent),
            participants.environment(job.cell.environment),
            job.scenario,
            job.cell,
            study=record.name,
            repeat=job.repeat,
            seed=job.seed,
            budget=record.turns,
            end_rule=record.end_rule,
            sampling=record.sampling,
            history=record.history,
            attempt=attempt,
        )
        judgements = judge(trajectory, job.scenario)
        await store.save(trajectory, judgements)
        tally.count(judgements[0])
        watcher.update(tally)

    watcher.update(tally)
    await each(every, run_one, concurrency)


async def each(items: Iterable[T], work: Callable[[T], Awaitable[None]], concurrency: int) -> None:
    """``work`` on every item, ``concurrency`` at once; the first error cancels the rest and is raised as itself."""
    waiting: Iterator[T] = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
