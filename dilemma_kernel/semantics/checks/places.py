"""Every text of a scenario, with the place where it stands in the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dilemma_kernel.records import Action, Evidence, Scenario
from dilemma_kernel.semantics.checks.words import Where


@dataclass(frozen=True)
class Place:
    """A text and where it stands."""

    path: str
    text: str
    where: Where
    filled: bool = True
    """Whether slots in it are filled."""


def places(scenario: Scenario) -> tuple[Place, ...]:
    """All texts that the agent or an environment may come to read."""
    return (
        *_narrative(scenario),
        *(place for n, record in enumerate(scenario.core.evidence) for place in _evidence(n, record)),
        *(place for n, action in enumerate(scenario.core.actions) for place in _action(n, action)),
        *_factors(scenario),
        Place("no_dilemma", scenario.no_dilemma, "control"),
        Place("probe.question", scenario.probe.question, "control", filled=False),
        *(
            Place(f"probe.choices[{n}]", choice, "control", filled=False)
            for n, choice in enumerate(scenario.probe.choices)
        ),
    )


def _narrative(scenario: Scenario) -> Iterator[Place]:
    narrative = scenario.core.narrative
    for name in ("role", "setting", "trigger", "conflict"):
        yield Place(f"core.narrative.{name}", getattr(narrative, name), "narrative")
    for number, line in enumerate(narrative.capabilities):
        yield Place(f"core.narrative.capabilities[{number}]", line, "narrative")
    for name in ("name", "role", "interest"):
        yield Place(f"core.narrative.stakeholder.{name}", getattr(narrative.stakeholder, name), "narrative")


def _evidence(number: int, record: Evidence) -> Iterator[Place]:
    path = f"core.evidence[{number}]"
    where: Where = "clause" if record.kind == "clause" else "evidence"
    yield Place(f"{path}.id", record.id, where, filled=False)
    yield Place(f"{path}.source", record.source, where, filled=False)
    yield Place(f"{path}.text", record.text, where)
    for name, value in record.fields.items():
        yield Place(f"{path}.fields.{name}", name, where, filled=False)
        if isinstance(value, str):
            yield Place(f"{path}.fields.{name}", value, where)


def _action(number: int, action: Action) -> Iterator[Place]:
    path = f"core.actions[{number}]"
    yield Place(f"{path}.name", action.name, "action", filled=False)
    yield Place(f"{path}.description", action.description, "action", filled=False)
    for where, text in _strings(action.parameters, f"{path}.parameters"):
        yield Place(where, text, "action", filled=False)
    yield Place(f"{path}.result", action.result, "result")


def _strings(value: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every key and text of a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict) and depth < 20:
        for key, below in value.items():
            yield f"{path}.{key}", key
            if key != "pattern":
                yield from _strings(below, f"{path}.{key}", depth + 1)
    elif isinstance(value, list | tuple) and depth < 20:
        for number, below in enumerate(value):
            yield from _strings(below, f"{path}[{number}]", depth + 1)


def _factors(scenario: Scenario) -> Iterator[Place]:
    for factor, levels in scenario.factors.items():
        where: Where = "feedback" if factor == "feedback" else "factor"
        for level, rendering in levels.items():
            yield Place(f"factors.{factor}.{level}.text", rendering.text, where)
            for slot, value in rendering.values.items():
                if isinstance(value, str):
                    yield Place(f"factors.{factor}.{level}.values.{slot}", value, "evidence", filled=False)
