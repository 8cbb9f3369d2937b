"""``generate``: the scenario factory with its models, its lineage and its pack."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from dilemma.settings import read_settings
from dilemma.studies.budgets import study_budget
from dilemma.studies.study import store_url
from dilemma_kernel.errors import InputError
from dilemma_kernel.models.calling import wrapped
from dilemma_kernel.models.registry import resolve
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import Record
from scenario_factory.domain import Domain
from scenario_factory.generation import Progress, generate_pack, settings_for
from scenario_factory.library import load_domain
from scenario_factory.packing import default_folder, finished_report, known_scenarios
from scenario_factory.presets import preset
from scenario_factory.reporting import GenerationReport, GenerationSettings
from scenario_factory.teams import COMPOSER, RULES, team_of
from trajectories import open_store

PRESSURES = ("loyalty", "self-preservation")


class GenerateOptions(Record):
    """Options of ``generate``."""

    domain: str
    """A shipped domain's name, or the path of a YAML file of the same form."""
    pressure: str | None = None
    """``loyalty`` or ``self-preservation``; both in turn where None."""
    count: int = 1
    """Scenarios wanted."""
    writer: str = COMPOSER
    discriminator: str = RULES
    audit: str = RULES
    preset: str = "default"
    seed: int = 0
    out: Path | None = None
    """Folder of a new pack. Default: ``scenarios/DOMAIN-SEED``."""
    into: Path | None = None
    """A pack to add to."""
    budget: float | None = None
    """US dollars at most."""
    concurrency: int = 8
    """Candidates at work at once."""
    store: str | None = None


def generate_scenarios(options: GenerateOptions, progress: Callable[[Progress], None]) -> GenerationReport:
    """Generate into a pack. Interrupted, the same call goes on; finished, it changes nothing.

    Raises:
        InputError: something given cannot be used.
        BudgetExhausted: the next call would pass the budget; the same call with a larger one goes on.
    """
    return asyncio.run(_generate(options, progress))


async def _generate(options: GenerateOptions, progress: Callable[[Progress], None]) -> GenerationReport:
    settings, domain = _settings(options)
    folder = options.into or options.out or default_folder(settings)
    done = finished_report(settings, folder)
    if done is not None:
        return done
    known_scenarios(settings, folder, into=options.into is not None)
    models = _models(settings)
    async with open_store(store_url(options.store)) as store:
        study = f"generation-{settings.id}"
        budget = await study_budget(store, study, options.budget, None)
        log = store.call_log(study)
        wraps: dict[str, ChatModel] = {
            name: wrapped(model, log, study=study, budget=budget) for name, model in models.items()
        }
        team = team_of(
            settings.preset,
            writer=wraps.get(settings.writer),
            discriminator=wraps.get(settings.discriminator),
            audit=wraps.get(settings.audit),
        )
        try:
            return await generate_pack(
                settings,
                domain,
                team,
                store.lineage(),
                folder,
                into=options.into is not None,
                concurrency=options.concurrency,
                progress=progress,
            )
        finally:
            for model in wraps.values():
                await model.aclose()


def _settings(options: GenerateOptions) -> tuple[GenerationSettings, Domain]:
    if options.count < 1 or options.concurrency < 1:
        raise InputError("--count and --concurrency must be at least 1")
    if options.pressure not in (None, *PRESSURES):
        raise InputError(f"no pressure {options.pressure!r}; there are {', '.join(PRESSURES)}")
    if options.out is not None and options.into is not None:
        raise InputError("give --out for a new pack or --into for one that is there, not both")
    domain = load_domain(options.domain)
    settings = settings_for(
        domain,
        pressure=options.pressure,
        count=options.count,
        seed=options.seed,
        writer=options.writer,
        discriminator=options.discriminator,
        audit=options.audit,
        preset=preset(options.preset),
    )
    return settings, domain


def _models(settings: GenerationSettings) -> dict[str, ChatModel]:
    """The models that the settings name, each once; the composer and the rules are none."""
    config = read_settings().models
    names = {settings.writer, settings.discriminator, settings.audit} - {COMPOSER, RULES}
    return {name: resolve(name, config) for name in sorted(names)}
