"""The contract of an environment, executable: every environment passes it, ours and anyone's."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from dilemma_kernel.errors import EnvironmentFailure
from dilemma_kernel.ports import Environment
from dilemma_kernel.records import BASELINE, FACTORS, Cell, Scenario
from envs.walks import Problem, Walk, scripts, steps, walked

__all__ = ["Problem", "check_environment", "environment_problems"]

SHOWN: Final = 3
"""Most problems of one kind that are named."""


def check_environment(
    factory: Callable[[], Environment], scenario: Scenario, *, cell: Cell | None = None, seeds: Sequence[int] = (0, 1)
) -> None:
    """Holds an environment to its contract; fit for a user's own pytest, inside an event loop or not.

    ==============  ======================================================================
    ``opening``     ``open`` gives a text that is not empty
    ``record``      ``respond`` gives an ``EnvironmentReply`` with an observation
    ``json``        what it gives comes back from JSON as it went
    ``schema``      the state obeys the scenario's schema after every patch
    ``effects``     an executed action has its declared effects, and governed variables change by their actions alone
    ``refused``     with feedback high an A− action is not executed and changes nothing
    ``terminal``    a terminal leads to its end state, which later helpers leave alone
    ``mutation``    scenario, cell, episode and move stay as they were handed in
    ``determinism`` the same seed gives the same answers
    ``isolation``   two episodes at once do not touch each other
    ``raises``      nothing is raised
    ==============  ======================================================================

    Every action is attempted, at all three feedback levels. An environment that asks a model is deterministic only as
    far as its model is: put it behind a call log, or a scripted model.

    Args:
        factory: makes a new environment; a class without arguments does.
        scenario: the dilemma to walk through.
        cell: the levels beside feedback; the baseline by default.
        seeds: seeds of the episodes, two at least.

    Raises:
        EnvironmentFailure: names every rule that was broken.
    """
    problems = _run(factory, scenario, cell, seeds)
    if problems:
        listed = "\n".join(f"  {problem}" for problem in problems)
        raise EnvironmentFailure(f"the environment breaks its contract:\n{listed}")


async def environment_problems(
    factory: Callable[[], Environment], scenario: Scenario, *, cell: Cell | None = None, seeds: Sequence[int] = (0, 1)
) -> tuple[Problem, ...]:
    """The problems that ``check_environment`` raises with, a few of each kind; empty where there are none."""
    if len(set(seeds)) < 2:
        raise ValueError("two different seeds at least, for episodes must not touch each other")
    problems: list[Problem] = []
    for chosen in _cells(cell):
        for seed in seeds:
            for script in scripts(scenario):
                problems += await _deterministic(factory, Walk(scenario, chosen, seed, script))
        if not any(problem.check in {"determinism", "raises"} for problem in problems):
            problems += await _isolated(factory, scenario, chosen, seeds)
    return tuple(_few(problems))


def _run(
    factory: Callable[[], Environment], scenario: Scenario, cell: Cell | None, seeds: Sequence[int]
) -> tuple[Problem, ...]:
    def run() -> tuple[Problem, ...]:
        return asyncio.run(environment_problems(factory, scenario, cell=cell, seeds=seeds))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def _cells(cell: Cell | None) -> list[Cell]:
    base = cell or Cell(agent="checked", environment="checked", levels=dict(BASELINE))
    levels = FACTORS["feedback"].levels
    return [
        Cell(agent=base.agent, environment=base.environment, levels={**base.levels, "feedback": level})
        for level in levels
    ]


async def _deterministic(factory: Callable[[], Environment], walk: Walk) -> list[Problem]:
    first = await walked(factory(), walk)
    again = await walked(factory(), _anew(walk))
    if not first.problems and not again.problems and first.said != again.said:
        return [Problem("determinism", f"two walks {_along(walk)} under seed {walk.seed} differ")]
    return first.problems


async def _isolated(
    factory: Callable[[], Environment], scenario: Scenario, cell: Cell, seeds: Sequence[int]
) -> list[Problem]:
    """Two episodes a step at a time in turn on one environment, against each of them alone."""
    longest = sorted(scripts(scenario), key=len)[-2:]
    alone = [Walk(scenario, cell, seed, script) for seed, script in zip(seeds, longest, strict=False)]
    for walk in alone:
        await walked(factory(), walk)
    together = [_anew(walk) for walk in alone]
    environment = factory()
    under_way = [steps(environment, walk) for walk in together]
    while under_way:
        under_way = [walk for walk in under_way if await anext(walk, _OVER) is not _OVER]
    if any(walk.said != before.said for walk, before in zip(together, alone, strict=True)):
        return [Problem("isolation", f"an episode {_along(together[0])} changes when another runs beside it")]
    return []


_OVER: Final = object()


def _anew(walk: Walk) -> Walk:
    return Walk(walk.scenario, walk.cell, walk.seed, walk.script)


def _along(walk: Walk) -> str:
    return f"along {', '.join(walk.script)} at feedback {walk.cell.levels['feedback']}"


def _few(problems: Iterable[Problem]) -> Iterable[Problem]:
    counts: dict[str, int] = {}
    for problem in dict.fromkeys(problems):
        counts[problem.check] = counts.get(problem.check, 0) + 1
        if counts[problem.check] <= SHOWN:
            yield problem
