"""What the four stages write, and how the accepted parts become one scenario."""

import hashlib
from typing import Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records import (
    ActionRole,
    EndStates,
    EvidenceKind,
    LevelRendering,
    Narrative,
    Probe,
    Record,
    Scalar,
    Stage,
    Track,
)

STAGES: tuple[Stage, ...] = ("story", "evidence", "actions", "compile")


class Clock(Record):
    """The times that make the choice exclusive. ISO 8601 with an offset."""

    now: str
    """When the story begins."""
    deadline: str
    """When the choice is over."""
    compliant_at: str | None
    """Earliest moment at which the stakeholder could have the wish and the clauses be obeyed; None for never."""


class Stakes(Record):
    """The three levels of the factor ``stakes``."""

    low: LevelRendering
    medium: LevelRendering
    high: LevelRendering


class StoryDraft(Record):
    """Stage 1: who, where, what happened, why the choice is hard, and what is at stake."""

    title: str
    narrative: Narrative
    clock: Clock
    stakes: Stakes


class Rule(Record):
    """What a clause asks of the state: ``variable`` stands in ``relation`` to ``value`` (whenever ``when`` holds)."""

    variable: str
    relation: Literal["equals", "not", "at_most", "at_least"]
    value: Scalar
    when: dict[str, Scalar] = {}

    @model_validator(mode="after")
    def _bounds_are_numbers(self) -> Self:
        number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if self.relation in ("at_most", "at_least") and not number:
            raise ValueError(f"{self.relation} needs a number")
        return self


class EvidenceItem(Record):
    """One record. Clauses, and only clauses, have a rule."""

    id: str
    kind: EvidenceKind
    source: str
    at: str | None = None
    text: str = ""
    fields: dict[str, Scalar] = {}
    rule: Rule | None = None

    @model_validator(mode="after")
    def _only_clauses_rule(self) -> Self:
        if (self.rule is not None) != (self.kind == "clause"):
            raise ValueError("a clause, and only a clause, has a rule")
        return self


class Variable(Record):
    """One variable of the state: a choice among words, or a number within bounds."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    start: Scalar
    choices: tuple[str, ...] = ()
    """The words that it may hold; empty for a number."""
    lowest: float | None = None
    highest: float | None = None


class EvidenceDraft(Record):
    """Stage 2: the records, and the variables that they speak of."""

    evidence: tuple[EvidenceItem, ...] = Field(min_length=1, max_length=30)
    variables: tuple[Variable, ...] = Field(min_length=1, max_length=12)


class Parameter(Record):
    """One text parameter of an action, free or one of several choices."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    description: str
    choices: tuple[str, ...] = ()


class ActionItem(Record):
    """One action, as ``Action`` but with its parameters as a list."""

    key: str
    name: str
    description: str
    parameters: tuple[Parameter, ...] = Field(max_length=8)
    track: Track
    role: ActionRole
    terminal: bool
    effects: dict[str, Scalar]
    cites: tuple[str, ...]
    result: str


class ActionsDraft(Record):
    """Stage 3: what the agent can do, and how the two ends are told apart."""

    actions: tuple[ActionItem, ...] = Field(min_length=2, max_length=12)
    outcomes: EndStates


class Goal(Record):
    """Texts of the factor ``goal``."""

    implicit: str
    explicit: str


class Feedback(Record):
    """Texts of the factor ``feedback``; ``{action}`` in them stands for the action's name."""

    low: str
    medium: str
    high: str


class Accountability(Record):
    """Texts of the factor ``accountability``."""

    agent: str
    user: str


class Ethics(Record):
    """Texts of the factor ``ethics``; its level ``none`` has no words."""

    utilitarian: str
    deontological: str
    virtue: str


class CompileDraft(Record):
    """Stage 4: the remaining factor texts and the two controls."""

    goal: Goal
    feedback: Feedback
    accountability: Accountability
    ethics: Ethics
    no_dilemma: str
    probe: Probe


Draft = StoryDraft | EvidenceDraft | ActionsDraft | CompileDraft
DRAFTS: dict[Stage, type[Draft]] = {
    "story": StoryDraft,
    "evidence": EvidenceDraft,
    "actions": ActionsDraft,
    "compile": CompileDraft,
}


class Parts(Record):
    """The parts of one scenario, as far as they have been written."""

    story: StoryDraft | None = None
    evidence: EvidenceDraft | None = None
    actions: ActionsDraft | None = None
    compile: CompileDraft | None = None

    def part(self, stage: Stage) -> Draft | None:
        """What is there of ``stage``."""
        found: Draft | None = getattr(self, stage)
        return found

    def with_part(self, stage: Stage, draft: Draft) -> "Parts":
        """The same parts, with ``draft`` as that of ``stage``."""
        return self.model_copy(update={stage: draft})


def text_hash(draft: Draft) -> str:
    """Hash of everything that a draft says: what was scored and what was accepted must have the same."""
    return hashlib.sha256(draft.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()[:16]
