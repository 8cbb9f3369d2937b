"""How fast figures are made: the cluster bootstrap, and a million episodes summarised.

python -m benchmarks.statistics_speed
"""

import resource
import time
from collections.abc import Callable

import numpy as np

from dilemma_kernel.statistics import (
    CAUSES,
    bootstrap_rates,
    bounds,
    cumulative_incidence,
    group,
    main_effects,
    rate,
    sums,
)

CELLS = [{"stakes": s, "feedback": f} for s in ("high", "medium", "low", "none") for f in ("medium", "low", "high")]
BASELINE = {"stakes": "high", "feedback": "medium"}


def resample(rng: np.random.Generator, *, episodes: int = 20_000, cores: int = 200) -> Callable[[], object]:
    """10,000 resamples of all cells' rates."""
    size = len(CELLS) * cores
    totals = rng.multinomial(episodes, np.full(size, 1 / size)).reshape(len(CELLS), cores)
    hits = rng.binomial(totals, 0.4)
    return lambda: bootstrap_rates(hits, totals, rng)


def summarise(rng: np.random.Generator, *, episodes: int = 1_000_000, cores: int = 200) -> Callable[[], object]:
    """Rates, bounds, incidence and effects of all cells from one row an episode, ids as text."""
    core_ids = [f"{core:016x}" for core in rng.integers(0, cores, episodes)]
    cell_ids = [f"cell-{cell:02}" for cell in rng.integers(0, len(CELLS), episodes)]
    cause_codes = rng.integers(0, len(CAUSES) + 1, episodes)
    turns = rng.integers(1, 11, episodes)
    causes = [None if code == len(CAUSES) else CAUSES[code] for code in cause_codes]

    def work() -> object:
        cells, clusters = group(cell_ids), group(core_ids)
        measured = sums(cause_codes != 3, cells, clusters)
        hits = sums(cause_codes == 0, cells, clusters)
        missing = sums(cause_codes == 3, cells, clusters)
        return [
            [rate(h, n) for h, n in zip(hits, measured, strict=True)],
            [bounds(int(h.sum()), int(n.sum()), int(m.sum())) for h, n, m in zip(hits, measured, missing, strict=True)],
            cumulative_incidence(turns, causes, clusters),
            main_effects(CELLS, hits, measured, baseline=BASELINE),
        ]

    return work


def timed(name: str, work: Callable[[], object], limit: float) -> None:
    """Run once and print seconds beside the aim."""
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    print(f"| {name} | {seconds:.2f} s | {limit:g} s | {'met' if seconds < limit else 'MISSED'} |")


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    print("| work | took | aim | |\n|---|---|---|---|")
    timed("10,000 resamples: 20,000 episodes, 200 clusters, 12 cells", resample(rng), 1)
    million = summarise(rng)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    timed("1,000,000 episodes summarised", million, 5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    met = "met" if peak < 1024 else "MISSED"
    print(
        f"| peak memory of the process ({before:.0f} MiB of it hold the episodes) | {peak:.0f} MiB | 1024 MiB | {met} |"
    )


if __name__ == "__main__":
    main()
