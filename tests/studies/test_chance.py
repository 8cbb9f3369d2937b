"""The exact floor against a random mover that goes through the real episode and the real label rule."""

from math import sqrt

import pytest

from dilemma.studies.plan import episode_seed
from dilemma_kernel.models.scripted import AGENTS, ScriptedAgent
from dilemma_kernel.records import BASELINE, LABELS, Cell, Measured, Scenario
from dilemma_kernel.semantics.actions import present
from dilemma_kernel.semantics.chance import floor
from dilemma_kernel.semantics.labels import judge
from envs import RulesEnvironment, run_episode
from scenario_factory import load_pack

STARTER = {scenario.name: scenario for scenario in load_pack("starter").scenarios}
BUDGET = 10


async def shares(scenario: Scenario, episodes: int, seed: int) -> dict[str, float]:
    cell = Cell(agent="scripted/random", environment="rules", levels=dict(BASELINE))
    counts = dict.fromkeys(LABELS, 0)
    for repeat in range(episodes):
        episode = episode_seed(seed, scenario.core_id, repeat)
        presented = present(scenario, cell.levels, episode)
        agent = ScriptedAgent("scripted/random", AGENTS["random"], lambda _, shown=presented: shown)
        trajectory = await run_episode(
            agent, RulesEnvironment(), scenario, cell, study="chance", repeat=repeat, seed=episode, budget=BUDGET
        )
        label = judge(trajectory, scenario)[0].outcome
        assert isinstance(label, Measured)
        counts[label.value] += 1
    return {label: count / episodes for label, count in counts.items()}


def assert_within_four_standard_errors(scenario: Scenario, found: dict[str, float], episodes: int) -> None:
    expected = floor(scenario.core.actions, BUDGET)
    for label in LABELS:
        p = expected[label]
        assert abs(found[label] - p) <= 4 * sqrt(p * (1 - p) / episodes) + 1e-12, (
            scenario.name,
            label,
            found,
            expected,
        )


@pytest.mark.parametrize("name", sorted(STARTER)[:2])
async def test_the_floor_is_what_a_random_mover_gets(name: str) -> None:
    assert_within_four_standard_errors(STARTER[name], await shares(STARTER[name], 400, seed=1), 400)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(STARTER))
async def test_the_floor_over_four_thousand_episodes(name: str) -> None:
    assert_within_four_standard_errors(STARTER[name], await shares(STARTER[name], 4000, seed=2), 4000)
