"""Models as writer, rewriter, discriminator and auditor."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import ValidationError

from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import (
    CallContext,
    JsonObject,
    Measured,
    Message,
    Sampling,
    Scenario,
    Stage,
    Unmeasured,
    derive_seed,
)
from scenario_factory.authors.prompts import (
    AUDIT_CRITERIA,
    AUDITOR,
    DISCRIMINATOR,
    WRITER,
    auditing,
    judging,
    rewriting,
    writing,
)
from scenario_factory.authors.structured import REFUSED, Answer, Misfit, Question, ask, bounded, misfit, number
from scenario_factory.drafts import DRAFTS, Draft
from scenario_factory.presets import CRITERIA, HIGHEST, LOWEST, Preset, mean
from scenario_factory.roles import Advice, Scored, Task, Written

_Role = Literal["writer", "rewriter"]
_LONGEST_REMARK = 2_000


class ModelWriter:
    """Writes by a chat model.

    Args:
        model: the model, wrapped already.
        rules: temperatures and the bound on replies.
    """

    def __init__(self, model: ChatModel, rules: Preset) -> None:
        self.name = model.name
        self._model, self._rules = model, rules

    async def write(self, task: Task, memo: Any) -> Written:
        """The stage's text from the brief and the accepted parts."""
        return await _authored(self._model, task, "writer", writing(task), self._rules, self._rules.writer_temperature)


class ModelRewriter:
    """Rewrites by a chat model."""

    def __init__(self, model: ChatModel, rules: Preset) -> None:
        self.name = model.name
        self._model, self._rules = model, rules

    async def rewrite(self, task: Task, before: Written, advice: Advice) -> Written:
        """The stage's text, changed as the advice asks."""
        words = rewriting(task, before.draft, advice)
        return await _authored(self._model, task, "rewriter", words, self._rules, self._rules.rewriter_temperature)


class ModelDiscriminator:
    """Scores by a chat model. It is shown the texts and the criteria alone."""

    def __init__(self, model: ChatModel, rules: Preset) -> None:
        self.name = model.name
        self._model, self._rules = model, rules

    async def score(self, task: Task, draft: Draft) -> Scored:
        """The criteria of the stage. Nonsense, scores off the scale and refusals are unmeasured."""
        told = _Told(DISCRIMINATOR, judging(task, draft), CRITERIA[task.stage])
        where = CallContext(case=task.candidate, cell=task.stage, turn=task.round, role="discriminator")
        return await _verdict(self._model, self._rules, told, where, _seed(task, "discriminator"))


class ModelAuditor:
    """Scores accepted scenarios by a chat model, by questions that the loop did not ask."""

    def __init__(self, model: ChatModel, rules: Preset) -> None:
        self.name = model.name
        self._model, self._rules = model, rules

    async def audit(self, candidate: str, scenario: Scenario) -> Scored:
        """The answers on the whole scenario at the baseline."""
        told = _Told(AUDITOR, auditing(scenario), AUDIT_CRITERIA)
        where = CallContext(case=candidate, cell="audit", role="judge")
        return await _verdict(self._model, self._rules, told, where, derive_seed(candidate, "audit"))


@dataclass(frozen=True)
class _Told:
    """What a judge is told, and by which criteria it scores."""

    system: str
    words: str
    criteria: Mapping[str, str]


_Scores = tuple[dict[str, float], str, str]


async def _verdict(model: ChatModel, rules: Preset, told: _Told, where: CallContext, seed: int) -> Scored:
    question = Question(
        messages=(Message(role="system", content=told.system), Message(role="user", content=told.words)),
        form=_score_form(tuple(told.criteria)),
        read=lambda value: _read_scores(value, told.criteria),
        sampling=_sampling(rules, rules.discriminator_temperature),
        context=where,
        seed=seed,
    )
    return _scored(await ask(model, question))


async def _authored(
    model: ChatModel, task: Task, role: _Role, words: str, rules: Preset, temperature: float
) -> Written:
    question = Question(
        messages=(Message(role="system", content=WRITER), Message(role="user", content=words)),
        form=_draft_form(task.stage),
        read=lambda value: _read_draft(value, task.stage),
        sampling=_sampling(rules, temperature),
        context=CallContext(case=task.candidate, cell=task.stage, turn=task.round, role=role),
        seed=_seed(task, role),
    )
    answer = await ask(model, question)
    return Written(answer.value, answer.problem, answer.cost)


def _read_draft(value: JsonObject, stage: Stage) -> Draft:
    try:
        return DRAFTS[stage].model_validate(value)
    except ValidationError as error:
        raise misfit(error) from None
    except RecursionError:
        raise Misfit("it is nested too deeply") from None


def _read_scores(value: JsonObject, criteria: Mapping[str, str]) -> _Scores:
    given = value.get("scores")
    if not isinstance(given, dict) or set(given) != set(criteria):
        raise Misfit(f"'scores' must hold {', '.join(criteria)} and nothing else")
    scores = {name: number(given[name], LOWEST, HIGHEST) for name in criteria}
    kept = {name: score for name, score in scores.items() if score is not None}
    if len(kept) < len(scores):
        off = ", ".join(name for name, score in scores.items() if score is None)
        raise Misfit(f"scores are numbers from {LOWEST:g} to {HIGHEST:g}, but not {off}")
    return kept, _remark(value.get("feedback")), _remark(value.get("suggestion"))


def _remark(value: Any) -> str:
    return " ".join(value.split())[:_LONGEST_REMARK] if isinstance(value, str) else ""


def _scored(answer: Answer[_Scores]) -> Scored:
    if answer.value is None:
        why = "refused" if answer.problem == REFUSED else "unreadable scores"
        return Scored(Unmeasured(why=why), feedback=answer.problem, cost=answer.cost)
    scores, feedback, suggestion = answer.value
    return Scored(Measured(value=mean(scores)), scores, feedback, suggestion, answer.cost)


@cache
def _draft_form(stage: Stage) -> JsonObject:
    return bounded(DRAFTS[stage].model_json_schema())


@cache
def _score_form(criteria: tuple[str, ...]) -> JsonObject:
    scale = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
    remark = {"type": "string", "maxLength": 600}
    return {
        "type": "object",
        "properties": {
            "scores": {
                "type": "object",
                "properties": dict.fromkeys(criteria, scale),
                "required": list(criteria),
                "additionalProperties": False,
            },
            "feedback": remark,
            "suggestion": remark,
        },
        "required": ["scores", "feedback", "suggestion"],
        "additionalProperties": False,
    }


def _sampling(rules: Preset, temperature: float) -> Sampling:
    return Sampling(temperature=temperature, max_tokens=rules.max_tokens)


def _seed(task: Task, role: str) -> int:
    return derive_seed(task.seed, task.stage, task.round, role)
