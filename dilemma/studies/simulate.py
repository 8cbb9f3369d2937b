"""``simulate``: compose scenarios, models and environments into a study, run it, store it."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from dilemma.settings import Settings, read_settings
from dilemma.studies.crew import Crew
from dilemma.studies.names import readable_name
from dilemma.studies.options import SimulateOptions, make_options
from dilemma.studies.packs import check_all, checked_pack
from dilemma.studies.participants import Participants, check_interfaces
from dilemma.studies.plan import (
    DEFAULT_STORE,
    check_same,
    check_same_models,
    check_same_scenarios,
    choose_scenarios,
    jobs,
    study_cells,
    study_record,
    truth_of,
)
from dilemma.studies.running import goes_on, run_jobs
from dilemma.studies.study import Study
from dilemma.studies.watching import Silent, Watcher
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.ports import ChatModel, Environment
from dilemma_kernel.records import Scenario, StudyRecord, content_hash
from trajectories import Store, open_store


async def simulate(
    agent: str | ChatModel | Sequence[str | ChatModel],
    environment: str | Environment | ChatModel | Sequence[str | Environment | ChatModel] = (),
    *,
    scenarios: str | Path | Scenario | Sequence[Scenario] | None = None,
    domain: str | Sequence[str] = (),
    turns: int | None = None,
    episodes: int | None = None,
    seed: int | None = None,
    levels: Mapping[str, str] | None = None,
    vary: str | Sequence[str] = (),
    one_at_a_time: str | Sequence[str] = (),
    design: str | Path | Sequence[Mapping[str, str]] = (),
    control: str | Sequence[str] = (),
    continue_: bool | None = None,
    concurrency: int | None = None,
    store: str | None = None,
    study: str | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    api_base: str | None = None,
    reuse: str | None = None,
    processes: int | None = None,
    resume: bool = False,
    retry_crashed: bool = False,
    watcher: Watcher | None = None,
) -> Study:
    """Run episodes, label them, store them.

    Args:
        agent: the agents under test: model names, or objects that are a ``ChatModel``.
        environment: ``rules``, model names, or objects that are an ``Environment`` or a ``ChatModel``. Where none is
            named: ``rules`` for a scripted agent, else the agent's own model.
        scenarios: a pack's name or path, a scenario's path, or scenarios. Default: ``starter``.
        domain: keep the scenarios of these domains only.
        turns: turn budget of an episode. Default 10.
        episodes: repeats for each core and cell. Default 1.
        seed: study seed, 0 by default; an episode's is derived from it, its core and its repeat.
        levels: factor -> level, for factors held off their baseline.
        vary: factors that are crossed with each other, all levels of each.
        one_at_a_time: factors that are changed one by one from the baseline.
        design: a table of cells, or the path of a CSV file of one: factors by name, ``agent`` and ``environment`` too.
        control: ``order``, ``names``, ``no-dilemma``, ``interface``, ``comprehension``: cells that are added, and
            whose paired shift of MR the report shows.
        continue_: go on after the first attempted A− terminal.
        concurrency: episodes at once.
        store: store URL, ``sqlite:///dilemma.db`` by default.
        study: name; a readable one is made when none is given.
        budget: US dollars that the study may spend in all.
        max_calls: requests that it may send in all: earlier runs, failures and retries included.
        api_base: URL of the endpoint of every model that litellm reaches.
        reuse: another study of the store, whose replies to equal requests are taken.
        processes: processes that run episodes, where models and environments are given by name.
        resume: go on with the study of that name.
        retry_crashed: run crashed episodes again; earlier attempts are kept.
        watcher: is told of progress.

    Returns:
        The study, with ``report()`` and ``trajectories()``.

    Raises:
        InputError: something given cannot be used; nothing was run.
        StoreError: the store cannot be written.
        KeyRefused: a provider does not take a key; the study can be resumed with another one.
        BudgetExhausted: the next call would pass the budget; the study can be resumed with a larger one.
    """
    participants = Participants()
    options = make_options(
        agent=participants.names(agent),
        environment=participants.names(environment),
        scenarios=str(scenarios) if isinstance(scenarios, (str, Path)) else None,
        domain=domain,
        turns=turns,
        episodes=episodes,
        seed=seed,
        set=dict(levels or {}),
        vary=vary,
        one_at_a_time=one_at_a_time,
        design=str(design) if isinstance(design, Path) else design,
        control=control,
        continue_=continue_,
        concurrency=concurrency,
        store=store,
        study=study,
        budget=budget,
        max_calls=max_calls,
        api_base=api_base,
        reuse=reuse,
        processes=processes,
    )
    return await run_study(
        options,
        resume=resume,
        retry_crashed=retry_crashed,
        watcher=watcher or Silent(),
        participants=participants,
        scenarios=_given(scenarios),
    )


def run(
    agent: str | ChatModel | Sequence[str | ChatModel],
    environment: str | Environment | ChatModel | Sequence[str | Environment | ChatModel] = (),
    **options: object,
) -> Study:
    """``simulate`` for callers without an event loop; the same arguments, result and errors."""
    return asyncio.run(simulate(agent, environment, **options))  # type: ignore[arg-type]


def _given(scenarios: str | Path | Scenario | Sequence[Scenario] | None) -> tuple[Scenario, ...] | None:
    """Scenarios given as records; None where they are to be read."""
    if scenarios is None or isinstance(scenarios, (str, Path)):
        return None
    return (scenarios,) if isinstance(scenarios, Scenario) else tuple(scenarios)


def run_blocking(options: SimulateOptions, *, resume: bool, retry_crashed: bool, watcher: Watcher) -> Study:
    """``run_study`` for the command line."""
    return asyncio.run(run_study(options, resume=resume, retry_crashed=retry_crashed, watcher=watcher))


async def run_study(
    options: SimulateOptions,
    *,
    resume: bool,
    retry_crashed: bool,
    watcher: Watcher,
    participants: Participants | None = None,
    scenarios: tuple[Scenario, ...] | None = None,
    settings: Settings | None = None,
) -> Study:
    """Everything is checked before anything is stored; then every episode that is not stored yet is run."""
    settings = (settings or read_settings()).with_endpoint(options.api_base)
    participants = participants or Participants()
    crew = _crew(options, settings, participants)
    url = options.store or settings.store or DEFAULT_STORE
    if resume and not options.study:
        raise StudyError("--resume needs the study's name: --study NAME (dilemma studies lists them)")
    fresh = None if resume else _prepare(options, settings, scenarios, participants)
    await _check_there(url, options.study if resume else None, options.reuse)
    async with open_store(url) as store, AsyncExitStack() as held:
        record, cores = await _begin(store, options, settings, fresh, scenarios)
        await held.enter_async_context(store.claim(record.name))
        held.push_async_callback(participants.aclose)
        record = _staffed(record, cores, options, settings, participants, is_new=fresh is not None)
        await store.save_study(record, cores)
        _announce(record, options, settings, watcher)
        with goes_on(record.name):
            await run_jobs(
                store,
                record,
                list(jobs(record, cores)),
                participants,
                concurrency=options.concurrency,
                retry_crashed=retry_crashed,
                usd=options.budget,
                max_calls=options.max_calls,
                watcher=watcher,
                reuse=options.reuse,
                crew=crew,
            )
    return Study(record.name, url)


def _crew(options: SimulateOptions, settings: Settings, participants: Participants) -> Crew | None:
    """The processes to run episodes in; None for this one."""
    if (options.processes or 1) == 1:
        return None
    if not participants.are_names:
        raise InputError("several processes need models and environments given by name, such as python:module:name")
    return Crew(options.processes or 1, options.store or settings.store or DEFAULT_STORE, settings.models)


async def _check_there(url: str, resumed: str | None, reused: str | None) -> None:
    """Refuse a study to resume or to reuse that is not there, before a store is made for it."""
    if resumed is None and reused is None:
        return
    async with open_store(url, read_only=True) as store:
        for study, purpose in ((resumed, "resume"), (reused, "reuse")):
            if study is not None and await store.study(study) is None:
                raise StudyError(f"no study {study!r} in this store to {purpose}; dilemma studies lists them")


def _prepare(
    options: SimulateOptions,
    settings: Settings,
    given: tuple[Scenario, ...] | None,
    participants: Participants,
) -> tuple[StudyRecord, tuple[Scenario, ...]]:
    """Record and scenarios of a new study, once everything about it is checked that can be without a store."""
    cells = study_cells(options, settings)
    source, pack_hash, chosen = _chosen(options, given)
    record = study_record(options, cells, chosen, name=options.study or "", pack=source, pack_hash=pack_hash)
    participants.resolve(record, settings.models)
    participants.check_budget(options.budget)
    check_interfaces(record, participants)
    return record, chosen


def _staffed(
    record: StudyRecord,
    cores: tuple[Scenario, ...],
    options: SimulateOptions,
    settings: Settings,
    participants: Participants,
    *,
    is_new: bool,
) -> StudyRecord:
    """The record with what stands behind its models, once all of them are found and are what a stored record says."""
    participants.resolve(record, settings.models)
    participants.check_budget(options.budget)
    participants.truth = truth_of(record, cores)
    if is_new:
        return record.model_copy(update={"identities": participants.identities()})
    check_same_models(record, participants.identities())
    return record


def _chosen(options: SimulateOptions, given: tuple[Scenario, ...] | None) -> tuple[str, str, tuple[Scenario, ...]]:
    """Name and hash of the scenarios' source, and those that were chosen of it, every one checked."""
    if given is None:
        pack = checked_pack(options.scenarios or "starter")
        return pack.name, pack.hash, choose_scenarios(pack.scenarios, options.domain)
    check_all(given, "the scenarios given")
    return "given", content_hash([s.scenario_id for s in given]), choose_scenarios(given, options.domain)


