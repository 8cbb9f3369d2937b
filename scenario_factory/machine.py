"""The machine checks of each stage. They come before any score, and none outvotes them.

A stage's text is put into a provisional scenario, and the checks that read its places are run on it; the last stage
runs on the whole what reads the whole. Taken together they are ``check_scenario``.
"""

import re
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Core, EndStates, Probe, Scenario, Stage
from dilemma_kernel.semantics.checks.actions import check_actions
from dilemma_kernel.semantics.checks.evidence import check_evidence
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.checks.leaks import check_leaks, check_prompts
from dilemma_kernel.semantics.checks.moments import moment
from dilemma_kernel.semantics.checks.places import Place, places
from dilemma_kernel.semantics.checks.renderings import check_renderings
from dilemma_kernel.semantics.checks.texts import check_texts
from dilemma_kernel.semantics.checks.world import check_world
from dilemma_kernel.semantics.schemas import problem, schema_problem
from dilemma_kernel.semantics.slots import fill
from scenario_factory.assembly import action_of, assemble, evidence_of, requires, state_schema
from scenario_factory.composer.draws import Brief
from scenario_factory.drafts import Draft, EvidenceDraft, Parts, StoryDraft

_FIGURE, _BRACE = re.compile(r"\d"), re.compile(r"[{}]")
"""Ids and dates hold figures; slots, braces."""
MAX_CHARS = 60_000
"""Longest text of one stage, as JSON."""
MAX_FINDINGS = 20
"""Most findings that are kept of one text."""
_PATHS: dict[Stage, tuple[str, ...]] = {
    "story": ("title", "core.narrative", "factors.stakes"),
    "evidence": ("core.evidence", "factors.stakes"),
    "actions": ("core.actions", "core.outcomes"),
    "compile": ("factors.feedback", "factors.goal", "factors.accountability", "factors.ethics", "no_dilemma", "probe"),
}


