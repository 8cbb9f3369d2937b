"""The power of a design, for a dry run: how often each effect would be found."""

from collections.abc import Mapping, Sequence

import numpy as np

from dilemma.studies.controls import design_cells
from dilemma.studies.design import CONTROLS
from dilemma.studies.effects import varied
from dilemma.studies.rows import EpisodeRow, count
from dilemma_kernel.errors import DesignError
from dilemma_kernel.records import BASELINE, Cell, Record, StudyRecord
from dilemma_kernel.statistics.assumptions import Assumptions, assumptions_from
from dilemma_kernel.statistics.power import Power, cores_for_power, power_of_design

TARGET_EFFECT, TARGET_POWER = 0.1, 0.9


class DesignPower(Record):
    """What a design can find."""

    assumptions: Assumptions
    source: str
    """Where the assumptions come from."""
    effects: tuple[Power, ...]
    """For each main effect and size, how often it would be found at the family's level of .05."""
    controls: tuple[Power, ...]
    """The same for the shift of each control."""
    cores_needed: int | None
    """Cores with which every main effect of ten points that the design can tell apart is found nine times in ten;
    None where 1,024 do not do, or where there is no such effect."""


def parse_assumptions(text: str) -> Assumptions:
    """``mr=.5,icc=.2,slope=.4``; slope may be left out.

    Raises:
        DesignError: another form, or a value outside its range.
    """
    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        try:
            given[name.strip()] = float(number)
        except ValueError:
            raise _misread(text) from None
    if not {"mr", "icc"} <= set(given) <= {"mr", "icc", "slope"}:
        raise _misread(text)
    found = Assumptions(**given)
    if not (0 < found.mr < 1 and 0 <= found.icc <= 0.9 and 0 <= found.slope <= 5):
        raise DesignError(f"--assume {text}: mr lies between 0 and 1, icc from 0 to .9, slope from 0 to 5")
    return found


def assumptions_of(study: StudyRecord, rows: Sequence[EpisodeRow]) -> Assumptions:
    """Assumptions from another study's episodes. Raises ``DesignError`` where they say nothing of the correlation."""
    cells = design_cells(study)
    counts = count(cells, rows)
    return assumptions_from(varied(cells), counts.hits, counts.totals, baseline=BASELINE)


def design_power(
    cells: Sequence[Cell],
    controls: Mapping[str, str],
    assumptions: Assumptions,
    source: str,
    *,
    cores: int,
    episodes: int,
    seed: int,
) -> DesignPower:
    """The power of a design and of its controls.

    Args:
        cells: the design's cells, controls left out.
        controls: control factor -> level.
        assumptions: baseline rate, correlation, spread of effects.
        source: where they come from.
        cores: scenarios of the pack.
        episodes: per core and cell.
        seed: of the simulation.
    """
    rows, rng = varied(cells), np.random.default_rng(seed)
    against = {factor: level for factor, level, _ in CONTROLS.values()}
    shifts = [[{factor: against[factor]}, {factor: level}] for factor, level in controls.items()]
    effects = power_of_design(rows, assumptions, rng, cores=cores, episodes=episodes, baseline=BASELINE)
    return DesignPower(
        assumptions=assumptions,
        source=source,
        effects=effects,
        controls=tuple(
            power
            for pair in shifts
            for power in power_of_design(
                pair, assumptions, rng, cores=cores, episodes=episodes, baseline=against, alpha=0.05 / len(shifts)
            )
        ),
        cores_needed=cores_for_power(
            rows, assumptions, rng, episodes=episodes, baseline=BASELINE, effect=TARGET_EFFECT, target=TARGET_POWER
        )
        if any(one.power is not None for one in effects)
        else None,
    )


def _misread(text: str) -> DesignError:
    return DesignError(f"--assume {text}: expected mr=…,icc=…,slope=…, such as mr=.5,icc=.2,slope=.4")
