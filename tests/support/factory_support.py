"""What the tests of the scenario factory share: generations, candidates, scripted authors and judges."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import Attempt, Capabilities, ChatReply, ChatRequest, Scenario, derive_seed
from scenario_factory.composer.draws import Brief, briefs
from scenario_factory.drafts import Draft, Parts
from scenario_factory.generation import Generation, generate, settings_for
from scenario_factory.library import load_domain
from scenario_factory.lineage import MemoryLineage
from scenario_factory.loop import Candidate, build_loop
from scenario_factory.presets import CRITERIA, PRESETS, Preset
from scenario_factory.roles import Team
from scenario_factory.teams import team_of

DOMAINS = ("coding", "cybersecurity", "education", "finance", "healthcare", "legal")


def _run(coming: Coroutine[Any, Any, Any] | Awaitable[Any]) -> Any:
    """What ``coming`` brings, on a loop of its own: tests may have one that runs already."""

    async def awaited() -> Any:
        return await coming

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, awaited()).result()


@dataclass(frozen=True)
class Made:
    """A generation and its lineage."""

    generation: Generation
    attempts: tuple[Attempt, ...]

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return self.generation.scenarios


def composed(domain: str, count: int, seed: int = 1, pressure: str | None = None, preset: str = "default") -> Made:
    """What the composer makes; made once for each set of arguments."""
    return _composed(domain, count, seed, pressure, preset)


@cache
def _composed(domain: str, count: int, seed: int, pressure: str | None, preset: str) -> Made:
    return freshly_composed(domain, count, seed, pressure, preset)


def freshly_composed(domain: str, count: int, seed: int, pressure: str | None = None, preset: str = "default") -> Made:
    """What the composer makes, made now."""
    library, lineage = load_domain(domain), MemoryLineage()
    rules = PRESETS[preset]
    settings = settings_for(library, count=count, seed=seed, pressure=pressure, preset=rules)
    made = _run(generate(settings, library, team_of(rules), lineage))
    return Made(made, lineage.all())


def brief_of(domain: str = "healthcare", number: int = 0) -> Brief:
    return briefs(load_domain(domain), None)[number]


def candidate(number: int = 0, domain: str = "healthcare", seed: int = 5) -> Candidate:
    return Candidate("generation", f"case-{number}", brief_of(domain, number), derive_seed(seed, number))


async def through(team: Team, rules: Preset, number: int = 0, domain: str = "healthcare") -> Candidate:
    """A candidate at its end."""
    return await build_loop(team, rules)(candidate(number, domain))


@cache
def good_parts(domain: str = "healthcare", number: int = 0) -> Parts:
    """Four texts that pass the checks and the rules, of the first candidate of this family that is accepted."""
    rules = PRESETS["default"]
    for seed in range(50):
        first = Candidate("generation", "case", brief_of(domain, number), derive_seed(seed, number))
        ended = _run(build_loop(team_of(rules), rules)(first))
        if ended.status == "accepted":
            return ended.parts
    raise AssertionError(f"no candidate of {domain} {number} was accepted")


def text_of(parts: Parts, stage: str) -> str:
    """A stage's part as a model would write it."""
    draft: Draft | None = parts.part(stage)  # type: ignore[arg-type]
    assert draft is not None
    return json.dumps(draft.model_dump(mode="json"))


Script = Callable[[ChatRequest], str | ChatReply]


def writer_script(parts: Parts, changes: Mapping[tuple[str, int], str] | None = None) -> Script:
    """Writes the parts, whoever asks for which stage; ``changes`` replaces a text by (stage, round)."""

    def write(request: ChatRequest) -> str:
        assert request.context is not None
        place = (request.context.cell, request.context.turn)
        return (changes or {}).get(place) or text_of(parts, request.context.cell)

    return write


def judge_script(scores: Callable[[str, int], Any]) -> Script:
    """Scores by stage and round: a number for every criterion, a mapping, or a whole reply as text."""

    def judge(request: ChatRequest) -> str:
        assert request.context is not None
        given = scores(request.context.cell, request.context.turn)
        if isinstance(given, str):
            return given
        names = CRITERIA[request.context.cell]  # type: ignore[index]
        held = given if isinstance(given, dict) else dict.fromkeys(names, given)
        return json.dumps({"scores": held, "feedback": "tighter, please", "suggestion": "cut a word"})

    return judge


def scripted_team(
    rules: Preset,
    writer: Script,
    judge: Script,
    *,
    capabilities: Capabilities | None = None,
    rewriter: Script | None = None,
) -> tuple[Team, ScriptedModel, ScriptedModel]:
    """A team of scripted models, and the two that were asked to write and to judge."""
    author = ScriptedModel(writer, name="scripted/writer", capabilities=capabilities)
    critic = ScriptedModel(judge, name="scripted/judge", capabilities=capabilities)
    other = ScriptedModel(rewriter, name="scripted/rewriter", capabilities=capabilities) if rewriter else None
    return team_of(rules, writer=author, discriminator=critic, rewriter=other), author, critic


def composer_team(rules: Preset, judge: Script) -> tuple[Team, ScriptedModel]:
    """The composer before a scripted judge."""
    critic = ScriptedModel(judge, name="scripted/judge")
    return team_of(rules, discriminator=critic), critic
