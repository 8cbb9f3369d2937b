"""From options to the cells, scenarios and episodes of a study. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import product

from dilemma.settings import Settings
from dilemma.studies.design import (
    CONTROLS,
    RULES,
    SIDES,
    Row,
    check_cells,
    control_levels,
    design_rows,
    is_control,
    with_controls,
)
from dilemma.studies.options import DESIGNS, SimulateOptions, all_levels
from dilemma_kernel.errors import InputError, ScenarioError, StudyError
from dilemma_kernel.models.scripted import Truth
from dilemma_kernel.records import (
    BASELINE,
    CallContext,
    Cell,
    Sampling,
    Scenario,
    StudyRecord,
    derive_seed,
    episode_id,
)
from dilemma_kernel.semantics.actions import PresentedAction, present

DEFAULT_TURNS = 10
DEFAULT_EPISODES = 1
DEFAULT_STORE = "sqlite:///dilemma.db"


@dataclass(frozen=True, kw_only=True)
class Job:
    """One episode to run."""

    scenario: Scenario
    cell: Cell
    repeat: int
    seed: int
    episode_id: str


def default_environment(agent: str, settings: Settings | None) -> str:
    """Where none is named: the settings file's; ``rules`` for a scripted agent, by whatever alias; else its model."""
    if settings is None:
        target = agent
    elif settings.environment:
        return settings.environment
    else:
        target = settings.models.entry(agent).model or agent
    return RULES if target.startswith("scripted/") else agent


def study_cells(options: SimulateOptions, settings: Settings | None) -> tuple[Cell, ...]:
    """The cells of a study: each agent and environment in each row of the design, then the controls' twins.

    Args:
        options: what was said.
        settings: say who plays the environment where the options do not; None for no settings.

    Raises:
        InputError: no agent was named, or one twice.
        DesignError: an unknown factor or level, or a design that contradicts itself.
    """
    rows = design_rows(options.vary, options.one_at_a_time, options.design, options.set)
    placed = [(pair, row) for row in rows for pair in _sides(row, options, settings)]
    order = list(dict.fromkeys(pair for pair, _ in placed))
    cells = [
        Cell(agent=pair[0], environment=pair[1], levels=all_levels({**options.set, **_factors(row)}))
        for pair, row in sorted(placed, key=lambda one: order.index(one[0]))
    ]
    if len(placed) > len(order) * len(rows):
        raise InputError("an agent or environment is named twice")
    both = with_controls(cells, control_levels(options.control, rows, options.set))
    check_cells(both)
    return both


def _sides(row: Row, options: SimulateOptions, settings: Settings | None) -> list[tuple[str, str]]:
    """Who plays a row of the design: what the row says, else what the options say."""
    agents = (row["agent"],) if "agent" in row else options.agent
    environments = (row["environment"],) if "environment" in row else options.environment
    if not agents:
        raise InputError("no agent: name one with --agent MODEL, such as --agent scripted/strategic")
    if environments:
        return list(product(agents, environments))
    return [(agent, default_environment(agent, settings)) for agent in agents]


def _factors(row: Row) -> dict[str, str]:
    return {name: level for name, level in row.items() if name not in SIDES}


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
        controls=control_levels(options.control, (), options.set),
        versions={"dilemma-sim": _version()},
    )


def check_same(stored: StudyRecord, options: SimulateOptions, settings: Settings) -> None:
    """Refuse to go on with a study under other settings. Options that say nothing are the stored ones.

    Raises:
        StudyError: names the first setting that differs.
    """
    if not _same_cells(stored, options, settings):
        raise _differs(stored, "cells")
    said = {
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


def check_same_models(stored: StudyRecord, identities: Mapping[str, str]) -> None:
    """Refuse to go on where another model or endpoint stands behind a name: no stored reply would be found for it.

    Args:
        stored: the study's record; where it says nothing of a model, nothing is checked.
        identities: model's name -> what stands behind it now.

    Raises:
        StudyError: names the first model that differs, what it was and what it is.
    """
    for name, was in stored.identities.items():
        now = identities.get(name, was)
        if now != was:
            raise StudyError(
                f"study {stored.name!r} was made with another model or endpoint ({name} was {was}, and is {now} now), "
                "so everything would be asked again: resume with what it was (--api-base, or model and api_base in "
                "dilemma.toml), or start another study"
            )


def _same_cells(stored: StudyRecord, options: SimulateOptions, settings: Settings) -> bool:
    """Whether what was said of the cells is what is stored; whatever was not said is."""
    agents = tuple(dict.fromkeys(cell.agent for cell in stored.cells))
    environments = tuple(dict.fromkeys(cell.environment for cell in stored.cells))
    if any(getattr(options, name) for name in DESIGNS):
        held = {**_shared_levels(stored), **options.set}
        filled = {"agent": options.agent or agents, "control": options.control or _control_names(stored), "set": held}
        cells = study_cells(options.model_copy(update=filled), settings)
        return [cell.key for cell in cells] == [cell.key for cell in stored.cells]
    return (
        options.agent in ((), agents)
        and options.environment in ((), environments)
        and set(options.control) in (set(), set(_control_names(stored)))
        and all(
            cell.levels.get(name) == level
            for name, level in all_levels(options.set).items()
            if name in options.set
            for cell in stored.cells
        )
    )


def _shared_levels(stored: StudyRecord) -> dict[str, str]:
    """Levels off the baseline that all cells but the controls share: those that were held."""
    cells = [cell for cell in stored.cells if not is_control(cell, stored.controls)]
    return {
        name: level
        for name, level in cells[0].levels.items()
        if level != BASELINE[name] and all(cell.levels.get(name) == level for cell in cells)
    }


def _control_names(stored: StudyRecord) -> tuple[str, ...]:
    return tuple(name for name, (factor, _, _) in CONTROLS.items() if factor in stored.controls)


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
            episode_id=episode_id(record.name, cell, scenario.core_id, repeat),
        )


def episode_seed(study_seed: int, core_id: str, repeat: int) -> int:
    """The same across cells and agents, never shared between scenarios."""
    return derive_seed(study_seed, core_id, repeat)


def most_calls(record: StudyRecord, scenarios: int) -> int:
    """Calls at most: every turn with its re-asks, every answer with its repair, and the probes."""
    asks, repairs = 3, 2
    per_episode = [record.turns * (asks + (0 if cell.environment == RULES else repairs)) for cell in record.cells]
    probes = sum(cell.levels.get("comprehension") == "asked" for cell in record.cells)
    return scenarios * record.episodes * (sum(per_episode) + probes)


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
