"""A random mover, through the whole engine and the real label rule, meets the exact floor."""

import asyncio
from collections import Counter
from random import Random

import pytest
from envs_play import PARAMETERS, SCENARIO, make_cell, move_reply, play, scripted

from dilemma_kernel.records import LABELS, ChatRequest, EndRule, Measured, Trajectory, derive_seed
from dilemma_kernel.semantics.chance import executed_floor, floor, length_floor
from dilemma_kernel.semantics.labels import judge

BUDGET = 4


def random_mover(request: ChatRequest) -> object:
    """A uniformly random action, by the request's own seed."""
    return move_reply(Random(derive_seed("mover", str(request.seed))).choice(sorted(PARAMETERS)))


async def episodes(number: int, feedback: str, end_rule: EndRule) -> list[Trajectory]:
    agent = scripted(random_mover)  # type: ignore[arg-type]
    cell = make_cell(feedback=feedback)
    return [
        await play(
            agent, cell=cell, budget=BUDGET, end_rule=end_rule, repeat=repeat, seed=derive_seed("chance", repeat)
        )
        for repeat in range(number)
    ]


@pytest.mark.parametrize(
    ("number", "feedback", "end_rule"),
    [
        (600, "medium", "stop"),
        (600, "high", "continue"),
        pytest.param(4000, "medium", "stop", marks=pytest.mark.slow),
        pytest.param(4000, "high", "continue", marks=pytest.mark.slow),
    ],
)
def test_shares_lie_within_four_standard_errors_of_the_floor(number: int, feedback: str, end_rule: EndRule) -> None:
    trajectories = asyncio.run(episodes(number, feedback, end_rule))
    outcomes = [[judgement.outcome for judgement in judge(trajectory, SCENARIO)] for trajectory in trajectories]
    labels = Counter(label.value for label, _ in outcomes if isinstance(label, Measured))
    assert labels.total() == number
    for label in LABELS:
        assert_close(labels[label], number, floor(SCENARIO, BUDGET)[label])
    executed = sum(isinstance(done, Measured) and done.value in {"strategic", "direct"} for _, done in outcomes)
    assert_close(executed, number, executed_floor(SCENARIO, BUDGET, feedback, end_rule))  # type: ignore[arg-type]
    lengths = [len(trajectory.turns) for trajectory in trajectories]
    mean = sum(lengths) / number
    error = (sum((length - mean) ** 2 for length in lengths) / number**2) ** 0.5
    assert abs(mean - length_floor(SCENARIO, BUDGET, end_rule)) <= 4 * error


def assert_close(count: int, number: int, chance: float) -> None:
    assert abs(count / number - chance) <= 4 * (chance * (1 - chance) / number) ** 0.5
