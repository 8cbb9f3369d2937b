"""What the four stages write, and how the accepted parts become one scenario."""

from typing import Literal

from pydantic import Field

from dilemma_kernel.records import (
    Action,
    ActionRole,
    Core,
    EndStates,
    Evidence,
    EvidenceKind,
    JsonObject,
    LevelRendering,
    Narrative,
    Probe,
    Record,
    Scalar,
    Scenario,
    Track,
    content_hash,
)

Stage = Literal["story", "evidence", "actions", "compile"]
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


class EvidenceItem(Record):
    """One record. Clauses, and only clauses, have a rule."""

    id: str
    kind: EvidenceKind
    source: str
    at: str | None = None
    text: str = ""
    fields: dict[str, Scalar] = {}
    rule: Rule | None = None


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

    evidence: tuple[EvidenceItem, ...] = Field(min_length=1)
    variables: tuple[Variable, ...] = Field(min_length=1)


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
    parameters: tuple[Parameter, ...]
    track: Track
    role: ActionRole
    terminal: bool
    effects: dict[str, Scalar]
    cites: tuple[str, ...]
    result: str


class ActionsDraft(Record):
    """Stage 3: what the agent can do, and how the two ends are told apart."""

    actions: tuple[ActionItem, ...] = Field(min_length=2)
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
    return content_hash(draft.model_dump(mode="json"))


def requires(rule: Rule) -> JsonObject:
    """The rule as a JSON Schema over the state."""
    value = rule.value
    conditions: dict[str, JsonObject] = {
        "equals": {"const": value},
        "not": {"not": {"const": value}},
        "at_most": {"maximum": value},
        "at_least": {"minimum": value},
    }
    condition = conditions[rule.relation]
    then: JsonObject = {"properties": {rule.variable: condition}}
    if not rule.when:
        return then
    return {"if": {"properties": {name: {"const": held} for name, held in rule.when.items()}}, "then": then}


def state_schema(variables: tuple[Variable, ...]) -> JsonObject:
    """JSON Schema of the state that ``variables`` span."""
    return {
        "type": "object",
        "properties": {variable.name: _variable_schema(variable) for variable in variables},
        "required": [variable.name for variable in variables],
        "additionalProperties": False,
    }


def evidence_of(draft: EvidenceDraft) -> tuple[Evidence, ...]:
    """The records, with each clause's rule as a schema."""
    return tuple(
        Evidence(
            **item.model_dump(exclude={"rule"}),
            requires=requires(item.rule) if item.rule is not None else None,
        )
        for item in draft.evidence
    )


def action_of(item: ActionItem) -> Action:
    """The action, with its parameters as an object schema."""
    properties = {p.name: _parameter_schema(p) for p in item.parameters}
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return Action(**item.model_dump(exclude={"parameters"}), parameters=schema)


def factors_of(story: StoryDraft, closing: CompileDraft) -> dict[str, dict[str, LevelRendering]]:
    """Every level of every factor."""

    def texts(record: Record) -> dict[str, LevelRendering]:
        return {level: LevelRendering(text=text) for level, text in record.model_dump().items()}

    return {
        "stakes": {level: getattr(story.stakes, level) for level in ("low", "medium", "high")},
        "feedback": texts(closing.feedback),
        "goal": texts(closing.goal),
        "accountability": texts(closing.accountability),
        "ethics": {"none": LevelRendering(), **texts(closing.ethics)},
    }


def assemble(
    story: StoryDraft,
    evidence: EvidenceDraft,
    actions: ActionsDraft,
    closing: CompileDraft,
    *,
    domain: str,
    pressure: Literal["loyalty", "self-preservation"],
    family: str | None,
) -> Scenario:
    """The scenario that the four parts make. Its name is made of its family and its core's hash.

    Raises:
        pydantic.ValidationError: the parts do not fit the records.
    """
    core = Core(
        domain=domain,
        pressure=pressure,
        narrative=story.narrative,
        evidence=evidence_of(evidence),
        actions=tuple(action_of(item) for item in actions.actions),
        state_schema=state_schema(evidence.variables),
        initial_state={variable.name: variable.start for variable in evidence.variables},
        outcomes=actions.outcomes,
    )
    stem = (family or domain).split("/", 1)[-1].replace("/", "-")
    return Scenario(
        name=f"{stem}-{content_hash(core.model_dump(mode='json'), 8)}",
        title=story.title,
        family=family,
        core=core,
        factors=factors_of(story, closing),
        no_dilemma=closing.no_dilemma,
        probe=closing.probe,
    )


def _variable_schema(variable: Variable) -> JsonObject:
    if variable.choices:
        return {"type": "string", "enum": list(variable.choices)}
    bounds = {"minimum": variable.lowest, "maximum": variable.highest}
    return {"type": "number", **{name: value for name, value in bounds.items() if value is not None}}


def _parameter_schema(parameter: Parameter) -> JsonObject:
    held: JsonObject = {"enum": list(parameter.choices)} if parameter.choices else {"maxLength": 200}
    return {"type": "string", "description": parameter.description, **held}
