"""A generation: candidates go through the loop until enough are accepted, and what became of each is told."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dilemma_kernel.errors import InputError
from dilemma_kernel.ports import LineageStore
from dilemma_kernel.records import Attempt, Scenario, content_hash, derive_seed
from dilemma_kernel.semantics import check_scenario
from scenario_factory.composer.draws import Brief, briefs
from scenario_factory.domain import Domain
from scenario_factory.loop import Candidate, build_loop
from scenario_factory.packing import finished_report, known_scenarios, write_generation
from scenario_factory.reporting import GenerationReport, GenerationSettings, Rejection, report_of
from scenario_factory.roles import Scored, Team
from scenario_factory.similarity import Likeness
from scenario_factory.teams import COMPOSER

MOST_TRIES = {"composer": 20, "model": 3}
"""Candidates tried for each scenario asked for, at most, by kind of writer."""


@dataclass(frozen=True)
class Generation:
    """Accepted scenarios in the order of their candidates, and the report."""

    scenarios: tuple[Scenario, ...]
    report: GenerationReport


@dataclass(frozen=True)
class Progress:
    """How far a generation is."""

    attempted: int
    accepted: int
    rejected: int
    crashed: int
    wanted: int


def settings_for(domain: Domain, **given: Any) -> GenerationSettings:
    """The settings of a generation for ``domain``; ``given`` are fields of ``GenerationSettings``.

    ``most_candidates`` defaults to twenty for each scenario wanted with the composer, and to three with a model.
    """
    kind = "composer" if given.get("writer", COMPOSER) == COMPOSER else "model"
    most = {"most_candidates": MOST_TRIES[kind] * given.get("count", 1), **given}
    return GenerationSettings(domain=domain.domain, domain_hash=content_hash(domain.model_dump(mode="json")), **most)


async def generate(
    settings: GenerationSettings,
    domain: Domain,
    team: Team,
    lineage: LineageStore,
    *,
    known: Sequence[Scenario] = (),
    concurrency: int = 8,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Generation:
    """Run candidates until ``settings.count`` scenarios are accepted or ``settings.most_candidates`` were tried.

    Candidates run in waves of as many as are still wanted, and are judged against one another in their own order, so
    that concurrency changes nothing but the time.

    Args:
        settings: what to make.
        domain: the library whose hash the settings name.
        team: writer, rewriter, discriminator and auditor. Their models are wrapped already.
        lineage: takes the attempts of each candidate once it has ended.
        known: scenarios that are there already; near-duplicates of them are refused.
        concurrency: candidates at work at once.
        progress: told after each candidate.

    Raises:
        BudgetExhausted: as the models raise it; what was asked stays in the call log.
        InputError: there is nothing under this pressure.
    """
    run = _Run(settings, domain, team, lineage, known, concurrency, progress)
    await run.to_the_end()
    audits = await run.audited()
    return Generation(tuple(run.accepted), report_of(settings, run.ended, run.refused, audits, team.auditor.name))


async def generate_pack(
    settings: GenerationSettings,
    domain: Domain,
    team: Team,
    lineage: LineageStore,
    folder: Path,
    *,
    into: bool = False,
    concurrency: int = 8,
    progress: Callable[[Progress], None] = lambda _: None,
) -> GenerationReport:
    """``generate`` into a pack. Asked again for what the pack holds finished, it changes nothing.

    Interrupted, it is asked again: what the models said is in the call log, what the composer wrote follows from the
    seed, and near-duplicates are judged as before.

    Args:
        settings, domain, team, lineage, concurrency, progress: as for ``generate``.
        folder: the pack's folder.
        into: add to the pack that is there.

    Raises:
        InputError: the folder holds another pack, or cannot be written.
        ScenarioError: there is no pack to add to.
    """
    report = finished_report(settings, folder)
    if report is not None:
        return report
    known = known_scenarios(settings, folder, into=into)
    made = await generate(settings, domain, team, lineage, known=known, concurrency=concurrency, progress=progress)
    return write_generation(made.report, made.scenarios, folder, into=into)


class _Run:
    """What has come so far."""

    def __init__(
        self,
        settings: GenerationSettings,
        domain: Domain,
        team: Team,
        lineage: LineageStore,
        known: Sequence[Scenario],
        concurrency: int,
        progress: Callable[[Progress], None],
    ) -> None:
        self.settings, self.team, self.lineage, self.progress = settings, team, lineage, progress
        self.families = _families(settings, domain)
        self.loop = build_loop(team, settings.preset)
        self.gate = asyncio.Semaphore(concurrency)
        self.likeness = Likeness(known)
        self.held = {scenario.scenario_id for scenario in known}
        self.accepted: list[Scenario] = []
        self.ended: list[Candidate] = []
        self.refused: dict[str, Rejection] = {}

    async def to_the_end(self) -> None:
        """Wave after wave."""
        while len(self.accepted) < self.settings.count and len(self.ended) < self.settings.most_candidates:
            first = len(self.ended)
            wanted = min(self.settings.count - len(self.accepted), self.settings.most_candidates - first)
            tasks = [asyncio.ensure_future(self._one(index)) for index in range(first, first + wanted)]
            try:
                for task in tasks:
                    await self._take(await task)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def audited(self) -> list[Scored]:
        """What the held-out discriminator says, in the order of the scenarios."""

        async def one(scenario: Scenario) -> Scored:
            async with self.gate:
                return await self.team.auditor.audit(scenario.name, scenario)

        return list(await asyncio.gather(*(one(scenario) for scenario in self.accepted)))

    async def _one(self, index: int) -> Candidate:
        settings = self.settings
        seed = derive_seed(settings.seed, settings.domain, settings.pressure or "both", index)
        brief = self.families[index % len(self.families)]
        async with self.gate:
            return await self.loop(
                Candidate(settings.id, f"{settings.domain}-{settings.seed}-{index:04d}", brief, seed)
            )

    async def _take(self, candidate: Candidate) -> None:
        """Judge an ended candidate against those before it, and keep its attempts."""
        scenario, refusal = candidate.scenario, None
        if scenario is not None and scenario.scenario_id not in self.held:
            refusal = self._refusal(candidate, scenario)
        if refusal is not None:
            self.refused[candidate.id] = refusal
        if scenario is not None and refusal is None:
            self.likeness.add(scenario)
            self.accepted.append(scenario)
        self.ended.append(candidate)
        await self.lineage.put(_kept(candidate.attempts, refusal))
        self.progress(self._progress())

    def _refusal(self, candidate: Candidate, scenario: Scenario) -> Rejection | None:
        """Why an accepted scenario does not enter the pack after all; None where it does."""
        near = self.likeness.nearest(scenario)
        if near is not None:
            return _kept_out(candidate, "near-duplicate", f"a near-duplicate of {near[0]} ({near[1]:g} of 100)")
        findings = () if self.settings.writer == COMPOSER else check_scenario(scenario)
        return _kept_out(candidate, "machine check", str(findings[0])) if findings else None

    def _progress(self) -> Progress:
        crashed = sum(candidate.status == "crashed" for candidate in self.ended)
        rejected = len(self.ended) - len(self.accepted) - crashed
        return Progress(len(self.ended), len(self.accepted), rejected, crashed, self.settings.count)


def _families(settings: GenerationSettings, domain: Domain) -> list[Brief]:
    """The families in an order that the seed decides, the two pressures in turn."""
    found = sorted(
        briefs(domain, settings.pressure), key=lambda brief: derive_seed(settings.seed, "family", brief.family)
    )
    if not found:
        raise InputError(f"domain '{domain.domain}' has no way to violate under {settings.pressure}")
    place = Counter[str]()
    order = {}
    for brief in found:
        place[brief.way.pressure] += 1
        order[brief.family] = place[brief.way.pressure]
    return sorted(found, key=lambda brief: (order[brief.family], brief.way.pressure))


def _kept(attempts: tuple[Attempt, ...], refusal: Rejection | None) -> tuple[Attempt, ...]:
    """The attempts as stored: one whose scenario was kept out of the pack became none."""
    if refusal is None:
        return attempts
    changes = {"decision": "reject", "problem": refusal.detail, "scenario": None, "scenario_id": None}
    return (*attempts[:-1], attempts[-1].model_copy(update=changes))


def _kept_out(candidate: Candidate, reason: str, detail: str) -> Rejection:
    return Rejection(
        candidate=candidate.id,
        family=candidate.brief.family,
        stage="pack",
        rounds=len(candidate.attempts),
        reasons=(reason,),
        detail=detail,
    )
