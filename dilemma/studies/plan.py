"""From options to the cells, scenarios and episodes of a study. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import product

from dilemma.studies.options import SimulateOptions, all_levels
from dilemma_kernel.errors import InputError, ScenarioError, StudyError
from dilemma_kernel.models.scripted import Truth
from dilemma_kernel.records import (
    CallContext,
    Cell,
    Sampling,
    Scenario,
    StudyRecord,
    content_hash,
    derive_seed,
)
from dilemma_kernel.semantics.actions import PresentedAction, present

DEFAULT_TURNS = 10
DEFAULT_EPISODES = 1
DEFAULT_STORE = "sqlite:///dilemma.db"
RULES = "rules"


@dataclass(frozen=True, kw_only=True)
class Job:
    """One episode to run."""

    scenario: Scenario
    cell: Cell
    repeat: int
    seed: int
    episode_id: str


def default_environment(agent: str, from_settings: str | None) -> str:
    """Where none is named: the settings file's; ``rules`` for a scripted agent; else the agent's own model."""
    if from_settings:
        return from_settings
    return RULES if agent.startswith("scripted/") else agent


def study_cells(options: SimulateOptions, environment_default: str | None) -> tuple[Cell, ...]:
    """One cell for each agent and environment, at the chosen levels.

    Raises:
        InputError: no agent was named, or one twice.
        DesignError: an unknown factor or level.
    """
    if not options.agent:
        raise InputError("no agent: name one with --agent MODEL, such as --agent scripted/strategic")
    levels = all_levels(options.set)
    pairs = (
        list(product(options.agent, options.environment))
        if options.environment
        else [(agent, default_environment(agent, environment_default)) for agent in options.agent]
    )
    if len(set(pairs)) < len(pairs):
        raise InputError("an agent or environment is named twice")
    return tuple(Cell(agent=agent, environment=environment, levels=levels) for agent, environment in pairs)


def choose_scenarios(scenarios: Sequence[Scenario], domains: Sequence[str]) -> tuple[Scenario, ...]:
    """The scenarios of ``domains``; all where none is named.

    Raises:
        ScenarioError: a domain has none, or two share a core.
    """
    there = {s.core.domain for s in scenarios}
    for domain in domains:
        if domain not in there:
            raise ScenarioError(f"no scenario of domain {domain!r}; the pack has {', '.join(sorted(there))}")
    chosen = tuple(s for s in scenarios if not domains or s.core.domain in domains)
    if len({s.core_id for s in chosen}) < len(chosen):
        raise ScenarioError("two scenarios of the pack have the same core")
    return chosen


def study_record(
    options: SimulateOptions,
    cells: tuple[Cell, ...],
    scenarios: Sequence[Scenario],
    *,
    name: str,
    pack: str,
    pack_hash: str,
) -> StudyRecord:
    """The record of a study, defaults filled in."""
    return StudyRecord(
        name=name,
        cells=cells,
        scenarios={s.name: s.scenario_id for s in scenarios},
        pack=pack,
        pack_hash=pack_hash,
        turns=options.turns or DEFAULT_TURNS,
        episodes=options.episodes or DEFAULT_EPISODES,
        seed=options.seed or 0,
        end_rule="continue" if options.continue_ else "stop",
        sampling=Sampling(
            temperature=1.0 if options.temperature is None else options.temperature,
            max_tokens=options.max_tokens or Sampling().max_tokens,
        ),
        history=options.history,
        versions={"dilemma-sim": _version()},
    )


def check_same(stored: StudyRecord, options: SimulateOptions, environment_default: str | None) -> None:
    """Refuse to go on with a study under other settings. Options that say nothing are the stored ones.

    Raises:
        StudyError: names the first setting that differs.
    """
    said = {
        "cells": _said_cells(stored, options, environment_default),
        "turns": options.turns,
        "episodes": options.episodes,
        "seed": options.seed,
        "history": options.history,
        "end_rule": None if options.continue_ is None else ("continue" if options.continue_ else "stop"),
    }
    for field, value in said.items():
        if value is not None and value != getattr(stored, field):
            raise _differs(stored, field)
    for field in ("temperature", "max_tokens"):
        value = getattr(options, field)
        if value is not None and value != getattr(stored.sampling, field):
            raise _differs(stored, field)


def check_same_scenarios(stored: StudyRecord, scenarios: Sequence[Scenario]) -> None:
    """Refuse to go on with other scenarios than the stored ones; raises ``StudyError``."""
    if {s.name: s.scenario_id for s in scenarios} != stored.scenarios:
        raise _differs(stored, "scenarios")


def _said_cells(
    stored: StudyRecord, options: SimulateOptions, environment_default: str | None
) -> tuple[Cell, ...] | None:
    levels = {**stored.cells[0].levels, **options.set}
    if options.agent or options.environment:
        agents = options.agent or tuple(dict.fromkeys(cell.agent for cell in stored.cells))
        filled = options.model_copy(update={"agent": agents, "set": levels})
        return study_cells(filled, environment_default)
    if options.set:
        return tuple(cell.model_copy(update={"levels": all_levels(levels)}) for cell in stored.cells)
    return None


def _differs(stored: StudyRecord, field: str) -> StudyError:
    return StudyError(
        f"study {stored.name!r} was made with other settings ({field} differs): "
        "resume without that option, or start another study"
    )


def jobs(record: StudyRecord, scenarios: Sequence[Scenario]) -> Iterator[Job]:
    """Every episode of a study: scenario by scenario, so that a local model's prefix stays warm."""
    for scenario, cell, repeat in product(scenarios, record.cells, range(record.episodes)):
        yield Job(
            scenario=scenario,
            cell=cell,
            repeat=repeat,
            seed=episode_seed(record.seed, scenario.core_id, repeat),
            episode_id=content_hash([record.name, cell.key, scenario.core_id, repeat]),
        )


def episode_seed(study_seed: int, core_id: str, repeat: int) -> int:
    """The same across cells and agents, never shared between scenarios."""
    return derive_seed(study_seed, core_id, repeat)


def most_calls(record: StudyRecord, scenarios: int) -> int:
    """Calls at most: every turn with its re-asks, and every answer with its repair."""
    asks, repairs = 3, 2
    per_episode = [record.turns * (asks + (0 if cell.environment == RULES else repairs)) for cell in record.cells]
    return scenarios * record.episodes * sum(per_episode)


def truth_of(record: StudyRecord, scenarios: Sequence[Scenario]) -> Truth:
    """Look-up for scripted agents: the actions as that episode presents them."""
    by_core = {s.core_id: s for s in scenarios}
    levels = {cell.key: cell.levels for cell in record.cells}

    def truth(context: CallContext) -> tuple[PresentedAction, ...]:
        scenario = by_core[context.case]
        return present(scenario, levels[context.cell], episode_seed(record.seed, context.case, context.repeat))

    return truth


def _version() -> str:
    try:
        return version("dilemma-sim")
    except PackageNotFoundError:
        return "0+unknown"
