"""Judges that are models: they read a study's trajectories and say what they see, beside the rules."""

from collections.abc import Sequence

from dilemma.settings import Settings, read_settings
from dilemma.studies.report import Report
from dilemma.studies.running import run_lanes
from dilemma.studies.study import Study, known_study, store_url, waited
from dilemma.studies.watching import Silent, Watcher
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.models.budget import Budget
from dilemma_kernel.models.calling import wrapped
from dilemma_kernel.models.registry import resolve
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import Trajectory
from trajectories import Store, open_store
from trajectories.judges import ModelJudge

CONCURRENCY = 16


def classify(
    study: str,
    judges: Sequence[str | ChatModel],
    url: str | None = None,
    *,
    budget: float | None = None,
    max_calls: int | None = None,
    concurrency: int = CONCURRENCY,
    watcher: Watcher | None = None,
) -> Report:
    """Have models read every episode of a study. What they say is stored; run again, no stored reply is asked for.

    Args:
        study: its name.
        judges: model names, or objects that are a ``ChatModel``.
        url: the store; None for the settings file's or the default.
        budget: US dollars that the judges may spend, this time.
        max_calls: requests that they may send, this time, retries included.
        concurrency: episodes that one judge reads at once.
        watcher: is told of progress.

    Returns:
        The study's report, with the judges in it.

    Raises:
        InputError: no such study or model, or no judge.
        BudgetExhausted: the next call would pass the budget; what was said is stored.
    """
    where = store_url(url)
    limit = Budget(budget, max_calls) if budget is not None or max_calls is not None else None
    waited(_classify(study, judges, where, limit, concurrency, watcher or Silent(), read_settings()))
    return Study(study, where).report()


async def _classify(
    study: str,
    judges: Sequence[str | ChatModel],
    url: str,
    budget: Budget | None,
    concurrency: int,
    watcher: Watcher,
    settings: Settings,
) -> None:
    models = [_model(judge, settings) for judge in judges]
    if not models:
        raise InputError("no judge: name one with --judge MODEL")
    async with open_store(url) as store:
        record = await known_study(store, study)
        if record.instrument != "dilemma":
            raise StudyError(f"study {study!r} is of the instrument {record.instrument}: this rubric reads dilemmas")
        log = store.call_log(study)
        for model in models:
            judge = ModelJudge(wrapped(model, log, study=study, budget=budget))
            try:
                await _read_all(store, study, judge, concurrency, watcher)
            finally:
                await model.aclose()


async def _read_all(store: Store, study: str, judge: ModelJudge, concurrency: int, watcher: Watcher) -> None:
    scenarios = {s.scenario_id: s for s in await store.scenarios(study)}
    done = 0

    async def read(trajectory: Trajectory) -> None:
        nonlocal done
        await store.add_judgements(await judge.judge(trajectory, scenarios[trajectory.scenario_id]))
        done += 1

    every = [t async for t in store.trajectories(study) if t.origin is None]
    watcher.note(f"{judge.name} reads {len(every)} episodes of {study}")
    await run_lanes([(iter(every), concurrency)], read)
    watcher.note(f"{judge.name} has read {done}")


def _model(judge: str | ChatModel, settings: Settings) -> ChatModel:
    return resolve(judge, settings.models) if isinstance(judge, str) else judge
