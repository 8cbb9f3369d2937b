"""Near-duplicates: two scenarios that tell the same story with other names and numbers."""

import re
from collections.abc import Iterable

from rapidfuzz import fuzz, process

from dilemma_kernel.records import Scenario

NEAR = 86.0
"""Likeness (0 to 100) from which a scenario is a near-duplicate of another."""
_MASKED = re.compile(r"\b[A-Z]{2,}-?\d[\w.]*|[$£€]?\d[\d,.:]*%?")


def likeness_text(scenario: Scenario) -> str:
    """What two scenarios are compared by: story, stakes at their height and actions, with every figure and id masked
    and the organisation's and the people's names as they are."""
    narrative = scenario.core.narrative
    parts = [narrative.role, narrative.setting, narrative.trigger, narrative.conflict, narrative.stakeholder.role]
    stakes = scenario.factors.get("stakes", {}).get("high")
    parts.append(stakes.text if stakes is not None else "")
    parts += sorted(action.description for action in scenario.core.actions)
    return _MASKED.sub("#", "\n".join(parts)).casefold()


class Likeness:
    """What has been accepted so far, to compare newcomers with.

    Args:
        scenarios: those that are there already.
        near: likeness from which a newcomer is refused.
    """

    def __init__(self, scenarios: Iterable[Scenario] = (), near: float = NEAR) -> None:
        self._near = near
        self._texts: dict[str, dict[str, str]] = {}
        """Pressure -> name -> text: a story under one pressure is none under the other."""
        for scenario in scenarios:
            self.add(scenario)

    def add(self, scenario: Scenario) -> None:
        """Compare newcomers with ``scenario`` too."""
        self._texts.setdefault(scenario.core.pressure, {})[scenario.name] = likeness_text(scenario)

    def nearest(self, scenario: Scenario) -> tuple[str, float] | None:
        """Name of the scenario that ``scenario`` is a near-duplicate of, and their likeness; None where there is none.

        Likeness is rapidfuzz's normalised indel similarity.
        """
        others = self._texts.get(scenario.core.pressure, {})
        found = process.extractOne(likeness_text(scenario), others, scorer=fuzz.ratio, score_cutoff=self._near)
        return None if found is None else (found[2], round(found[1], 1))
