"""Planted effects, and how well a study of the size that the power simulation asks for finds them.

    python -m benchmarks.recovery > docs/recovery.md

Stakes low −10 points, feedback high −15, accountability user −13, and one interaction; all else is null.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.stats import beta

from benchmarks.coverage import tolerance
from dilemma_kernel.records.estimates import Effect
from dilemma_kernel.statistics.assumptions import Assumptions
from dilemma_kernel.statistics.clusters import Array
from dilemma_kernel.statistics.effects import interaction_effects, main_effects
from dilemma_kernel.statistics.power import cores_for_power
from dilemma_kernel.statistics.simulation import simulate_hits

SEED = 20261
STUDIES = 500
ALPHA = 0.05
TARGET = 0.9
LEAST_REJECTION = 0.85
EPISODES = 2
ASSUMED = Assumptions(mr=0.7, icc=0.2, slope=0.4)
BASELINE = {"stakes": "high", "feedback": "medium", "accountability": "agent"}
LEVELS = {
    "stakes": ("high", "medium", "low"),
    "feedback": ("medium", "low", "high"),
    "accountability": ("agent", "user"),
}
CELLS = tuple(dict(zip(LEVELS, levels, strict=True)) for levels in product(*LEVELS.values()))
MAINS = {"stakes: low − high": -0.10, "feedback: high − medium": -0.15, "accountability: user − agent": -0.13}
INTERACTION = {"feedback: high − medium × accountability: user − agent": -0.15}


def planted_rates(cells: Sequence[Mapping[str, str]] = CELLS) -> Array:
    """(cells,) mean rates whose main effects and one interaction are exactly the planted ones."""
    low, high, user = (
        np.array([cell[f] == level for cell in cells], dtype=float)
        for f, level in (("stakes", "low"), ("feedback", "high"), ("accountability", "user"))
    )
    # Centred over the levels that each main effect averages over, the interaction leaves main effects alone.
    crossed = (high - high.mean()) * (user - user.mean())
    mains = np.array(list(MAINS.values())) @ np.stack([low, high, user])
    return np.asarray(ASSUMED.mr + mains + next(iter(INTERACTION.values())) * crossed)


def pack_size(rng: np.random.Generator) -> int:
    """The cores that give power .9 for the smallest planted main effect and for the planted interaction."""
    smallest = max(MAINS.values())
    wanted = [(smallest, False), (next(iter(INTERACTION.values())), True)]
    found = [
        cores_for_power(
            CELLS,
            ASSUMED,
            rng,
            episodes=EPISODES,
            baseline=BASELINE,
            effect=effect,
            target=TARGET,
            interactions=crossed,
        )
        for effect, crossed in wanted
    ]
    return max(cores for cores in found if cores is not None)


@dataclass
class Tally:
    """What became of one effect over the studies."""

    truth: float
    covered: int = 0
    rejected: int = 0


@dataclass
class Recovery:
    """Effects by name, and in how many studies a true null of a family was rejected after Holm."""

    cores: int
    studies: int
    effects: dict[str, Tally] = field(default_factory=dict)
    false_families: dict[str, int] = field(default_factory=lambda: {"main": 0, "interactions": 0})

    def count(self, family: str, found: Sequence[Effect]) -> None:
        """Add one study's family of effects."""
        false = False
        for effect in found:
            truth = {**MAINS, **INTERACTION}.get(effect.name, 0.0)
            tally = self.effects.setdefault(effect.name, Tally(truth))
            rejected = effect.p_adjusted is not None and effect.p_adjusted < ALPHA
            tally.rejected += rejected
            tally.covered += effect.low is not None and effect.high is not None and effect.low <= truth <= effect.high
            false |= rejected and truth == 0
        self.false_families[family] += false


def recover(cores: int, studies: int, rng: np.random.Generator) -> Recovery:
    """Simulate studies with the planted effects and estimate every main effect and interaction."""
    hits = simulate_hits(
        CELLS, planted_rates(), ASSUMED, rng, baseline=BASELINE, cores=cores, episodes=EPISODES, studies=studies
    )
    result = Recovery(cores=cores, studies=studies)
    totals = np.full((len(CELLS), cores), EPISODES)
    for study in hits:
        result.count("main", main_effects(CELLS, study, totals, baseline=BASELINE))
        result.count("interactions", interaction_effects(CELLS, study, totals, baseline=BASELINE))
    return result


def nominal_is_possible(events: int, trials: int, nominal: float = ALPHA, level: float = 0.999) -> bool:
    """Whether the exact binomial interval of ``events`` in ``trials`` starts at or below the nominal rate."""
    return events == 0 or bool(beta.ppf(0.5 - level / 2, events, trials - events + 1) <= nominal)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(SEED)
    result = recover(pack_size(rng), STUDIES, rng)
    slack = tolerance(STUDIES)
    print("# Recovery of planted effects\n")
    print("Written by `python -m benchmarks.recovery > docs/recovery.md`; do not edit by hand.\n")
    print("The pack is sized by `cores_for_power` for power .9 of the smallest main effect and of the interaction.\n")
    print(f"{result.cores} cores × {len(CELLS)} cells × {EPISODES} episodes, {STUDIES} studies, seed {SEED}\n")
    print("| effect | planted | coverage | ± rule | rejected after Holm | verdict |\n|---|---|---|---|---|---|")
    for name, tally in result.effects.items():
        coverage, rejected = tally.covered / STUDIES, tally.rejected / STUDIES
        good = abs(coverage - 0.95) <= slack and (tally.truth == 0 or rejected >= LEAST_REJECTION)
        print(
            f"| {name} | {tally.truth:+.2f} | {coverage:.3f} | {slack:.3f} | {rejected:.3f} | "
            f"{'pass' if good else 'FAIL'} |"
        )
    print("\n| family | studies with a true null rejected after Holm | nominal rate possible |\n|---|---|---|")
    for family, false in result.false_families.items():
        print(f"| {family} | {false} of {STUDIES} | {'yes' if nominal_is_possible(false, STUDIES) else 'NO'} |")


if __name__ == "__main__":
    main()
