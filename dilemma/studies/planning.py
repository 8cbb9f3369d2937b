"""``simulate --dry-run``: what a study would do, and what its design can find."""

from dataclasses import dataclass

from dilemma.settings import Settings, read_settings
from dilemma.studies.controls import design_cells
from dilemma.studies.options import SimulateOptions
from dilemma.studies.packs import checked_pack
from dilemma.studies.plan import DEFAULT_STORE, choose_scenarios, most_calls, study_cells, study_record
from dilemma.studies.power import DesignPower, assumptions_of, design_power, parse_assumptions
from dilemma.studies.study import stored_rows
from dilemma_kernel.errors import DesignError
from dilemma_kernel.records import Cell, Scenario, StudyRecord


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """What a study would do."""

    cells: tuple[Cell, ...]
    scenarios: tuple[Scenario, ...]
    episodes: int
    """All episodes: cores × cells × repeats."""
    turns: int
    calls_at_most: int
    power: DesignPower | None = None
    """What the design can find, where assumptions were given."""


def plan_study(
    options: SimulateOptions,
    settings: Settings | None = None,
    *,
    assume: str | None = None,
    from_study: str | None = None,
) -> StudyPlan:
    """What ``options`` would run; nothing is stored and no model is called. Raises ``InputError``.

    Args:
        options: what was said.
        settings: the settings file's, read where they are not given.
        assume: assumptions for the design's power, such as ``mr=.5,icc=.2,slope=.4``.
        from_study: a study of the store to take them from.
    """
    settings = settings or read_settings()
    cells = study_cells(options, settings)
    chosen = choose_scenarios(checked_pack(options.scenarios or "starter").scenarios, options.domain)
    record = study_record(options, cells, chosen, name=options.study or "dry-run", pack="", pack_hash="")
    return StudyPlan(
        cells=cells,
        scenarios=chosen,
        episodes=len(chosen) * len(cells) * record.episodes,
        turns=record.turns,
        calls_at_most=most_calls(record, len(chosen)),
        power=_power(record, len(chosen), options, settings, assume, from_study),
    )


def _power(
    record: StudyRecord,
    cores: int,
    options: SimulateOptions,
    settings: Settings,
    assume: str | None,
    from_study: str | None,
) -> DesignPower | None:
    if assume and from_study:
        raise DesignError("give either --assume or --from: assumptions come from one place")
    if not assume and not from_study:
        return None
    if assume:
        assumptions, source = parse_assumptions(assume), "--assume"
    else:
        url = options.store or settings.store or DEFAULT_STORE
        assumptions, source = assumptions_of(*stored_rows(from_study or "", url)), f"study {from_study}"
    return design_power(
        design_cells(record), record.controls, assumptions, source,
        cores=cores, episodes=record.episodes, seed=record.seed,
    )  # fmt: skip