async def _begin(
    store: Store,
    options: SimulateOptions,
    settings: Settings,
    fresh: tuple[StudyRecord, tuple[Scenario, ...]] | None,
    given: tuple[Scenario, ...] | None,
) -> tuple[StudyRecord, tuple[Scenario, ...]]:
    """The record and scenarios to run: stored ones for a study that goes on, else the fresh ones under a name."""
    name = options.study
    stored = await store.study(name) if name else None
    if fresh is None:
        assert stored is not None, "a study to resume was there a moment ago"
        check_same(stored, options, settings)
        if given is not None or options.scenarios or options.domain:
            check_same_scenarios(stored, _chosen(options, given)[2])
        return stored, tuple(await store.scenarios(stored.name))
    if stored is not None:
        raise StudyError(f"study {name!r} exists in this store: add --resume to go on with it, or choose another name")
    record, scenarios = fresh
    if not name:
        taken = {summary.name for summary in await store.studies()}
        record = record.model_copy(update={"name": readable_name(taken, random.Random())})
    return record, scenarios


def _announce(record: StudyRecord, options: SimulateOptions, settings: Settings, watcher: Watcher) -> None:
    watcher.note(f"study {record.name}")
    if options.environment or settings.environment:
        return
    for cell in record.cells:
        if cell.agent == cell.environment:
            watcher.note(f"{cell.agent} plays both sides: no environment was named, so the agent's own model plays it")
