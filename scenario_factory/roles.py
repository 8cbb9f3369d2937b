"""The three parts of the loop: who writes, who judges, who rewrites. Models, or programs in their place."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from dilemma_kernel.records import Outcome, Scenario, Stage, Usage
from scenario_factory.composer.draws import Brief
from scenario_factory.drafts import Draft, Parts


@dataclass(frozen=True)
class Task:
    """One round of one stage of one candidate. It names nobody who works on it."""

    candidate: str
    """Id of the candidate within its generation."""
    brief: Brief
    """The lineage: way to violate and incident."""
    stage: Stage
    round: int
    """From 1."""
    seed: int
    """Seed of the candidate."""
    parts: Parts
    """Accepted parts of the stages before."""
    whole: Scenario | None = None
    """At the last stage, once its text has passed the machine checks: the scenario that all parts make."""


@dataclass(frozen=True)
class Cost:
    """Tokens and dollars of the calls behind one result."""

    usage: Usage = field(default_factory=Usage)
    dollars: float | None = 0.0
    """None where a price is unknown."""

    def __add__(self, other: "Cost") -> "Cost":
        usage = Usage(
            prompt_tokens=self.usage.prompt_tokens + other.usage.prompt_tokens,
            completion_tokens=self.usage.completion_tokens + other.usage.completion_tokens,
        )
        known = self.dollars is not None and other.dollars is not None
        return Cost(usage, (self.dollars or 0.0) + (other.dollars or 0.0) if known else None)


@dataclass(frozen=True)
class Written:
    """What a writer or rewriter gave."""

    draft: Draft | None
    """None where nothing usable came."""
    problem: str = ""
    """Why there is no draft."""
    cost: Cost = Cost()
    memo: Any = None
    """What the same writer needs to rewrite it. Nobody else looks at it."""


@dataclass(frozen=True)
class Scored:
    """What a discriminator said."""

    outcome: Outcome
    """``Measured`` with the mean of the criteria, or ``Unmeasured``."""
    scores: dict[str, float] = field(default_factory=dict)
    """By criterion; empty where nothing was measured."""
    feedback: str = ""
    suggestion: str = ""
    cost: Cost = Cost()


@dataclass(frozen=True)
class Advice:
    """What a rewriter is told about the text that did not pass."""

    findings: tuple[str, ...] = ()
    """What the machine checks found."""
    scores: dict[str, float] = field(default_factory=dict)
    feedback: str = ""
    suggestion: str = ""


class Writer(Protocol):
    """Writes the first text of a stage."""

    @property
    def name(self) -> str: ...

    async def write(self, task: Task, memo: Any) -> Written:
        """``memo`` is what the same writer left with the text of the stage before; None at the first."""
        ...


class Rewriter(Protocol):
    """Changes the text of a stage that did not pass, and no other stage's."""

    @property
    def name(self) -> str: ...

    async def rewrite(self, task: Task, before: Written, advice: Advice) -> Written: ...


class Discriminator(Protocol):
    """Scores the text of a stage. It sees the texts alone, never who wrote them."""

    @property
    def name(self) -> str: ...

    async def score(self, task: Task, draft: Draft) -> Scored: ...


class Auditor(Protocol):
    """Scores a whole accepted scenario by a rubric that the loop did not use."""

    @property
    def name(self) -> str: ...

    async def audit(self, candidate: str, scenario: Scenario) -> Scored: ...


@dataclass(frozen=True)
class Team:
    """Everyone who works on a generation."""

    writer: Writer
    rewriter: Rewriter
    discriminator: Discriminator
    auditor: Auditor
