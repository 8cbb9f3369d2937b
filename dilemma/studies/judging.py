"""What the rules say of a trajectory: everything that is stored beside it as it ends."""

from dilemma_kernel.records import Judgement, Scenario, Trajectory
from dilemma_kernel.semantics.comprehension import judge_comprehension
from dilemma_kernel.semantics.labels import judge


def rule_judgements(trajectory: Trajectory, scenario: Scenario) -> tuple[Judgement, ...]:
    """Label first, then the label of what was executed, then the probe's where it was asked."""
    probe = judge_comprehension(trajectory, scenario)
    return (*judge(trajectory, scenario), *((probe,) if probe else ()))
