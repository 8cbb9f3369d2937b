"""Serving the app from this machine."""

import hashlib
import socket
import time
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from dilemma.review.app import review_app
from dilemma.review.desk import Desk
from dilemma.review.gate import Hosts, is_loopback
from dilemma.review.sessions import Door
from dilemma.review.sheets import open_sheet
from dilemma.studies.study import known_study
from dilemma_kernel.errors import InputError, StoreError, StoreVersionError
from trajectories import browsing, open_store

LOOPBACK = "127.0.0.1"
PASSWORD = "DILEMMA_REVIEW_PASSWORD"
"""Name of the environment variable."""

_FIRST_PORT, _PORTS = 20_000, 12_000
_QUEUE = 64


@dataclass(frozen=True, kw_only=True)
class Serving:
    """What to serve, and how."""

    url: str
    """The store."""
    study: str | None = None
    """Which study to open; None for the list."""
    host: str = LOOPBACK
    port: int = 0
    """0 for the store's own port, so that drafts are found again; another where that one is taken."""
    password: str | None = None
    """Asked for where ``host`` is not this machine alone."""
    sheet: Path | None = None
    blind: bool = False
    browse: bool = True
    """Open the page in a browser."""
    notify: Callable[[str], None] = print


async def serve(wanted: Serving) -> None:
    """Serve the app until it is interrupted.

    Raises:
        InputError: a port that is taken, no password for a wide host, an unknown study, no sheet.
        StoreError: the store cannot be read.
    """
    if not is_loopback(wanted.host) and not wanted.password:
        raise InputError(
            f"--host {wanted.host} lets other machines in: set a password in {PASSWORD}; it travels as it is, so put "
            "TLS or a tunnel before it"
        )
    sheet = open_sheet(wanted.sheet) if wanted.sheet else None
    read_only = await _is_read_only(wanted.url)
    async with open_store(wanted.url, read_only=read_only) as store:
        if not await browsing.can_browse(store):
            raise InputError(
                f"an older version of dilemma wrote {store.path}: let it be written, so that it is brought up"
            )
        if wanted.study is not None:
            await known_study(store, wanted.study)
        desk = Desk(store, can_write=not read_only, sheet=sheet)
        with _listening(wanted.host, wanted.port, store.path) as listener:
            port = listener.getsockname()[1]
            wide = not is_loopback(wanted.host)
            blind = wanted.blind or sheet is not None
            door = Door(password=wanted.password if wide else None, blind=blind, clock=time.monotonic)
            gate = review_app(desk, door, Hosts(wanted.host, port), port)
            _announce(wanted, door, port, store.path)
            config = uvicorn.Config(
                gate, log_level="warning", access_log=False, server_header=False, date_header=False, lifespan="on",
                ws="none", timeout_graceful_shutdown=2,
            )  # fmt: skip
            await uvicorn.Server(config).serve(sockets=[listener])


async def _is_read_only(url: str) -> bool:
    """Whether a store can be read but not written: then pages are shown, and no label is taken.

    Raises:
        StoreError: it can be neither.
    """
    async with open_store(url, read_only=True):
        pass
    try:
        async with open_store(url):
            return False
    except StoreVersionError:
        raise
    except StoreError:
        return True


def _listening(host: str, port: int, store: Path) -> socket.socket:
    """A socket that listens. Raises ``InputError`` where a port that was asked for is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in (port,) if port else (own_port(store), 0):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(_QUEUE)
        except OSError as error:
            listener.close()
            problem = error.strerror or str(error)
        else:
            return listener
    raise InputError(f"nothing can listen at {host}, port {port}: {problem}; choose another --port")


def own_port(store: Path) -> int:
    """A port derived from where a store is: a browser keeps drafts by port."""
    digest = hashlib.sha256(str(store.resolve()).encode("utf-8", "surrogatepass")).digest()
    return _FIRST_PORT + int.from_bytes(digest[:4], "big") % _PORTS


def _announce(wanted: Serving, door: Door, port: int, store: Path) -> None:
    host = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
    if door.password is not None:
        wanted.notify(f"reviewing {store} at http://{host}:{port}/ (it asks for the password; Ctrl-C ends it)")
        return
    query = {"token": door.token} | ({"study": wanted.study} if wanted.study else {})
    link = f"http://{host}:{port}/open?{urlencode(query)}"
    wanted.notify(f"reviewing {store}; the link opens once, Ctrl-C ends it\n{link}")
    if wanted.browse:
        webbrowser.open(link)
