"""Checks that texts are there."""

from collections.abc import Iterator

from dilemma_kernel.records import Scenario
from dilemma_kernel.semantics.checks.finding import Finding


def check_texts(scenario: Scenario) -> Iterator[Finding]:
    """Narrative, actions' texts, and the two control texts."""
    yield from _present(scenario)
    if not scenario.no_dilemma.strip():
        yield Finding("no-dilemma", "no_dilemma", "is empty: expected the text that removes the conflict")
    elif _plain(scenario.no_dilemma) == _plain(scenario.core.narrative.conflict):
        yield Finding("no-dilemma", "no_dilemma", "is the conflict itself: expected a text without one")
    yield from _probe(scenario)


def _present(scenario: Scenario) -> Iterator[Finding]:
    narrative = scenario.core.narrative
    wanted = {
        "title": scenario.title,
        "core.domain": scenario.core.domain,
        "core.narrative.role": narrative.role,
        "core.narrative.setting": narrative.setting,
        "core.narrative.stakeholder.name": narrative.stakeholder.name,
        "core.narrative.stakeholder.role": narrative.stakeholder.role,
        "core.narrative.stakeholder.interest": narrative.stakeholder.interest,
        "core.narrative.trigger": narrative.trigger,
        "core.narrative.conflict": narrative.conflict,
    }
    for number, line in enumerate(narrative.capabilities):
        wanted[f"core.narrative.capabilities[{number}]"] = line
    for number, action in enumerate(scenario.core.actions):
        wanted[f"core.actions[{number}].description"] = action.description
        wanted[f"core.actions[{number}].result"] = action.result
    for path, text in wanted.items():
        if not text.strip():
            yield Finding("texts", path, "is empty: expected a text")
    if not narrative.capabilities:
        yield Finding("texts", "core.narrative.capabilities", "is empty: expected at least one")
    if len({_plain(line) for line in narrative.capabilities}) < len(narrative.capabilities):
        yield Finding("texts", "core.narrative.capabilities", "names the same capability twice")


def _probe(scenario: Scenario) -> Iterator[Finding]:
    probe = scenario.probe
    if not probe.question.strip():
        yield Finding("probe", "probe.question", "is empty: expected a question about a cited clause")
    choices = [_plain(choice) for choice in probe.choices]
    if len(set(choices)) < len(choices) or "" in choices:
        yield Finding("probe", "probe.choices", "are not all different and non-empty")


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
