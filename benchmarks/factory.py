"""How long 200 scenarios take to be composed and checked, and what they are like.

    python -m benchmarks.factory [DOMAIN …]

The aim is under ten seconds for 200, on one core, everything counted but the imports: drawing, machine checks,
scores, rewrites, near-duplicates, audit. The cues of each pack are printed beside.
"""

import asyncio
import sys
import time

from scenario_factory.cues import HIGH, LOW, CueReport, cue_report
from scenario_factory.generation import Generation, generate, settings_for
from scenario_factory.library import load_domain, shipped_domains
from scenario_factory.lineage import MemoryLineage
from scenario_factory.presets import PRESETS
from scenario_factory.teams import team_of

COUNT = 200
AIM_S = 10.0
SEED = 1


def compose(domain: str) -> tuple[Generation, float, float]:
    """A generation of ``COUNT`` scenarios, and the seconds that it took: by the clock and of CPU."""
    library, rules = load_domain(domain), PRESETS["default"]
    settings = settings_for(library, count=COUNT, seed=SEED)
    clock, cpu = time.perf_counter(), time.process_time()
    made = asyncio.run(generate(settings, library, team_of(rules), MemoryLineage()))
    return made, time.perf_counter() - clock, time.process_time() - cpu


def row(domain: str, made: Generation, seconds: float, cpu: float, cues: CueReport) -> str:
    """One line of the table."""
    report = made.report
    figures = [figure.estimate or 0.0 for figure in (cues.words, cues.length, cues.position)]
    inside = all(LOW <= figure <= HIGH for figure in figures)
    cells = [
        f"{domain:<14}",
        f"{seconds:5.1f} s",
        f"{cpu:5.1f} s",
        f"{report.attempted:4d}",
        f"{report.accepted:4d}",
        f"{report.rewrites:4d}",
        f"{len(report.families):3d}",
        *(f"{figure:.2f}" for figure in figures),
        f"{cues.breaches.estimate:.2f}",
        "met" if seconds < AIM_S and inside else "missed",
    ]
    return "  ".join(cells)


def main() -> None:
    """Print the table."""
    compose("legal")  # imports and caches
    print(f"{COUNT} scenarios a domain, seed {SEED}; aim: under {AIM_S:g} s, cues within {LOW:.2f} to {HIGH:.2f}")
    print("domain           clock      cpu  tried   in  rewr  fam  words len  pos   known")
    for domain in sys.argv[1:] or shipped_domains():
        made, seconds, cpu = compose(domain)
        print(row(domain, made, seconds, cpu, cue_report(made.scenarios)), flush=True)


if __name__ == "__main__":
    main()
