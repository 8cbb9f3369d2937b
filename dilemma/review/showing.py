"""Pages as answers: what every template is given."""

from collections.abc import Sequence
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from dilemma.review.desk import Desk
from dilemma.review.gate import FORM, SESSION
from dilemma.review.rendering import templates
from dilemma.review.sessions import Session

Form = dict[str, list[str]]


class Pages:
    """Renders the app's pages.

    Args:
        desk: what they are about.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._templates = templates()

    def page(self, request: Request, name: str, /, status: int = 200, **values: Any) -> HTMLResponse:
        """The page, or part of one, of a template."""
        session = request.scope.get(SESSION)
        body = self._templates.get_template(name).render(
            session=session,
            blind=session.blind if session else False,
            can_write=self.desk.can_write,
            sheet=self.desk.sheet,
            here=request.url.path,
            at=f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path,
            **values,
        )
        return HTMLResponse(body.encode("utf-8", "replace"), status)

    def problem(self, request: Request, status: int, why: str) -> HTMLResponse:
        """A page that says what is wrong; for a part of a page, a line."""
        name = "problem_part.html" if is_part(request) else "problem.html"
        return self.page(request, name, status=status, why=why)


def session_of(request: Request) -> Session:
    """The session of a request that passed the gate."""
    found = request.scope[SESSION]
    assert isinstance(found, Session), "the gate lets no request without a session to this page"
    return found


def form_of(request: Request) -> Form:
    """The form of a write that passed the gate."""
    found: Form = request.scope[FORM]
    return found


def first(form: Form, name: str) -> str:
    """The first value of a field; empty where there is none."""
    values: Sequence[str] = form.get(name, ())
    return values[0] if values else ""


def is_part(request: Request) -> bool:
    """Whether htmx asks for a part of a page."""
    return request.headers.get("hx-request") == "true"
