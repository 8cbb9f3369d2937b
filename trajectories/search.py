"""Words in what agents and worlds said: an index beside the store, made on demand.

The index is a file of its own, ``STORE-search``, so that a store grows by nothing that was not asked for, and a study
that is being written is never kept waiting. It may be deleted: it is made again. It holds words and where they occur,
no text.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, select, tuple_

from dilemma_kernel.errors import InputError, StoreError
from dilemma_kernel.records import JsonObject, Record
from trajectories.jsontext import parse
from trajectories.store import Store
from trajectories.tables import EPISODES, OVERVIEW

MOST_FOUND = 20_000
"""Episodes that a search finds at most."""

_MOST_CHARS = 400_000
"""Characters of one episode that are indexed at most."""
_AT_A_TIME = 64
_MOST_WORDS = 12
_FORM = "1"
_TABLES = f"""
    CREATE TABLE IF NOT EXISTS docs (
        doc INTEGER PRIMARY KEY, study TEXT NOT NULL, episode_id TEXT NOT NULL UNIQUE, attempt INTEGER NOT NULL);
    CREATE INDEX IF NOT EXISTS docs_of_study ON docs (study, attempt);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', detail=none);
    CREATE TABLE IF NOT EXISTS form_{_FORM} (one INTEGER);
"""

Attempt = tuple[str, int]
"""episode_id and attempt."""


class Found(Record):
    """What a search found."""

    episodes: tuple[str, ...]
    more: bool
    """Whether it stopped at ``MOST_FOUND``."""


class TextIndex:
    """The index of one store.

    Args:
        store: what is indexed; open as long as this is used.
        place: the file; beside the store by default.
    """

    def __init__(self, store: Store, place: Path | None = None) -> None:
        self._store = store
        self._place = place or Path(f"{store.path}-search")
        self._updating = asyncio.Lock()
        self._is_closed = threading.Event()

    def close(self) -> None:
        """Let an update stop at its next step."""
        self._is_closed.set()

    async def lacks(self, study: str) -> int:
        """Episodes of a study that are not in the index yet; 1 at least where a newer attempt is not."""
        columns = OVERVIEW.c
        statement = select(func.count(), func.coalesce(func.sum(columns.attempt), 0)).where(columns.study == study)
        (stored,) = await self._store.read(lambda connection: connection.execute(statement).all())
        known = await asyncio.to_thread(self._counts, study)
        missing = int(stored[0]) - known[0]
        return max(missing, int(tuple(stored) != known))

    async def update(self, study: str) -> None:
        """Index what a study lacks, newest attempts alone; what is done by then is kept when it is stopped.

        Raises:
            StoreError: the index cannot be made or written.
        """
        async with self._updating:
            missing = await self._missing(study)
            for start in range(0, len(missing), _AT_A_TIME):
                if self._is_closed.is_set():
                    return
                some = missing[start : start + _AT_A_TIME]
                texts = await self._store.read(partial(_texts, attempts=some))
                await asyncio.to_thread(self._add, study, texts)

    async def find(self, study: str, text: str) -> Found:
        """Episodes of a study that hold every word of ``text``; the last word may be the start of one.

        Raises:
            InputError: there is no word in it.
        """
        words = _words(text)
        if not words:
            raise InputError("give a word to search for: letters or digits")
        return await asyncio.to_thread(self._find, study, words)

    async def _missing(self, study: str) -> list[Attempt]:
        of_study = select(OVERVIEW.c.episode_id, OVERVIEW.c.attempt).where(OVERVIEW.c.study == study)
        stored = await self._store.read(lambda connection: connection.execute(of_study).all())
        known = await asyncio.to_thread(self._known, study)
        return [(row.episode_id, row.attempt) for row in stored if known.get(row.episode_id) != row.attempt]

    def _counts(self, study: str) -> tuple[int, int]:
        """Episodes of a study that are in the index, and the sum of their attempts."""
        with closing(self._open()) as index:
            episodes, attempts = index.execute(
                "SELECT count(*), coalesce(sum(attempt), 0) FROM docs WHERE study = ?", (study,)
            ).fetchone()
            return episodes, attempts

    def _known(self, study: str) -> dict[str, int]:
        with closing(self._open()) as index:
            return dict(index.execute("SELECT episode_id, attempt FROM docs WHERE study = ?", (study,)))

    def _add(self, study: str, texts: Sequence[tuple[Attempt, str]]) -> None:
        """A document of an earlier attempt loses its study: a word is not taken out of such an index.

        Another server may be at it too: what it has added is left out.
        """
        with closing(self._open()) as index, index:
            index.execute("BEGIN IMMEDIATE")
            for (episode_id, attempt), text in texts:
                known = index.execute("SELECT attempt FROM docs WHERE episode_id = ?", (episode_id,)).fetchone()
                if known and known[0] >= attempt:
                    continue
                index.execute(
                    "UPDATE docs SET study = '', episode_id = episode_id || '/' || attempt WHERE episode_id = ?",
                    (episode_id,),
                )
                row = (study, episode_id, attempt)
                doc = index.execute("INSERT INTO docs (study, episode_id, attempt) VALUES (?, ?, ?)", row).lastrowid
                index.execute("INSERT INTO words(rowid, text) VALUES (?, ?)", (doc, text))

    def _find(self, study: str, words: Sequence[str]) -> Found:
        query = " AND ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'])
        # CROSS: the words come first. SQLite would ask for them once an episode otherwise.
        found = "SELECT episode_id FROM words CROSS JOIN docs ON doc = words.rowid WHERE words MATCH ? AND study = ?"
        with closing(self._open()) as index:
            rows = index.execute(f"{found} LIMIT ?", (query, study, MOST_FOUND + 1)).fetchall()
        return Found(episodes=tuple(row[0] for row in rows[:MOST_FOUND]), more=len(rows) > MOST_FOUND)

    def _open(self) -> sqlite3.Connection:
        """The index; one of another form, or that cannot be read, is made again."""
        for again in (True, False):
            try:
                index = sqlite3.connect(self._place, timeout=30)
                index.execute("PRAGMA journal_mode=WAL")
                index.execute("PRAGMA synchronous=OFF")
                index.executescript(_TABLES)
            except sqlite3.DatabaseError as error:
                if not again or isinstance(error, sqlite3.OperationalError):
                    raise StoreError(f"the search index {self._place} cannot be used: {error}; delete it") from None
                self._remove()
            else:
                return index
        raise AssertionError("the second try returns or raises")

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._place}{suffix}").unlink()


def _words(text: str) -> list[str]:
    """Runs of letters and digits, as the index has them; the rest of ``text`` parts words."""
    return "".join(char if char.isalnum() else " " for char in text).split()[:_MOST_WORDS]


def _texts(connection: Connection, attempts: Sequence[Attempt]) -> list[tuple[Attempt, str]]:
    columns = EPISODES.c
    wanted = tuple_(columns.episode_id, columns.attempt).in_(list(attempts))
    rows = connection.execute(select(columns.episode_id, columns.attempt, columns.record).where(wanted))
    return [((row.episode_id, row.attempt), _text(parse(row.record))) for row in rows]


def _text(trajectory: JsonObject) -> str:
    """What was said in an episode, without its opening."""
    said = "\n".join(text for text in _said(trajectory) if text)[:_MOST_CHARS]
    return said.encode("utf-8", "replace").decode()


def _said(trajectory: JsonObject) -> Iterator[str]:
    yield trajectory.get("error") or ""
    for turn in trajectory["turns"]:
        for ask in turn["asks"]:
            yield from _of_reply(ask["reply"])
        move, response = turn.get("move"), turn.get("response")
        if move:
            yield from (move["action"], move["reasoning"])
            yield from _strings(move["parameters"])
        if response:
            yield response["observation"]
            yield from (fault["detail"] for fault in response["faults"])


def _of_reply(reply: JsonObject) -> Iterator[str]:
    yield from (reply.get("text") or "", reply.get("reasoning") or "", reply.get("refusal") or "")
    yield from (call["raw"] for call in reply["calls"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
