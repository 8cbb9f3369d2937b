"""Messages between a process and its parent: pickled, each behind its length, over pipes.

Both ends are this software, and one started the other: nothing that came from elsewhere is ever unpickled. What a
model wrote travels as plain text inside.
"""

import asyncio
import pickle
from typing import Any

_LENGTH = 8
"""Bytes that hold a message's length."""


class Channel:
    """One end of the pipes.

    Args:
        reader: what the other end says.
        writer: where this end speaks.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._asked = 0

    async def receive(self) -> tuple[Any, ...] | None:
        """The next message; None once the other end is gone."""
        try:
            length = int.from_bytes(await self._reader.readexactly(_LENGTH))
            message: tuple[Any, ...] = pickle.loads(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return message

    async def tell(self, *message: Any) -> None:
        """Send a message; waits where the other end is slow. Says nothing to an end that is gone."""
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        try:
            self._writer.write(len(data).to_bytes(_LENGTH) + data)
            await self._writer.drain()
        except ConnectionError:
            return

    async def ask(self, *message: Any) -> Any:
        """Send a message with a number of its own in front, and wait for the answer to it.

        Raises:
            Exception: what the other end answered with, if it was one.
        """
        self._asked += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[self._asked] = answer
        await self.tell("ask", self._asked, *message)
        found = await answer
        if isinstance(found, Exception):
            raise found
        return found

    def answered(self, number: int, found: Any) -> None:
        """An answer has come."""
        waiting = self._answers.pop(number)
        if not waiting.done():
            waiting.set_result(found)
