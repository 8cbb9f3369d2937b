"""What a reviewer writes: labels, a name, whether to be blind. An answer comes once the store has committed."""

from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from dilemma.review.asking import Asked, asked_from
from dilemma.review.desk import Desk
from dilemma.review.labelling import judgements_from, maker_of, person_named, vocabulary_of
from dilemma.review.reading import episode_values
from dilemma.review.sessions import Session
from dilemma.review.showing import Form, Pages, first, form_of, is_part, session_of
from dilemma_kernel.errors import DilemmaError, InputError
from trajectories import browsing
from trajectories.wanted import EpisodeLine

SAVED = "x-saved"
"""Header of an answer to a label that is committed: its episode. The page drops the draft then."""


def add_writing(app: FastAPI, pages: Pages) -> None:
    """Add the routes that write."""
    desk = pages.desk

    @app.post("/label")
    async def label(request: Request) -> Response:
        form, session = form_of(request), session_of(request)
        asked = asked_from(request.query_params)
        try:
            line = await _labelled(desk, asked, session, form)
        except DilemmaError as error:
            status = 400 if isinstance(error, InputError) else 503
            why = f"Not saved: {error}"
            return PlainTextResponse(why, status) if is_part(request) else pages.problem(request, status, why)
        onward = await _onward(desk, asked, session, line) if first(form, "then") == "next" else ""
        headers = {SAVED: line.episode_id}
        if not is_part(request):
            here = asked.address(f"/episode/{quote(line.episode_id, safe='')}")
            return RedirectResponse(onward or here, 303, headers=headers)
        if onward:
            return Response(status_code=204, headers={**headers, "hx-redirect": onward})
        values = await episode_values(desk, asked, session, line.episode_id)
        answer = pages.page(request, "saved.html", **values)
        answer.headers.update(headers)
        return answer

    @app.post("/person")
    async def person(request: Request) -> Response:
        form = form_of(request)
        session_of(request).person = person_named(first(form, "person"))
        return RedirectResponse(_back(form), 303)

    @app.post("/blind")
    async def blind(request: Request) -> Response:
        form = form_of(request)
        session_of(request).blind = first(form, "blind") == "on"
        return RedirectResponse(_back(form), 303)


async def _labelled(desk: Desk, asked: Asked, session: Session, form: Form) -> EpisodeLine:
    """The episode, its label stored.

    Raises:
        InputError: the form is wrong; since the page was loaded the reviewer changed, or the episode was run again.
        StoreError: nothing is stored.
    """
    if "as" in form and first(form, "as") != session.person:
        raise InputError(f"you are {session.person} by now: load the page again. Your draft is kept")
    if first(form, "person"):
        session.person = person_named(first(form, "person"))
    person = session.person  # another tab of this session may change it while this label is stored
    if not person:
        raise InputError("give your name first: labels are stored under it")
    line = await desk.line(first(form, "episode"))
    if first(form, "attempt") != str(line.attempt):
        raise InputError("this episode was run again while you read it: load the page again. Your draft is kept")
    probability = desk.probability(line.episode_id, asked)
    if probability is None:
        probability = await _drawn_with(desk, person, line)
    await desk.store_labels(judgements_from(form, line, person, probability))
    return line


async def _drawn_with(desk: Desk, person: str, line: EpisodeLine) -> float | None:
    """The probability that an earlier label of the same person came with: a correction keeps it."""
    earlier = await desk.store.judgements_on(await desk.store.episode(line.episode_id))
    mine = (maker_of(person), vocabulary_of(line.instrument))
    return next((j.probability for j in earlier if (j.maker, j.vocabulary) == mine), None)


async def _onward(desk: Desk, asked: Asked, session: Session, line: EpisodeLine) -> str:
    """The address of what comes after an episode."""
    if asked.queue:
        return asked.address("/queue") + f"&after={quote(line.episode_id, safe='')}"
    found = await desk.searched(asked)
    wanted = asked.wanted(session, found.episodes if found else None)
    _, after = await browsing.neighbours(desk.store, wanted, line)
    return asked.address(f"/episode/{quote(after, safe='')}") if after else asked.address("/study")


def _back(form: Form) -> str:
    """Where a form was sent from: a path of our own."""
    back = first(form, "back")
    is_ours = back.startswith("/") and not back.startswith("//") and "\\" not in back and back.isprintable()
    return back if is_ours else "/"
