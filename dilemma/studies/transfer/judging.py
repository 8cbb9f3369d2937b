"""``transfer judge``: have a model, or the rules anew, judge the refusals of a stored study."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from dilemma.settings import Settings, read_settings
from dilemma.studies.budgets import study_budget
from dilemma.studies.running import run_lanes
from dilemma.studies.transfer.models import Models
from dilemma.studies.transfer.study import TransferStudy, transfer_study_record
from dilemma.studies.watching import Silent, Tally, Watcher
from dilemma_kernel.errors import StudyError
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import Judgement, StudyRecord, Trajectory
from refusal_transfer.judging import judge_refusal
from refusal_transfer.loading import SHIPPED, load_suite
from refusal_transfer.suite import Suite
from refusal_transfer.verdicts import RULES, judge_arm
from trajectories import Store, open_store

AT_A_TIME = 64
"""Judgements stored in one go."""


def judge_study(
    study: TransferStudy,
    judge: str | ChatModel,
    *,
    suite: Path | None = None,
    concurrency: int | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    watcher: Watcher | None = None,
) -> None:
    """Judge every stored reply, and store what was said.

    Args:
        study: the study.
        judge: a model's name, a model, or ``rules``, which also give tool verdicts.
        suite: folder of the suite, where it is not the one that is shipped. Only the rules need it.
        concurrency: replies at once.
        budget: US dollars that the study may spend in all.
        max_calls: requests that it may send in all.
        watcher: is told of progress.

    Raises:
        InputError: the model cannot be had, or the suite is another than the study's.
        BudgetExhausted: the next call would pass the budget; what was judged stays.
    """
    settings = read_settings()
    work = _judge(study, judge, suite, concurrency, (budget, max_calls), watcher or Silent(), settings)
    asyncio.run(work)


async def _judge(
    study: TransferStudy,
    judge: str | ChatModel,
    folder: Path | None,
    concurrency: int | None,
    most: tuple[float | None, int | None],
    watcher: Watcher,
    settings: Settings,
) -> None:
    async with open_store(study.url) as store:
        record = await transfer_study_record(store, study.name)
        replies = [trajectory async for trajectory in store.trajectories(study.name)]
        if judge == RULES:
            await _by_rules(store, replies, study_suite(record, folder))
            return
        name = judge if isinstance(judge, str) else judge.name
        models = Models(settings.models, {}, () if isinstance(judge, str) else (judge,))
        try:
            models.resolve([name])
            models.wrap(store, study.name, await study_budget(store, study.name, *most))
            await _by_model(store, replies, models[name], concurrency or models.width(name), watcher)
        finally:
            await models.aclose()


async def _by_rules(store: Store, replies: Sequence[Trajectory], suite: Suite) -> None:
    for start in range(0, len(replies), AT_A_TIME):
        said = [j for trajectory in replies[start : start + AT_A_TIME] for j in judge_arm(trajectory, suite)]
        await store.add_judgements(said)


async def _by_model(
    store: Store, replies: Sequence[Trajectory], model: ChatModel, width: int, watcher: Watcher
) -> None:
    waiting: list[Judgement] = []
    tally = Tally(total=len(replies))

    async def flush() -> None:
        ready, waiting[:] = list(waiting), []
        if ready:
            await store.add_judgements(ready)

    async def judge_one(trajectory: Trajectory) -> None:
        judgement = await judge_refusal(model, trajectory)
        waiting.append(judgement)
        tally.done += 1
        tally.crashed += judgement.outcome.kind == "crashed"
        if len(waiting) >= AT_A_TIME:
            await flush()
            watcher.update(tally)

    try:
        await run_lanes([(iter(replies), width)], judge_one)
    finally:
        await flush()
    watcher.update(tally)


def study_suite(record: StudyRecord, folder: Path | None) -> Suite:
    """The suite that a study ran on.

    Raises:
        StudyError: the one at hand is another.
    """
    suite = load_suite(folder or SHIPPED)
    if suite.hash != record.pack_hash:
        raise StudyError(
            f"study {record.name!r} ran on suite {record.pack} with hash {record.pack_hash}, and {folder or 'shipped'} "
            f"has hash {suite.hash}: name its folder with --suite"
        )
    return suite
