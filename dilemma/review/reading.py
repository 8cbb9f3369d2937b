"""Pages to read: studies, a study, an episode, a pair, the table of labels."""

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from dilemma.review.asking import PAGE, Asked, asked_from
from dilemma.review.desk import Desk
from dilemma.review.labelling import choices_of, mine_from
from dilemma.review.pairing import differing_levels, pairs_of
from dilemma.review.sessions import Session
from dilemma.review.showing import Pages, is_part, session_of
from dilemma.review.transcript import Transcript, TurnShown, steps, transcript, whole_text
from dilemma_kernel.errors import InputError, ScenarioError
from dilemma_kernel.records import LABELS, ChatReply, Scenario, StudyRecord, Trajectory
from refusal_transfer import TOOL_VERDICTS
from scenario_factory.drawing import action_svg
from trajectories import browsing
from trajectories.wanted import EpisodeLine

Values = dict[str, Any]
"""What a template is given."""

PART_CHARS = 100_000
"""Characters of a whole text on one page."""


def add_reading(app: FastAPI, pages: Pages) -> None:
    """Add the routes of the pages to read."""
    desk = pages.desk

    @app.get("/")
    async def studies(request: Request) -> Response:
        counts = await browsing.study_lines(desk.store)
        listed = [
            (record, counts.get(record.name), saved) for record, saved in await browsing.study_records(desk.store)
        ]
        return pages.page(request, "studies.html", studies=listed)

    @app.get("/study")
    async def study(request: Request) -> Response:
        asked = asked_from(request.query_params)
        record = await desk.study(asked.study)
        found = await _found(desk, asked, session_of(request))
        part = is_part(request)
        return pages.page(request, "found.html" if part else "study.html", **_of_study(record, asked), **found)

    @app.get("/labels")
    async def labels(request: Request) -> Response:
        asked = asked_from(request.query_params)
        record = await desk.study(asked.study)
        hidden = session_of(request).blind
        found = None if hidden else await desk.agreeing(record)
        return pages.page(request, "labels.html", **_of_study(record, asked), found=found)

    @app.get("/kappa")
    async def kappa(request: Request) -> Response:
        asked = asked_from(request.query_params)
        record = await desk.study(asked.study)
        found = None if session_of(request).blind else await desk.agreeing(record)
        return pages.page(request, "kappa.html", found=found, asked=asked)

    @app.get("/queue")
    async def queue(request: Request, after: str = "") -> Response:
        asked = asked_from(request.query_params)
        await desk.study(asked.study)
        episode = await desk.next_in_queue(asked, session_of(request), after or None)
        if episode is None:
            return pages.page(request, "done.html", asked=asked)
        return RedirectResponse(asked.address(f"/episode/{quote(episode, safe='')}"), 303)

    _add_episode(app, pages)


def _add_episode(app: FastAPI, pages: Pages) -> None:
    desk = pages.desk

    @app.get("/episode/{episode}")
    async def read(request: Request, episode: str) -> Response:
        shown = await episode_values(desk, asked_from(request.query_params), session_of(request), episode)
        return pages.page(request, "episode.html", **shown)

    @app.get("/episode/{episode}/graph")
    async def graph(request: Request, episode: str) -> Response:
        if session_of(request).blind:
            raise InputError("the action graph shows tracks: it is hidden in blind mode")
        trajectory, scenario = await _stored(desk, episode)
        picture = await asyncio.to_thread(_picture, trajectory, scenario)
        return pages.page(request, "graph.html", picture=picture)

    @app.get("/episode/{episode}/raw")
    async def raw(request: Request, episode: str, turn: int = 0) -> Response:
        trajectory, _ = await _stored(desk, episode)
        found = next((one for one in trajectory.turns if one.index == turn), None)
        if found is None:
            raise InputError("there is no such turn")
        asks = [ask.reply for ask in found.asks]
        world = list(found.response.replies) if found.response else []
        return pages.page(request, "raw.html", replies=[*_named("reply", asks), *_named("world", world)], turn=turn)

    @app.get("/episode/{episode}/text")
    async def text(request: Request, episode: str, part: str = "", turn: int = 0, start: int = 0) -> Response:
        trajectory, _ = await _stored(desk, episode)
        whole = whole_text(trajectory, part, turn)
        start = min(max(0, start), max(0, len(whole) - 1))
        cut = whole[start : start + PART_CHARS]
        values: Values = {"episode": episode, "part": part, "turn": turn, "start": start, "size": PART_CHARS}
        return pages.page(request, "text.html", cut=cut, length=len(whole), **values)

    @app.get("/pair")
    async def pair(request: Request, left: str = "", right: str = "") -> Response:
        session = session_of(request)
        sides = [await _side(desk, session, episode) for episode in (left, right)]
        asked = Asked(study=sides[0].line.study)
        record = await desk.study(asked.study)
        names = differing_levels([cell for cell in record.cells if cell.key in {side.line.cell for side in sides}])
        indexes = sorted({turn.index for side in sides for turn in side.shown.turns})
        rows = [[_turn(side.shown, index) for side in sides] for index in indexes]
        return pages.page(request, "pair.html", sides=sides, rows=rows, names=names, asked=asked, study=record)


