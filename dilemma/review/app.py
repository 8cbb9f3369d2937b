"""The review app: pages to read a study and to label its episodes."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from dilemma.review.desk import Desk
from dilemma.review.entering import add_entrance
from dilemma.review.gate import Gate, Hosts
from dilemma.review.reading import add_reading
from dilemma.review.rendering import static_files
from dilemma.review.sessions import Door
from dilemma.review.showing import Pages
from dilemma.review.writing import add_writing
from dilemma_kernel.errors import DilemmaError, InputError


def review_app(desk: Desk, door: Door, hosts: Hosts, port: int) -> Gate:
    """The whole app, behind its gate.

    Args:
        desk: what it works on; closed with the app.
        door: who may in.
        hosts: under which names it may be asked for.
        port: where it listens.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=_closing(desk))
    pages = Pages(desk)
    gate = Gate(app, door, hosts, port)
    add_entrance(app, pages, door, gate.cookie)
    add_reading(app, pages)
    add_writing(app, pages)
    files = static_files()

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in files:
            return Response("there is no such file\n", 404, media_type="text/plain")
        kind, content = files[name]
        return Response(content, media_type=kind)

    @app.exception_handler(InputError)
    async def wrong_input(request: Request, error: InputError) -> HTMLResponse:
        return pages.problem(request, 404, str(error))

    @app.exception_handler(DilemmaError)
    async def failed(request: Request, error: DilemmaError) -> HTMLResponse:
        return pages.problem(request, 500, str(error))

    @app.exception_handler(404)
    async def unknown(request: Request, error: Exception) -> HTMLResponse:
        return pages.problem(request, 404, "there is no such page")

    return gate


def _closing(desk: Desk) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await desk.aclose()

    return lifespan
