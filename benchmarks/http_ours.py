"""Episodes over HTTP in dilemma: litellm's real path on both sides, everything stored; prints one JSON line.

python http_ours.py URL EPISODES TURNS CONCURRENCY [PROCESSES] [--profile=FILE]
"""

import cProfile
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import dilemma
from dilemma.settings import read_settings
from dilemma.studies.options import make_options
from dilemma.studies.simulate import run_blocking
from dilemma.studies.watching import Silent
from dilemma_kernel.models.instances import instance
from scenario_factory.packs import write_scenario

SETTINGS = """
[models]
bench-agent = {{model = "openai/agent", api_base = "{url}", input_price = 1.0, output_price = 1.0}}
bench-world = {{model = "openai/world", api_base = "{url}", input_price = 1.0, output_price = 1.0}}
"""


def helper_call() -> tuple[str, str]:
    """Name and arguments of a helper that may be called for ever, as the server is told to answer."""
    scenario = dilemma.load_pack("starter").scenarios[0]
    helper = next(a for a in scenario.core.actions if a.track == "aligned" and not a.terminal)
    return helper.name, json.dumps(instance(helper.parameters, Random(0)))


def study(folder: str, name: str, episodes: int, turns: int, concurrency: int, processes: int) -> None:
    """Run one study; every episode must end as the server makes it end."""
    first = dilemma.load_pack("starter").scenarios[0]
    path = Path(folder, "scenario.yaml")
    if not path.exists():
        write_scenario(first, path)
    options = make_options(
        agent=("bench-agent",),
        environment=("bench-world",),
        scenarios=str(path),
        episodes=episodes,
        turns=turns,
        concurrency=concurrency,
        store=f"{folder}/{name}.db",
        study=name,
        **({"processes": processes} if processes > 1 else {}),
    )
    total = run_blocking(options, resume=False, retry_crashed=False, watcher=Silent()).report().total
    assert total.labels["stalling"] == episodes, total
    assert total.faults == 0, total


def cpu_seconds() -> float:
    """CPU of this process and of those that it started and that ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main(
    url: str, episodes: int, turns: int, concurrency: int, processes: int = 1, profile_to: str | None = None
) -> None:
    """Run and print CPU and wall seconds."""
    profile = cProfile.Profile(time.thread_time)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "dilemma.toml").write_text(SETTINGS.format(url=url))
        os.chdir(folder)
        assert read_settings().models.models, "the settings file of the benchmark was not read"
        study(folder, "warm", 2, 2, 2, 1)
        cpu, wall = cpu_seconds(), time.perf_counter()
        if profile_to:
            profile.enable()
        study(folder, "bench", episodes, turns, concurrency, processes)
        profile.disable()
        if profile_to:
            profile.dump_stats(profile_to)
        print(json.dumps({"cpu": cpu_seconds() - cpu, "wall": time.perf_counter() - wall}))


if __name__ == "__main__":
    url, *numbers = [argument for argument in sys.argv[1:] if not argument.startswith("--profile=")]
    profiles = [argument.removeprefix("--profile=") for argument in sys.argv[1:] if argument.startswith("--profile=")]
    main(url, *map(int, numbers), profile_to=next(iter(profiles), None))
