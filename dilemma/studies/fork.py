"""Forks: from the state of a stored episode, another agent goes on, or the same at other levels."""

from collections.abc import Mapping

from dilemma.settings import Settings, read_settings
from dilemma.studies.judging import rule_judgements
from dilemma.studies.options import all_levels
from dilemma.studies.participants import Participants, check_interfaces
from dilemma.studies.study import StoredEpisode, known_study, store_url, waited
from dilemma_kernel.errors import DesignError
from dilemma_kernel.models.budget import Budget
from dilemma_kernel.models.scripted import Presented
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import CallContext, Cell, Trajectory
from dilemma_kernel.semantics.actions import present
from envs import fork_episode
from trajectories import open_store


def fork(
    episode: str,
    url: str | None = None,
    *,
    at_turn: int,
    agent: str | ChatModel | None = None,
    levels: Mapping[str, str] | None = None,
    max_calls: int | None = None,
) -> StoredEpisode:
    """Go on from the state after a turn of a stored episode; the fork is stored and labelled, and enters no rate.

    Args:
        episode: its id, or the start of it.
        url: the store; None for the settings file's or the default.
        at_turn: the last turn that is kept.
        agent: the model that moves from then on; None for the same.
        levels: factor -> level, for factors that change.
        max_calls: requests that the fork may send; None for no bound.

    Raises:
        InputError: no such episode, turn, model or level; or a fork that changes nothing.
    """
    return waited(_fork(episode, store_url(url), at_turn, agent, dict(levels or {}), max_calls, read_settings()))


async def _fork(
    episode: str,
    url: str,
    at_turn: int,
    agent: str | ChatModel | None,
    levels: dict[str, str],
    max_calls: int | None,
    settings: Settings,
) -> StoredEpisode:
    participants = Participants()
    async with open_store(url) as store:
        origin = await store.episode(episode)
        cell = _cell(origin, participants.names(agent)[0] if agent else None, levels)
        study = await known_study(store, origin.study)
        record = study.model_copy(update={"cells": (cell,), "controls": {}})
        scenario = next(s for s in await store.scenarios(origin.study) if s.scenario_id == origin.scenario_id)

        def truth(context: CallContext) -> tuple[Presented, ...]:
            return present(scenario, cell.levels, origin.seed)

        participants.resolve(record, settings.models)
        check_interfaces(record, participants)
        participants.truth = truth
        budget = None if max_calls is None else Budget(None, max_calls)
        participants.wrap(store.call_log(study.name), study.name, budget)
        try:
            made = await fork_episode(
                participants.agent(cell.agent),
                participants.environment(cell.environment),
                origin,
                scenario,
                cell,
                at_turn=at_turn,
                sampling=study.sampling,
                history=study.history,
            )
        finally:
            await participants.aclose()
        judgements = rule_judgements(made, scenario)
        await store.save(made, judgements)
        return StoredEpisode(trajectory=made, scenario=scenario, judgements=judgements)


def _cell(origin: Trajectory, agent: str | None, levels: dict[str, str]) -> Cell:
    """The fork's cell. Raises ``DesignError`` where nothing changes."""
    changed = all_levels({**origin.cell.levels, **levels})
    cell = Cell(agent=agent or origin.cell.agent, environment=origin.cell.environment, levels=changed)
    if cell.key == origin.cell.key:
        raise DesignError("the fork changes nothing: give --agent MODEL, or --set FACTOR=LEVEL")
    return cell