def machine_findings(stage: Stage, parts: Parts, brief: Brief) -> tuple[str, ...]:
    """What the machine checks find in the text of ``stage`` within ``parts``; empty where it passes.

    Args:
        stage: whose text is checked.
        parts: that text, and those of the stages before.
        brief: domain, pressure and family.
    """
    draft = parts.part(stage)
    if draft is None or len(draft.model_dump_json()) > MAX_CHARS:
        return (f"the text is missing or longer than {MAX_CHARS:,} characters",)
    try:
        found = [*_own(draft), *map(str, _kernel(stage, parts, brief))]
    except ValidationError as error:
        found = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    except (ScenarioError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
        found = [" ".join(str(error).split())[:300]]
    return tuple(dict.fromkeys(found))[:MAX_FINDINGS]


def assembled(parts: Parts, brief: Brief) -> Scenario:
    """The scenario that four accepted parts make."""
    if parts.story is None or parts.evidence is None or parts.actions is None or parts.compile is None:
        raise ScenarioError("a stage has no text yet")
    return assemble(
        parts.story,
        parts.evidence,
        parts.actions,
        parts.compile,
        domain=brief.domain.domain,
        pressure=brief.way.pressure,
        family=brief.family,
    )


def _kernel(stage: Stage, parts: Parts, brief: Brief) -> Iterator[Finding]:
    """The checks that read this stage's places. Texts of earlier stages have been read by theirs."""
    scenario = assembled(parts, brief) if stage == "compile" else _provisional(parts, brief)
    texts = places(scenario)
    own = [place for place in texts if place.path.startswith(_PATHS[stage])]
    for finding in (*check_leaks(_different(own)), *_of_stage(stage, scenario, texts, own)):
        if stage == "compile" or finding.path.startswith(_PATHS[stage]):
            yield finding


def _of_stage(stage: Stage, scenario: Scenario, texts: Sequence[Place], own: Sequence[Place]) -> Iterator[Finding]:
    match stage:
        case "story":
            yield from check_texts(scenario)
        case "evidence":
            yield from check_evidence(scenario, _with(_FIGURE, texts))
            slots = check_renderings(scenario, _with(_BRACE, texts))
            yield from (found for found in slots if found.check in {"stakes", "slots"})
        case "actions":
            yield from check_actions(scenario)
            yield from check_evidence(scenario, _with(_FIGURE, own))
            yield from check_world(scenario)
        case "compile":
            yield from check_texts(scenario)
            yield from check_evidence(scenario, _with(_FIGURE, own))
            broken = list(check_renderings(scenario, _with(_BRACE, texts)))
            yield from broken
            if not broken:
                yield from check_prompts(scenario, ())  # no text leaks by now: whatever does came about in rendering


def _different(texts: Sequence[Place]) -> list[Place]:
    """The first place of each text: words leak wherever they stand."""
    return list({(place.where, place.text): place for place in reversed(texts)}.values())


def _with(mark: re.Pattern[str], texts: Sequence[Place]) -> list[Place]:
    """The texts with a mark in them, where nothing else can have what is looked for."""
    return [place for place in texts if mark.search(place.text)]


def _provisional(parts: Parts, brief: Brief) -> Scenario:
    """A scenario of the parts so far; the rest is left empty."""
    story, evidence, actions = parts.story, parts.evidence, parts.actions
    if story is None:
        raise ScenarioError("the story has no text yet")
    variables = evidence.variables if evidence is not None else ()
    core = Core(
        domain=brief.domain.domain,
        pressure=brief.way.pressure,
        narrative=story.narrative,
        evidence=evidence_of(evidence) if evidence is not None else (),
        actions=tuple(map(action_of, actions.actions)) if actions is not None else (),
        state_schema=state_schema(variables),
        initial_state={variable.name: variable.start for variable in variables},
        outcomes=actions.outcomes if actions is not None else EndStates(aligned={}, misaligned={}),
    )
    return Scenario(
        name="draft",
        title=story.title,
        core=core,
        factors={"stakes": {level: getattr(story.stakes, level) for level in ("low", "medium", "high")}},
        no_dilemma="-",
        probe=Probe(question="-", choices=("a", "b"), answer=0),
    )


def _own(draft: Draft) -> Iterator[str]:
    """What the records of a draft cannot say of themselves."""
    match draft:
        case StoryDraft():
            yield from _clock(draft)
        case EvidenceDraft():
            yield from _records(draft)
        case _:
            return


def _clock(draft: StoryDraft) -> Iterator[str]:
    times = {name: moment(value) for name, value in draft.clock.model_dump().items() if value is not None}
    for name, at in times.items():
        if at is None:
            yield f"clock.{name}: expected ISO 8601 with an offset, such as 2026-03-17T08:40:00+01:00"
    now, deadline = times.get("now"), times.get("deadline")
    if now is not None and deadline is not None and deadline <= now:
        yield "clock.deadline: expected a moment after clock.now"
    levels = [draft.stakes.low, draft.stakes.medium, draft.stakes.high]
    if not levels[0].values or len({frozenset(level.values) for level in levels}) > 1:
        yield "stakes: expected the same slots, at least one, at each level"
    narrative = draft.narrative
    for text in (narrative.setting, narrative.trigger, narrative.conflict, *(level.text for level in levels)):
        try:
            fill(text, levels[0].values)
        except ScenarioError as error:
            yield f"narrative or stakes: {error}"


def _records(draft: EvidenceDraft) -> Iterator[str]:
    names = [variable.name for variable in draft.variables]
    if len(set(names)) < len(names):
        yield "variables: expected each name once"
    for item in draft.evidence:
        for name in [item.rule.variable, *item.rule.when] if item.rule is not None else ():
            if name not in names:
                yield f"evidence {item.id}: its rule names '{name}', which is no variable"
    state = {variable.name: variable.start for variable in draft.variables}
    schema = state_schema(draft.variables)
    told = schema_problem(schema) or problem(schema, state)
    if told is not None:
        yield f"variables: their starts do not fit: {told}"
    for item in draft.evidence:
        if item.rule is not None and problem(requires(item.rule), state) is not None:
            yield f"evidence {item.id}: its rule does not hold at the beginning"
