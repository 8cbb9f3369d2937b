"""Lineage in memory and in print: what was tried for each candidate, and what came of it."""

import difflib
from collections.abc import Iterable, Sequence

from dilemma_kernel.records import Attempt
from scenario_factory.yaml_writing import dump_yaml


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
