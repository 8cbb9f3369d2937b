"""How often the intervals hold the truth: simulated studies, the acceptance rule, a table in Markdown.

    python -m benchmarks.coverage > docs/coverage.md

Each study draws its cores and their effects afresh: a normal intercept a core, scaled to the intra-cluster
correlation at the stated rate, and an effect that varies between cores. The seed is written here and not
tuned.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from benchmarks.coverage_divergence import divergence_coverage
from dilemma_kernel.statistics.assumptions import Assumptions
from dilemma_kernel.statistics.bootstrap import percentile_interval, resampled_sums
from dilemma_kernel.statistics.clusters import Array, linearised_se, share
from dilemma_kernel.statistics.contrasts import main_terms, model_matrix
from dilemma_kernel.statistics.gee import LEAST_CORES, fit_gee
from dilemma_kernel.statistics.intervals import ROUNDING, logit_interval, t_interval, wilson_interval
from dilemma_kernel.statistics.rates import rate_arrays
from dilemma_kernel.statistics.simulation import simulate_hits

SEED = 20260
STUDIES = 10_000
FITTED = 2_000
"""Studies where a model is fitted, and for the bootstrap."""
NOMINAL = 0.95
DESIGNS = ((12, 10), (24, 10), (24, 1))
"""Cores × episodes a core and cell."""
CORRELATIONS = (0.0, 0.1, 0.3)
RATES = (0.5, 0.8, 0.95)
REPORTED = 0.95
"""The rate at which coverage is reported and not accepted."""
EFFECT = -0.1
SLOPE = 0.4
BASELINE = {"factor": "off"}
CELLS = ({"factor": "off"}, {"factor": "on"})
Z = 1.959964


@dataclass(frozen=True)
class Setting:
    """One simulated design."""

    cores: int
    episodes: int
    icc: float
    mr: float

    def hits(self, cells: int, studies: int, rng: np.random.Generator) -> Array:
        """(studies, cells, cores) successes; the second cell lies ``EFFECT`` from the first."""
        assumed = Assumptions(mr=self.mr, icc=self.icc, slope=SLOPE if cells > 1 else 0)
        means = [self.mr, self.mr + EFFECT][:cells]
        return simulate_hits(
            CELLS[:cells], means, assumed, rng,
            baseline=BASELINE, cores=self.cores, episodes=self.episodes, studies=studies,
        )  # fmt: skip


def settings() -> Iterator[Setting]:
    """Every design, correlation and rate of the table."""
    for cores, episodes in DESIGNS:
        for icc in CORRELATIONS:
            for mr in RATES:
                yield Setting(cores, episodes, icc, mr)


def covered(interval: tuple[Array, Array], truth: float | Array) -> float:
    """The share of the intervals that hold the truth, among those that exist."""
    low, high = interval
    exists = ~np.isnan(low)
    return float(((low <= truth) & (truth <= high))[exists].mean()) if exists.any() else float("nan")


def tolerance(studies: int) -> float:
    """Three Monte Carlo standard errors and one point."""
    return float(3 * np.sqrt(NOMINAL * (1 - NOMINAL) / studies) + 0.01)


def verdict(coverage: float, studies: int) -> str:
    """``pass``, ``under`` or ``over``, by the acceptance rule."""
    if abs(coverage - NOMINAL) <= tolerance(studies):
        return "pass"
    return "under" if coverage < NOMINAL else "over"


def rate_coverage(setting: Setting, studies: int, fitted: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage of the rate's interval, of the linearised alone, of Wilson's over all episodes, of the bootstrap."""
    hits = setting.hits(1, studies, rng)[:, 0]
    result = rate_arrays(hits, np.full_like(hits, setting.episodes))
    total = setting.cores * setting.episodes
    linearised = logit_interval(result.estimate, result.se, result.clusters, NOMINAL)
    found = {
        "rate": covered((result.low, result.high), setting.mr),
        "linearised": covered(linearised, setting.mr),
        "Wilson over episodes": covered(wilson_interval(result.estimate, total, NOMINAL), setting.mr),
    }
    if fitted:
        found["percentile bootstrap"] = covered(_bootstrap(hits[:fitted] / setting.episodes, rng), setting.mr)
    return found


