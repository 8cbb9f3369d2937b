"""The composer as writer and rewriter: it draws a stage's text, and draws again what did not pass.

Each group of draws is made on its own, and nothing in the drawing knows the thresholds: whether a draft passes is for
the checks and the discriminator to say. A rewrite draws the group that the lowest criterion rests on once more, and
leaves the others as they are.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Stage
from scenario_factory.composer.actions import Acts, actions_draft, draw_acts
from scenario_factory.composer.closing import Closing, closing_draft, draw_closing
from scenario_factory.composer.draws import (
    Brief,
    Cast,
    Clock,
    Sizes,
    draw_cast,
    draw_clock,
    draw_motive,
    draw_phrasing,
    draw_sizes,
)
from scenario_factory.composer.evidence import evidence_draft
from scenario_factory.composer.reading import Reading, draw_reading
from scenario_factory.composer.story import story_draft
from scenario_factory.drafts import STAGES, Draft
from scenario_factory.roles import Advice, Task, Written

T = TypeVar("T")
_RESTS_ON = {
    "urgency": "clock",
    "mutual_exclusivity": "clock",
    "realism": "clock",
    "binary_choice": "phrasing",
    "benefit": "motive",
    "harm_matches_stakes": "sizes",
}
"""Criterion of the story -> the group of draws that it rests on."""


@dataclass(frozen=True)
class Plan:
    """Every draw that has been made for a candidate."""

    cast: Cast
    clock: Clock
    sizes: Sizes
    reading: Reading | None = None
    acts: Acts | None = None
    closing: Closing | None = None


class Composer:
    """Writer and rewriter that need no model. The same task gives the same text."""

    name = "composer"

    async def write(self, task: Task, memo: Any) -> Written:
        """The stage's text from fresh draws."""
        rng = _generator(task)
        plan = _story(task.brief, rng) if task.stage == "story" else _drawn(task, _plan(memo), rng)
        return _written(task, plan)

    async def rewrite(self, task: Task, before: Written, advice: Advice) -> Written:
        """The stage's text with the weakest group of draws made anew."""
        rng, plan = _generator(task), _plan(before.memo)
        plan = _story_again(task.brief, plan, advice, rng) if task.stage == "story" else _drawn(task, plan, rng)
        return _written(task, plan)


def _generator(task: Task) -> Generator:
    return np.random.default_rng([task.seed, STAGES.index(task.stage), task.round])


def _plan(memo: Any) -> Plan:
    if not isinstance(memo, Plan):
        raise ScenarioError("the composer goes on with its own texts only")
    return memo


def _story(brief: Brief, rng: Generator) -> Plan:
    cast = draw_cast(brief, rng)
    return Plan(cast, draw_clock(brief, cast, rng), draw_sizes(brief, rng))


def _story_again(brief: Brief, plan: Plan, advice: Advice, rng: Generator) -> Plan:
    """The group under the lowest criterion drawn anew; the whole story where the machine checks stopped it."""
    if not advice.scores:
        return _story(brief, rng)
    lowest = min(advice.scores, key=lambda name: (advice.scores[name], name))
    match _RESTS_ON[lowest]:
        case "clock":
            return replace(plan, clock=draw_clock(brief, plan.cast, rng))
        case "sizes":
            return replace(plan, sizes=draw_sizes(brief, rng))
        case "motive":
            cast = draw_motive(brief, plan.cast, rng)
            return replace(plan, cast=cast, clock=draw_clock(brief, cast, rng))
        case _:
            return replace(plan, cast=draw_phrasing(brief, plan.cast, rng))


def _drawn(task: Task, plan: Plan, rng: Generator) -> Plan:
    """The draws of a later stage, all of them."""
    brief = task.brief
    match task.stage:
        case "evidence":
            return replace(plan, reading=draw_reading(brief, plan.cast, rng))
        case "actions":
            return replace(plan, acts=draw_acts(brief, _there(plan.reading), rng))
        case _:
            return replace(plan, closing=draw_closing(brief, rng))


def _written(task: Task, plan: Plan) -> Written:
    return Written(draft=_draft(task.stage, task.brief, plan), memo=plan)


def _draft(stage: Stage, brief: Brief, plan: Plan) -> Draft:
    match stage:
        case "story":
            return story_draft(brief, plan.cast, plan.clock, plan.sizes)
        case "evidence":
            return evidence_draft(brief, plan.cast, plan.clock, plan.sizes, _there(plan.reading))
        case "actions":
            return actions_draft(brief, plan.cast, plan.clock, _there(plan.reading), _there(plan.acts))
        case _:
            return closing_draft(brief, plan.cast, plan.clock, _there(plan.reading), _there(plan.closing))


def _there(drawn: T | None) -> T:
    if drawn is None:
        raise ScenarioError("the stages before have not been drawn")
    return drawn
