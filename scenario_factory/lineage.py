"""Lineage: what was tried for each candidate, and what came of it."""

import difflib
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from pydantic import Field

from dilemma_kernel.records import JsonObject, Outcome, Record, Usage
from scenario_factory.drafts import Stage
from scenario_factory.yaml_writing import dump_yaml

Decision = Literal["accept", "rewrite", "rescore", "write", "reject", "crash"]
"""What followed a round. ``rescore``: nothing was measured, so the same text is judged again; ``write``: nothing
usable was written, so it is asked for again."""


class Attempt(Record):
    """One round of one stage."""

    generation: str
    """Id of the generation: what its settings hash to."""
    candidate: str
    """Id of the candidate within the generation."""
    family: str | None = None
    stage: Stage
    round: int = Field(ge=1)
    kind: Literal["write", "rewrite", "rescore"]
    text: JsonObject | None = None
    """The draft; None where nothing usable was written."""
    text_hash: str | None = None
    """Hash of ``text``. What is accepted has the hash of what was scored."""
    problem: str = ""
    """Why nothing usable was written, or what crashed."""
    findings: tuple[str, ...] = ()
    """What the machine checks found; a text with findings is not scored."""
    outcome: Outcome | None = None
    """What the discriminator measured; None where it was not asked."""
    scores: dict[str, float] = {}
    feedback: str = ""
    suggestion: str = ""
    decision: Decision
    author: str
    """Name of the writer or rewriter."""
    judge: str
    """Name of the discriminator."""
    seed: int
    author_usage: Usage = Usage()
    author_cost: float | None = 0.0
    """US dollars; None where a price is unknown."""
    judge_usage: Usage = Usage()
    judge_cost: float | None = 0.0
    scenario: str | None = None
    """Name of the scenario that the candidate became, on its last attempt."""
    scenario_id: str | None = None


class LineageStore(Protocol):
    """Where attempts are kept. ``put`` twice with the same attempt changes nothing."""

    async def put(self, attempts: Sequence[Attempt]) -> None:
        """Returns once committed. An attempt is known by generation, candidate, stage and round."""
        ...

    async def attempts(self, scenario: str) -> tuple[Attempt, ...]:
        """Every attempt of the candidate that became ``scenario`` (its name or scenario_id), or of the candidate of
        that id, in the order in which they were made; empty where there is none."""
        ...


class MemoryLineage:
    """A lineage store that forgets when the program ends."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str, str, int], Attempt] = {}

    async def put(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            self._held[attempt.generation, attempt.candidate, attempt.stage, attempt.round] = attempt

    async def attempts(self, scenario: str) -> tuple[Attempt, ...]:
        found = [a for a in self._held.values() if scenario in (a.scenario, a.scenario_id, a.candidate)]
        if not found:
            return ()
        last = found[-1]
        return tuple(a for a in self._held.values() if (a.generation, a.candidate) == (last.generation, last.candidate))

    def all(self) -> tuple[Attempt, ...]:
        """Everything held, in the order in which it came."""
        return tuple(self._held.values())


def lineage_lines(attempts: Iterable[Attempt]) -> list[str]:
    """The rounds of a candidate as text: a head for each, the first text in full, then what each rewrite changed."""
    lines: list[str] = []
    before: dict[str, list[str]] = {}
    for attempt in attempts:
        lines += [f"## {attempt.stage}, round {attempt.round} ({attempt.kind} by {attempt.author})", ""]
        text = dump_yaml(attempt.text).splitlines() if attempt.text is not None else []
        earlier = before.get(attempt.stage)
        if earlier is None:
            lines += text
        else:
            changed = difflib.unified_diff(
                earlier, text, f"round {attempt.round - 1}", f"round {attempt.round}", n=1, lineterm=""
            )
            lines += list(changed) or ["(the same text)"]
        if text:
            before[attempt.stage] = text
        lines += ["", *_verdict(attempt), ""]
    return lines


def _verdict(attempt: Attempt) -> list[str]:
    lines = [f"problem: {attempt.problem}"] if attempt.problem else []
    lines += [f"check: {finding}" for finding in attempt.findings]
    if attempt.outcome is not None and attempt.outcome.kind == "measured":
        scores = ", ".join(f"{name} {score:g}" for name, score in attempt.scores.items())
        lines.append(f"{attempt.judge}: {attempt.outcome.value:.2f} ({scores})")
    elif attempt.outcome is not None and attempt.outcome.kind == "unmeasured":
        lines.append(f"{attempt.judge}: unmeasured, {attempt.outcome.why}")
    lines += [
        f"{name}: {text}" for name, text in (("feedback", attempt.feedback), ("suggestion", attempt.suggestion)) if text
    ]
    return [*lines, f"-> {attempt.decision}"]