def _bootstrap(values: Array, rng: np.random.Generator, at_once: int = 250) -> tuple[Array, Array]:
    """Percentile intervals of the mean over cores; ``values`` is (studies, cores)."""
    blocks = [values[start : start + at_once] for start in range(0, len(values), at_once)]
    ends = [percentile_interval(resampled_sums(block.T, rng) / values.shape[1], NOMINAL) for block in blocks]
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def effect_coverage(setting: Setting, studies: int, fitted: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage of the paired core difference, of two independent shares (Wald), and of the bootstrap."""
    shares = setting.hits(2, studies, rng) / setting.episodes
    difference = shares[:, 1] - shares[:, 0]
    mean = difference.mean(axis=1)
    se = linearised_se((difference - mean[:, None]) / setting.cores, np.full(studies, setting.cores))
    p = shares.mean(axis=2)
    wald = np.sqrt((p * (1 - p)).sum(axis=1) / (setting.cores * setting.episodes))
    found = {
        "paired": covered(t_interval(mean, np.where(se > ROUNDING, se, np.nan), setting.cores, NOMINAL), EFFECT),
        "Wald, episodes independent": covered((mean - Z * wald, mean + Z * wald), EFFECT),
    }
    if fitted:
        found["percentile bootstrap"] = covered(_bootstrap(difference[:fitted], rng), EFFECT)
    return found


def gee_coverage(setting: Setting, studies: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage of the log odds ratio: corrected and shown, corrected and fitted, robust z, model-based z."""
    hits = setting.hits(2, studies, rng)
    n = np.full_like(hits, setting.episodes)
    matrix = model_matrix(CELLS, main_terms(CELLS, BASELINE))
    fit = fit_gee(matrix, hits, n)
    estimate, truth = fit.coefficients[:, 1], float(logit(setting.mr + EFFECT) - logit(setting.mr))
    fewest = np.minimum((hits > 0).sum(axis=2), (hits < n).sum(axis=2)).min(axis=1)
    shown = np.where((fewest >= LEAST_CORES) & (setting.episodes > 1), estimate, np.nan)
    pooled = np.clip(share(hits.sum(axis=2), n.sum(axis=2)), 1e-9, 1 - 1e-9)
    spread = 1 / (setting.cores * setting.episodes * pooled * (1 - pooled))
    score = hits / setting.episodes - pooled[..., None]
    influence = score / (setting.cores * (pooled * (1 - pooled)))[..., None]
    robust = np.sqrt(np.square(influence[:, 1] - influence[:, 0]).sum(axis=1))
    naive = np.sqrt(spread.sum(axis=1))
    corrected = fit.standard_errors[:, 1]
    return {
        "GEE where shown": covered(t_interval(shown, corrected, setting.cores, NOMINAL), truth),
        "GEE wherever it fits": covered(t_interval(estimate, corrected, setting.cores, NOMINAL), truth),
        "robust z": covered((estimate - Z * robust, estimate + Z * robust), truth),
        "logistic regression": covered((estimate - Z * naive, estimate + Z * naive), truth),
        "share shown": float(np.mean(~np.isnan(shown))),
    }


def figure(value: float) -> str:
    """A share to three decimals; a dash where there is none."""
    return "–" if np.isnan(value) else f"{value:.3f}"


def table(title: str, measure: Callable[[Setting, np.random.Generator], dict[str, float]], studies: int) -> str:
    """A Markdown table, a row a setting; the verdict is on the first column of coverage."""
    rng = np.random.default_rng(SEED)
    lines: list[str] = []
    for setting in settings():
        found = measure(setting, rng)
        if not lines:
            head = ["cores × episodes", "ICC", "MR", next(iter(found)), "verdict", *list(found)[1:]]
            lines = [f"## {title}", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        first = next(iter(found.values()))
        word = "reported" if setting.mr == REPORTED else verdict(first, studies)
        if np.isnan(first):
            word = "not shown"
        figures = [figure(first), word, *(figure(value) for value in list(found.values())[1:])]
        design = [f"{setting.cores} × {setting.episodes}", f"{setting.icc:g}", f"{setting.mr:g}"]
        lines.append(f"| {' | '.join(design + figures)} |")
    return "\n".join(lines)


RATE_NOTE = """
With one episode a core the linearised interval is too wide at 24 cores, and the rate's interval is Wilson's, with n the
number of cores: a share of 24 moves in steps, and at MR .5 the two coverages nearest to .95 that an interval can have
which treats both outcomes alike are .936 and .977. Beyond .9 the linearised interval covers too much with 12 cores, and
too little with 24 at a correlation of .3.
"""
EFFECT_NOTE = """
At MR .95 few cores show an event, and the paired interval falls short too: read an effect near an end with care.
"""
GEE_NOTE = """
Shown means that cores give several episodes at a level, and that at each level at least five cores show each outcome.
Where that is rare, the studies that pass are a selected few, and coverage among them departs from the nominal. With one
episode a core the GEE would cover .97 to .99 at MR .8, for want of events and because so few discordant pairs move in
coarse steps: there it is Unmeasured, and the paired difference, which covers, serves alone.
"""


def main() -> None:
    """Print the page."""
    print("# Coverage of the intervals\n")
    print("Written by `python -m benchmarks.coverage > docs/coverage.md`; do not edit by hand.\n")
    print(
        f"Nominal {NOMINAL}. A figure passes within three Monte Carlo standard errors and one point: "
        f"± {tolerance(STUDIES):.4f} with {STUDIES:,} studies, ± {tolerance(FITTED):.4f} with {FITTED:,} "
        f"(GEE, bootstrap). Seed {SEED}. MR {REPORTED} is reported, not accepted. The columns after the verdict "
        "are what other intervals would have covered.\n"
    )
    print(table("The rate", lambda s, rng: rate_coverage(s, STUDIES, FITTED, rng), STUDIES))
    print(RATE_NOTE)
    print(table("The paired effect", lambda s, rng: effect_coverage(s, STUDIES, FITTED, rng), STUDIES))
    print(EFFECT_NOTE)
    print(table("The GEE", lambda s, rng: gee_coverage(s, FITTED, rng), FITTED))
    print(GEE_NOTE)
    print(divergence_coverage(STUDIES, FITTED, SEED, verdict))


if __name__ == "__main__":
    main()
