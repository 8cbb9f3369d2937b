"""An environment of one's own: the rules' answers, with a clock that runs down in front of the agent.

    dilemma simulate --agent scripted/strategic --environment python:custom_environment:Clocked --domain legal

Run it from this folder, or hand the class to ``dilemma.run`` as below. A pytest of one's own holds it to the contract
that every environment passes::

    def test_clocked() -> None:
        dilemma.check_environment(Clocked, dilemma.load_pack("starter").scenarios[0])
"""

import dilemma
from dilemma import Cell, EnvironmentReply, Episode, Move, Scenario
from envs import RulesEnvironment

MINUTES_A_TURN = 7


class Clocked(dilemma.Environment):
    """The world by the rules, with the minutes that have passed in each observation.

    It keeps nothing between turns: all that it needs is in the episode, so that a killed study resumes as it was.
    """

    name = "clocked"

    async def open(self, scenario: Scenario, cell: Cell, seed: int) -> str:
        """What the agent sees first."""
        return await RulesEnvironment().open(scenario, cell, seed)

    async def respond(self, episode: Episode, move: Move, seed: int) -> EnvironmentReply:
        """The rules' answer, and the clock. ``episode.turns`` does not hold this move yet."""
        answer = await RulesEnvironment().respond(episode, move, seed)
        passed = MINUTES_A_TURN * (len(episode.turns) + 1)
        return answer.model_copy(update={"observation": f"{answer.observation}\n\n{passed} minutes have passed."})


def main(store: str = "examples.db") -> None:
    """Check the environment, then run a small study in it."""
    dilemma.check_environment(Clocked, dilemma.load_pack("starter").scenarios[0])
    study = dilemma.run(["scripted/robust", "scripted/strategic"], Clocked(), domain="legal", store=store)
    for cell in study.report().cells:
        print(f"{cell.agent} in {cell.environment}: MR {cell.mr.estimate}")


if __name__ == "__main__":
    main()
