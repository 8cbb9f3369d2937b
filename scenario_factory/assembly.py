"""How drafts become the records of a scenario."""

from dilemma_kernel.records import (
    Action,
    Core,
    Evidence,
    JsonObject,
    LevelRendering,
    Record,
    Scenario,
    content_hash,
)
from scenario_factory.drafts import (
    ActionItem,
    ActionsDraft,
    CompileDraft,
    EvidenceDraft,
    Parameter,
    Rule,
    StoryDraft,
    Variable,
)
from scenario_factory.ways import Pressure


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
            id=item.id,
            kind=item.kind,
            source=item.source,
            at=item.at,
            text=item.text,
            fields=item.fields,
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
    pressure: Pressure,
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