async def episode_values(desk: Desk, asked: Asked, session: Session, episode: str) -> Values:
    """What the page of an episode shows.

    Raises:
        InputError: there is no such episode.
    """
    line = await desk.line(episode)
    asked = asked.model_copy(update={"study": line.study})
    record = await desk.study(line.study)
    trajectory, scenario = await _stored(desk, episode)
    judgements = await desk.store.judgements_on(trajectory)
    related = await browsing.relatives(desk.store, line)
    only = session.person if session.blind else None
    return {
        "line": line,
        "shown": transcript(trajectory, scenario, judgements, only=only),
        "mine": mine_from(judgements, line.instrument, session.person),
        "pairs": pairs_of(line, related, record),
        "choices": choices_of(line.instrument),
        **await _way(desk, asked, session, line),
        **_of_study(record, asked),
    }


async def _way(desk: Desk, asked: Asked, session: Session, line: EpisodeLine) -> Values:
    """The way on from an episode: in the queue, or in the list that it was opened from."""
    if asked.queue:
        return {"before": None, "after": await desk.next_in_queue(asked, session, line.episode_id)}
    found = await desk.searched(asked)
    wanted = asked.wanted(session, found.episodes if found else None)
    before, after = await browsing.neighbours(desk.store, wanted, line)
    return {"before": before, "after": after}


async def _stored(desk: Desk, episode: str) -> tuple[Trajectory, Scenario | None]:
    line = await desk.line(episode)
    return await desk.store.episode(line.episode_id), await desk.scenario(line.study, line.scenario)


@dataclass(frozen=True)
class Side:
    """One of two episodes."""

    line: EpisodeLine
    shown: Transcript


async def _side(desk: Desk, session: Session, episode: str) -> Side:
    line = await desk.line(episode)
    trajectory, scenario = await _stored(desk, episode)
    judgements = await desk.store.judgements_on(trajectory)
    only = session.person if session.blind else None
    return Side(line, transcript(trajectory, scenario, judgements, only=only))


def _turn(shown: Transcript, index: int) -> TurnShown | None:
    return next((turn for turn in shown.turns if turn.index == index), None)


def _named(name: str, replies: list[ChatReply]) -> list[tuple[str, ChatReply]]:
    return [(f"{name}-{number}", reply) for number, reply in enumerate(replies)]


def _picture(trajectory: Trajectory, scenario: Scenario | None) -> Markup | None:
    """The action graph with the path walked; every word in it is escaped as it is drawn."""
    if scenario is None:
        return None
    try:
        return Markup(action_svg(scenario, steps(trajectory)))
    except (ScenarioError, KeyError):
        return None


async def _found(desk: Desk, asked: Asked, session: Session) -> Values:
    """A page of the episodes that were asked for, and how many there are of each label."""
    note = ""
    try:
        found = await desk.searched(asked)
    except InputError as error:
        found, note = None, str(error)
    wanted = asked.wanted(session, found.episodes if found else None)
    tally, lines, lacking = await asyncio.gather(
        browsing.tally(desk.store, wanted),
        browsing.lines(desk.store, wanted, offset=(asked.page - 1) * PAGE, limit=PAGE),
        desk.lacking(asked.study) if asked.text.strip() else asyncio.sleep(0, 0),
    )
    total = sum(tally.values())
    return {
        "tally": {} if session.blind else tally,
        "lines": lines,
        "total": total,
        "last": max(1, -(-total // PAGE)),
        "lacking": lacking,
        "more": found.more if found else False,
        "note": note,
    }


def _of_study(record: StudyRecord, asked: Asked) -> Values:
    return {
        "study": record,
        "asked": asked,
        "names": differing_levels(record.cells),
        "agents": sorted({cell.agent for cell in record.cells}),
        "known_labels": _labels_in(record),
    }


def _labels_in(record: StudyRecord) -> tuple[str, ...]:
    if record.instrument == "transfer":
        return (*TOOL_VERDICTS, "refused", "answered", "unmeasured", "crashed")
    return (*LABELS, "unmeasured", "crashed")
