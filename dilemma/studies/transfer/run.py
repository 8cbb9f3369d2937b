"""``transfer run``: put every arm of a suite to the models, judge the replies by rules, store both."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from dilemma.settings import Settings, read_settings
from dilemma.studies.budgets import study_budget
from dilemma.studies.names import readable_name
from dilemma.studies.plan import DEFAULT_STORE, check_same_models
from dilemma.studies.running import attempts_to_make, goes_on, run_lanes
from dilemma.studies.transfer.models import Models, model_names
from dilemma.studies.transfer.options import TransferOptions, transfer_options
from dilemma.studies.transfer.plan import ArmJob, check_same_transfer, transfer_jobs, transfer_record
from dilemma.studies.transfer.study import TransferStudy
from dilemma.studies.watching import Silent, Tally, Watcher
from dilemma_kernel.errors import StudyError
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import StudyRecord, Trajectory
from refusal_transfer.harness import run_arm
from refusal_transfer.loading import SHIPPED, load_suite
from refusal_transfer.planted import planted_models
from refusal_transfer.suite import Suite
from refusal_transfer.verdicts import judge_arm
from trajectories import Store, open_store

TELL_EVERY = 16
"""Arms between two tellings of progress."""


async def transfer(
    model: str | ChatModel | Sequence[str | ChatModel],
    *,
    suite: str | Path | Suite | None = None,
    arms: str | None = None,
    systems: str | Sequence[str] = (),
    sample: int | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    concurrency: int | None = None,
    store: str | None = None,
    study: str | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    resume: bool = False,
    retry_crashed: bool = False,
    watcher: Watcher | None = None,
) -> TransferStudy:
    """Run the benchmark from Python; each argument as the option of ``TransferOptions`` of that name.

    Args:
        model: model names, or objects that are a ``ChatModel``.
        suite: a folder, or a suite in memory. Default: the one that is shipped.
        resume: go on with the study of that name.
        retry_crashed: run crashed arms again; earlier attempts are kept.
        watcher: is told of progress.

    Raises:
        InputError: something given cannot be used; nothing was run.
        KeyRefused: a provider does not take a key; the study can be resumed with another one.
        BudgetExhausted: the next call would pass the budget; the study can be resumed with a larger one.
    """
    names, objects = model_names(model)
    options = transfer_options(
        model=names,
        suite=str(suite) if isinstance(suite, (str, Path)) else None,
        arms=arms,
        systems=systems,
        sample=sample,
        repeats=repeats,
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        concurrency=concurrency,
        store=store,
        study=study,
        budget=budget,
        max_calls=max_calls,
    )
    return await run_transfer(
        options,
        resume=resume,
        retry_crashed=retry_crashed,
        watcher=watcher or Silent(),
        given=objects,
        suite=suite if isinstance(suite, Suite) else None,
    )


def run_transfer_blocking(
    options: TransferOptions, *, resume: bool, retry_crashed: bool, watcher: Watcher
) -> TransferStudy:
    """``run_transfer`` for the command line."""
    return asyncio.run(run_transfer(options, resume=resume, retry_crashed=retry_crashed, watcher=watcher))


async def run_transfer(
    options: TransferOptions,
    *,
    resume: bool,
    retry_crashed: bool = False,
    watcher: Watcher,
    given: Sequence[ChatModel] = (),
    suite: Suite | None = None,
    settings: Settings | None = None,
) -> TransferStudy:
    """Everything is checked before anything is stored; then every arm that is not stored yet is run."""
    settings = settings or read_settings()
    url = options.store or settings.store or DEFAULT_STORE
    if resume and not options.study:
        raise StudyError("--resume needs the study's name: --study NAME (dilemma studies lists them)")
    suite = suite or load_suite(Path(options.suite) if options.suite else SHIPPED)
    models = Models(settings.models, {"transfer": planted_models(suite)}, given)
    fresh = None if resume else transfer_record(options, suite, name=options.study or "")
    if fresh:
        models.resolve(_agents(fresh))
        models.check_budget(options.budget)
    else:
        await _check_there(url, options.study or "")
    async with open_store(url) as store, AsyncExitStack() as held:
        record = await _begin(store, options, suite, fresh)
        await held.enter_async_context(store.claim(record.name))
        held.push_async_callback(models.aclose)
        models.resolve(_agents(record))
        models.check_budget(options.budget)
        if fresh:
            record = record.model_copy(update={"identities": models.identities()})
        else:
            check_same_models(record, models.identities())
        await store.save_study(record, ())
        models.wrap(store, record.name, await study_budget(store, record.name, options.budget, options.max_calls))
        watcher.note(f"study {record.name}")
        every = list(transfer_jobs(record, suite))
        arms = _Arms(store, record, suite, models, watcher, Tally(total=len(every)))
        with goes_on(record.name):
            await arms.run(every, options.concurrency, retry_crashed)
    return TransferStudy(record.name, url)


async def _check_there(url: str, study: str) -> None:
    """Refuse to resume a study that is not there, before a store is made for it."""
    async with open_store(url, read_only=True) as store:
        if await store.study(study) is None:
            raise StudyError(f"no study {study!r} in this store to resume; dilemma studies lists them")


async def _begin(store: Store, options: TransferOptions, suite: Suite, fresh: StudyRecord | None) -> StudyRecord:
    """The record to run: the stored one of a study that goes on, else the fresh one under a name."""
    stored = await store.study(options.study) if options.study else None
    if fresh is None:
        assert stored is not None, "a study to resume was there a moment ago"
        check_same_transfer(stored, options, suite)
        return stored
    if stored is not None:
        raise StudyError(
            f"study {stored.name!r} exists in this store: add --resume to go on with it, or choose another name"
        )
    if fresh.name:
        return fresh
    taken = {summary.name for summary in await store.studies()}
    return fresh.model_copy(update={"name": readable_name(taken, random.Random())})


def _agents(record: StudyRecord) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cell.agent for cell in record.cells))


@dataclass(frozen=True)
class _Arms:
    """Runs the arms of one study, each stored with its judgements as it ends."""

    store: Store
    record: StudyRecord
    suite: Suite
    models: Models
    watcher: Watcher
    tally: Tally

    async def run(self, every: Sequence[ArmJob], concurrency: int | None, retry_crashed: bool) -> None:
        """Run what is not stored yet; with ``retry_crashed``, what crashed as a new attempt too."""
        ids = [job.episode_id for job in every]
        attempts = await attempts_to_make(self.store, self.record.name, ids, retry_crashed)
        left = [job for job in every if job.episode_id in attempts]
        self.tally.done = self.tally.skipped = len(every) - len(left)
        await run_lanes(self._lanes(left, concurrency), lambda job: self._run_one(job, attempts[job.episode_id]))
        self.watcher.update(self.tally)

    def _lanes(self, left: Sequence[ArmJob], concurrency: int | None) -> list[tuple[Iterator[ArmJob], int]]:
        """One lane a model, as wide as it takes; one for all where a width was named."""
        if concurrency is not None:
            return [(iter(left), concurrency)]
        by_model: dict[str, list[ArmJob]] = {}
        for job in left:
            by_model.setdefault(job.cell.agent, []).append(job)
        return [(iter(jobs), self.models.width(name)) for name, jobs in by_model.items()]

    async def _run_one(self, job: ArmJob, attempt: int) -> None:
        trajectory: Trajectory = await run_arm(
            self.models[job.cell.agent],
            self.suite,
            job.triple,
            job.arm,
            study=self.record.name,
            seed=job.seed,
            repeat=job.repeat,
            sampling=self.record.sampling,
            attempt=attempt,
        )
        await self.store.save(trajectory, judge_arm(trajectory, self.suite))
        self.tally.done += 1
        self.tally.crashed += trajectory.ended == "crashed"
        if self.tally.done % TELL_EVERY == 0:
            self.watcher.update(self.tally)
