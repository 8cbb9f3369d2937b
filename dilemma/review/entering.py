"""Getting in: the link with its token, or a password."""

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from dilemma.review.gate import SESSION
from dilemma.review.sessions import WAIT_S, Door, Session
from dilemma.review.showing import Pages, first, form_of


def add_entrance(app: FastAPI, pages: Pages, door: Door, cookie: str) -> None:
    """Add the routes to get in.

    Args:
        cookie: name of the session's cookie.
    """

    def let_in(answer: Response, session: Session) -> Response:
        answer.set_cookie(cookie, session.key, httponly=True, samesite="strict", path="/")
        return answer

    @app.get("/open")
    async def by_link(request: Request, token: str = "", study: str = "") -> Response:
        """The answer is a page that leads on, for a redirect would come without the cookie where another site led
        here."""
        session = door.by_token(token)
        if session is not None:
            return let_in(pages.page(request, "enter.html", study=study), session)
        if request.scope.get(SESSION) is not None:
            return pages.page(request, "enter.html", study=study)
        why = "This link was used before, or is not of this server: a link opens once. Start the command again."
        return pages.problem(request, 403, why)

    @app.get("/login")
    async def ask(request: Request) -> Response:
        if door.password is None:
            return pages.problem(request, 404, "There is no password: open the link that the command printed.")
        return pages.page(request, "login.html", why="")

    @app.post("/login")
    async def by_password(request: Request) -> Response:
        session = door.by_password(first(form_of(request), "password"))
        if session is not None:
            return let_in(RedirectResponse("/", 303), session)
        why = f"Too many tries: wait {WAIT_S:.0f} seconds." if door.has_to_wait() else "The password is wrong."
        answer: HTMLResponse = pages.page(request, "login.html", status=403, why=why)
        return answer
