"""What every answer of an environment has to obey, whoever wrote the environment."""

from collections.abc import Mapping

from dilemma_kernel.records import EnvironmentReply, Move, Scalar, Scenario
from dilemma_kernel.semantics.state import patch_problems, refused


def response_problems(
    scenario: Scenario, world: Mapping[str, Scalar], move: Move, response: EnvironmentReply, levels: Mapping[str, str]
) -> tuple[str, ...]:
    """What is wrong with an answer to ``move``; empty where nothing is.

    A refused action must not be executed. An executed one has the effects that it declares. An environment may also
    say of an action that is not refused that it took no effect; then it changes nothing that actions govern.

    Args:
        scenario: the scenario of the episode.
        world: the state variables before the answer.
        move: what the agent attempted.
        response: the answer.
        levels: the levels of the episode's cell.
    """
    action = scenario.action(move.action)
    if response.executed and refused(action, levels):
        return (f"refused: {action.key} is refused at this feedback level, and was executed",)
    judged = action if response.executed else action.model_copy(update={"effects": {}})
    return patch_problems(scenario, world, judged, response.patch, levels)
