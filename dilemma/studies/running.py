"""Running a study's episodes: concurrently, each stored as it ends, none taking a neighbour along."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

from dilemma.studies.budgets import study_budget
from dilemma.studies.collecting import nothing_loaded_is_searched, set_aside
from dilemma.studies.crew import Crew
from dilemma.studies.judging import rule_judgements
from dilemma.studies.participants import Participants
from dilemma.studies.plan import Job
from dilemma.studies.traffic import Traffic, limiter_state, summary
from dilemma.studies.watching import Tally, Watcher
from dilemma_kernel.errors import BudgetExhausted, KeyRefused
from dilemma_kernel.records import Judgement, StudyRecord
from envs import run_episode
from trajectories import Store

T = TypeVar("T")

REMOTE_CONCURRENCY = 16
IN_PROCESS_CONCURRENCY = 1


async def run_jobs(
    store: Store,
    record: StudyRecord,
    every: Sequence[Job],
    participants: Participants,
    *,
    concurrency: int | None,
    retry_crashed: bool,
    usd: float | None,
    max_calls: int | None,
    watcher: Watcher,
    reuse: str | None = None,
    crew: Crew | None = None,
) -> None:
    """Run the jobs whose episode is not stored yet.

    Args:
        concurrency: episodes at once; by default 16, and beside them 1 of those with a model in this process.
        retry_crashed: run crashed episodes again, as a new attempt.
        usd: US dollars that the study may spend in all, what it spent before included; None for no bound.
        max_calls: requests that it may send in all, likewise.
        reuse: another study of the store, whose replies to equal requests are taken.
        crew: processes that run the episodes; None for this one.

    Raises:
        BudgetExhausted: the next call would pass the budget; what was stored stays.
        KeyRefused: a provider does not take a key; what was stored stays.
        StoreError: nothing more can be stored.
    """
    attempts = await attempts_to_make(store, record.name, [job.episode_id for job in every], retry_crashed)
    budget = await study_budget(store, record.name, usd, max_calls)
    other = None if reuse is None else (reuse, store.call_log(reuse))
    participants.wrap(store.call_log(record.name), record.name, budget, other)

    def ended(label: Judgement) -> None:
        tally.count(label)
        if tally.first_s is None:
            tally.first_s = time.monotonic() - started

    started = time.monotonic()
    traffic = crew.traffic if crew else participants.traffic
    tally = await _tally(store, record, every, attempts)
    try:
        async with _heartbeat(tally, traffic, watcher):
            if crew:
                await crew.run(store, record.name, attempts, concurrency, budget, reuse, ended)
            else:
                await run_here(store, record, every, attempts, participants, concurrency, ended)
    finally:
        for line in summary(traffic()):
            watcher.note(line)
    watcher.update(tally)


async def attempts_to_make(store: Store, study: str, episodes: Iterable[str], retry_crashed: bool) -> dict[str, int]:
    """What is left to run: episode_id -> the attempt to make, of those that are not done.

    Args:
        episodes: ids of all episodes of the study.
        retry_crashed: run crashed ones again.
    """
    finished = await store.finished(study)
    attempts = {}
    for episode in episodes:
        attempt, ended = finished.get(episode, (-1, None))
        if ended is None or (retry_crashed and ended == "crashed"):
            attempts[episode] = attempt + 1
    return attempts


@contextmanager
def goes_on(study: str) -> Iterator[None]:
    """Where a key is refused within it, the error says how the study goes on."""
    try:
        yield
    except KeyRefused as error:
        words = f"{error}; everything until now is stored: go on with --study {study} --resume"
        raise KeyRefused(words) from None


async def run_here(
    store: Store,
    record: StudyRecord,
    every: Sequence[Job],
    attempts: Mapping[str, int],
    participants: Participants,
    concurrency: int | None,
    ended: Callable[[Judgement], None],
) -> None:
    """Run episodes in this process.

    Args:
        every: jobs of the study.
        attempts: episode_id -> the attempt to make; jobs that are not in it are left out.
        ended: is told the label of each episode once it is stored.
    """

    async def run_one(job: Job) -> None:
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
            attempt=attempts[job.episode_id],
        )
        judgements = rule_judgements(trajectory, job.scenario)
        await store.save(trajectory, judgements)
        ended(judgements[0])
        if not stored:
            set_aside()  # the first calls have loaded more
        stored.append(job.episode_id)

    stored: list[str] = []
    todo = [job for job in every if job.episode_id in attempts]
    with nothing_loaded_is_searched():
        await run_lanes(_lanes(todo, participants, concurrency), run_one)


async def _tally(store: Store, record: StudyRecord, every: Sequence[Job], attempts: Mapping[str, int]) -> Tally:
    """Where the study stands before the ``attempts`` are made."""
    tally = Tally(total=len(every))
    there = {job.episode_id for job in every} - attempts.keys()
    for judgement in await store.judgements(record.name, vocabulary="label") if there else ():
        if judgement.subject in there and judgement.maker == "rules":
            tally.count(judgement)
    tally.skipped = tally.done
    return tally


@asynccontextmanager
async def _heartbeat(
    tally: Tally, traffic: Callable[[], Mapping[str, Traffic]], watcher: Watcher
) -> AsyncIterator[None]:
    """Tell the watcher where the study stands, every second, whether or not an episode ended."""

    async def beat() -> None:
        while True:
            tally.state = limiter_state(traffic())
            watcher.update(tally)
            await asyncio.sleep(1)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()


def _lanes(
    every: Sequence[Job], participants: Participants, concurrency: int | None
) -> list[tuple[Iterator[Job], int]]:
    """Jobs that run beside each other: those with a model in this process, and the others; each with its width."""
    if concurrency is not None:
        return [(iter(every), concurrency)]
    inside = [job for job in every if participants.in_process(job.cell)]
    outside = [job for job in every if not participants.in_process(job.cell)]
    return [(iter(inside), IN_PROCESS_CONCURRENCY), (iter(outside), REMOTE_CONCURRENCY)]


async def run_lanes(lanes: Iterable[tuple[Iterator[T], int]], work: Callable[[T], Awaitable[None]]) -> None:
    """``work`` on every item of every lane, as many of a lane at once as it is wide.

    Once the budget is used up, what is under way goes on until it needs a call; then ``BudgetExhausted`` is raised.
    Any other error cancels the rest and is raised as itself.
    """
    stopped: list[BudgetExhausted] = []

    async def worker(lane: Iterator[T]) -> None:
        for item in lane:
            if stopped:
                return
            try:
                await work(item)
            except BudgetExhausted as error:
                stopped.append(error)

    try:
        async with asyncio.TaskGroup() as group:
            for lane, width in lanes:
                for _ in range(width):
                    group.create_task(worker(lane))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    if stopped:
        raise stopped[0]
