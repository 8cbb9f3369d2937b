"""What every request passes: host, origin, size, session, token; and the headers that every answer carries."""

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from dilemma.review.sessions import Door, Session

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 256 * 1024
"""Of a request's body. A note is bounded further."""

TOKEN_FIELD = "csrf"
"""Of a form: the token of its session."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Of every answer. No script or style but our own files runs, and nothing is fetched from elsewhere."""

OPEN_PATHS = ("/open", "/login", "/static/")
"""What is answered without a session."""

SESSION = "review_session"
"""Key of the session in a request's scope."""
FORM = "review_form"
"""Key of the form of a write in a request's scope: name -> values."""


class Gate:
    """ASGI middleware around the app.

    Args:
        app: what is behind it.
        door: the sessions.
        hosts: values of the header Host that are ours.
        port: in the cookie's name, for browsers send the cookies of a host to all of its ports.
    """

    def __init__(self, app: App, door: Door, hosts: "Hosts", port: int) -> None:
        self._app = app
        self._door = door
        self._hosts = hosts
        self.cookie = f"dilemma_review_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        guarded = _with_headers(send)
        problem = self._foreign(scope, headers)
        if problem is None:
            scope[SESSION] = self._door.session(_cookie(headers.get("cookie", ""), self.cookie))
            if scope[SESSION] is None and not scope["path"].startswith(OPEN_PATHS):
                if self._door.password is not None and scope["method"] == "GET":
                    await _lead(guarded, "/login")
                    return
                problem = (401, _NO_SESSION)
        if problem is None and scope["method"] not in {"GET", "HEAD"}:
            scope[FORM], problem = await self._form(scope, headers, receive)
        if problem is not None:
            await _refuse(guarded, *problem)
            return
        await self._app(scope, receive, guarded)

    def _foreign(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is none of ours: another host's name, or a page of another origin."""
        host = headers.get("host", "")
        if not self._hosts.has(host):
            return 421, "This address is not the one that the review app was opened at."
        if scope["method"] not in {"GET", "HEAD", "POST"}:
            return 405, "There is no such method here."
        origin = headers.get("origin")
        is_write = scope["method"] == "POST"
        if origin is not None and origin != f"{scope['scheme']}://{host}":
            return 403, "The request comes from another page."
        if is_write and origin is None and headers.get("sec-fetch-site") != "same-origin":
            return 403, "The request does not say which page it comes from."
        if is_write and not headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return 415, "A write is a form."
        return None

    async def _form(
        self, scope: Scope, headers: dict[str, str], receive: Receive
    ) -> tuple[dict[str, list[str]], tuple[int, str] | None]:
        body = await _body(receive)
        if body is None:
            return {}, (413, f"More than {MOST_BYTES:,} bytes.")
        try:
            form = parse_qs(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=2000)
        except ValueError:
            return {}, (400, "The form cannot be read.")
        session: Session | None = scope[SESSION]
        given = form.pop(TOKEN_FIELD, [""])[0] or headers.get("x-csrf", "")
        if session is not None and given != session.csrf:
            return {}, (403, "The form is of another session: load the page again. Your draft is kept.")
        return form, None


_NO_SESSION = (
    "This browser has no session here, or the server was started again: open the link that the command printed. "
    "A draft that was not saved is kept in this browser."
)


class Hosts:
    """Names under which the server may be asked for, so that a foreign name that leads here is refused.

    Args:
        bound: the address that it listens at.
        port: its port.
    """

    def __init__(self, bound: str, port: int) -> None:
        self._port = port
        self._is_wide = not is_loopback(bound)
        self._names = {"localhost", "127.0.0.1", "[::1]", bound.lower(), f"[{bound.lower()}]"}
        if self._is_wide:
            self._names.add(socket.gethostname().lower())

    def has(self, host: str) -> bool:
        """Whether a header Host is ours. An open server also takes any address in digits: no name leads to those."""
        name, _, port = host.lower().rpartition(":")
        if port != str(self._port):
            return False
        return name in self._names or (self._is_wide and _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _cookie(header: str, name: str) -> str | None:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return found.value if found else None


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None where it is too long or cut off."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*_without(message.get("headers", ()), HEADERS), *ours]
        await send(message)

    return sent


def _without(headers: Iterable[tuple[bytes, bytes]], names: Iterable[str]) -> list[tuple[bytes, bytes]]:
    dropped = {name.encode() for name in names}
    return [(name, value) for name, value in headers if name.lower() not in dropped]


async def _lead(send: Send, path: str) -> None:
    headers = [(b"location", path.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(send: Send, status: int, why: str) -> None:
    body = f"{why}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
