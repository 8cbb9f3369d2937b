"""What a report page is made from, read from a store in bulk."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dilemma.studies.report import Report, build_report
from dilemma.studies.rows import EpisodeRow
from dilemma.studies.study import episode_rows, known_study, waited
from dilemma_kernel.records import Judgement, Scenario, StudyRecord, Trajectory
from trajectories import Spent, StudySummary, open_store
from trajectories.bulk import whole_episodes
from trajectories.choosing import EVERYTHING, Choice


@dataclass(frozen=True, kw_only=True)
class Material:
    """A study of dilemmas, with all that a page says of it but its transcripts."""

    record: StudyRecord
    scenarios: Mapping[str, Scenario]
    """scenario_id -> scenario."""
    rows: Sequence[EpisodeRow]
    """Forks left out."""
    report: Report
    summary: StudySummary
    spent: Spent
    names: Mapping[str, str]
    """core_id -> readable name."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """One episode with everything that is said of it."""

    trajectory: Trajectory
    judgements: Sequence[Judgement]


def read_material(name: str, url: str, *, sheet_from: str | None = None, published: bool = False) -> Material:
    """Everything but the transcripts. Arguments as for ``Study.report``."""
    return waited(_material(name, url, sheet_from, published))


async def _material(name: str, url: str, sheet_from: str | None, published: bool) -> Material:
    async with open_store(url, read_only=True) as store:
        record = await known_study(store, name)
        if sheet_from is not None:
            await known_study(store, sheet_from)
        of_calls = asyncio.gather(store.served(name), store.spent(name))  # on a reader's thread, beside the rest
        scenarios = await store.scenarios(name)
        rows = await episode_rows(store, name)
        elsewhere = await episode_rows(store, sheet_from) if sheet_from else ()
        report = build_report(record, scenarios, rows, elsewhere=elsewhere, published=published)
        served, spent = await of_calls
        return Material(
            record=record,
            scenarios={scenario.scenario_id: scenario for scenario in scenarios},
            rows=rows,
            report=report.model_copy(update={"served": tuple(served)}),
            summary=next(one for one in await store.studies() if one.name == name),
            spent=spent,
            names={scenario.core_id: scenario.name for scenario in scenarios},
        )


def read_whole(url: str, episodes: Sequence[str], choice: Choice = EVERYTHING) -> Iterator[Whole]:
    """These episodes at their latest attempts, in this order, rewritten; a few in memory at a time."""
    for start in range(0, len(episodes), _AT_A_TIME):
        for whole in waited(_whole(url, episodes[start : start + _AT_A_TIME])):
            yield whole if choice is EVERYTHING else _rewritten(whole, choice)


def rewritten(scenarios: Sequence[Scenario], choice: Choice) -> dict[str, Scenario]:
    """scenario_id -> scenario, rewritten."""
    made = (
        one
        if choice is EVERYTHING
        else Scenario.model_validate(choice.rewrite("scenario", one.model_dump(mode="json")))
        for one in scenarios
    )
    return {one.scenario_id: one for one in made}


def _rewritten(whole: Whole, choice: Choice) -> Whole:
    """By way of plain objects, for that is what is rewritten; every text survives it."""
    return Whole(
        trajectory=Trajectory.model_validate(choice.rewrite("trajectory", whole.trajectory.model_dump())),
        judgements=[
            Judgement.model_validate(choice.rewrite("judgement", one.model_dump())) for one in whole.judgements
        ],
    )


_AT_A_TIME = 20


async def _whole(url: str, episodes: Sequence[str]) -> list[Whole]:
    async with open_store(url, read_only=True) as store:
        found = await whole_episodes(store, episodes)
        return [Whole(trajectory=trajectory, judgements=judgements) for trajectory, judgements in found]
