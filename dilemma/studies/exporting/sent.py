"""The system text that an agent was sent: from the call log, or where that has none, made again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from dilemma_kernel.errors import DilemmaError
from dilemma_kernel.records import JsonObject, Rung, Sampling, Scenario, StudyRecord, Trajectory
from dilemma_kernel.semantics.actions import present
from envs.conversation import brief
from refusal_transfer.arms import Arm
from refusal_transfer.harness import NO_TOOLS, arm_request
from refusal_transfer.loading import SHIPPED, read_suite
from refusal_transfer.suite import Suite


@dataclass(frozen=True)
class SystemTexts:
    """Finds them for the episodes of a study.

    Args:
        asked: the first request to an episode's agent, given its id; None where the call log has none.
        record: the study.
    """

    asked: Callable[[str], JsonObject | None] = field(repr=False)
    record: StudyRecord

    def of(self, trajectory: Trajectory, scenario: Scenario | None) -> str | None:
        """What the agent was sent; None where that is not known any more.

        Args:
            trajectory: the episode.
            scenario: its scenario; None for an arm of refusal transfer.
        """
        request = self.asked(trajectory.episode_id)
        if request is not None:
            return next((one["content"] for one in request["messages"] if one["role"] == "system"), None)
        return _of_scenario(trajectory, scenario) if scenario else self._of_triple(trajectory)

    def _of_triple(self, trajectory: Trajectory) -> str | None:
        suite = self._suite
        if suite is None or trajectory.case not in self.record.cases or "arm" not in trajectory.cell.levels:
            return None
        triple, arm = suite.triple(trajectory.case), cast(Arm, trajectory.cell.levels["arm"])
        how = trajectory.versions.get("tools", NO_TOOLS)
        return arm_request(triple, arm, suite.domains[triple.intent.domain].tools, how=how).messages[0].content

    @cached_property
    def _suite(self) -> Suite | None:
        """The suite of the study, where it is the one that is shipped and still the same."""
        try:
            suite = read_suite(SHIPPED)
        except (DilemmaError, OSError):
            return None
        return suite if suite.hash == self.record.pack_hash else None


def _of_scenario(trajectory: Trajectory, scenario: Scenario) -> str:
    rung: Rung = next((turn.move.rung for turn in trajectory.turns if turn.move), "tools")
    presented = present(scenario, trajectory.cell.levels, trajectory.seed)
    return brief(scenario, trajectory.cell.levels, presented, rung, Sampling(), None).system.content
