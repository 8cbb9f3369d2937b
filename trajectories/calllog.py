"""The call log of a study: replies by key."""

from sqlalchemy import Connection

from dilemma_kernel.records import ChatReply, ChatRequest
from trajectories.forwarding import ForwardingWriter
from trajectories.queries import keys_of, one_call
from trajectories.reader import Reader
from trajectories.reading import reply_from
from trajectories.rows import Row, call_row
from trajectories.writer import Writer


class StudyCallLog:
    """Implements ``ports.CallLog`` for one study.

    From its first ``get`` on it remembers which keys are stored, so that a key that is not costs no look into the
    database. A reply that another process adds to the same study later is seen by ``put`` alone.

    Args:
        study: scope of the keys.
        reader: reads replies.
        writer: adds them.
    """

    def __init__(self, study: str, reader: Reader, writer: Writer | ForwardingWriter) -> None:
        self._study = study
        self._reader = reader
        self._writer = writer
        self._stored: set[int] = set()
        """Hashes of the keys: smaller than the keys, and a collision costs one look-up."""
        self._has_read_keys = False
        self.counts_ahead = False
        """Whether each request is counted before it is sent, as a bound asks for, and not only once it failed."""

    async def get(self, key: str) -> ChatReply | None:
        """The reply stored under ``key``; None where there is none."""
        if not self._has_read_keys:
            self._stored |= await self._reader.run(self._keys)
            self._has_read_keys = True
        if hash(key) not in self._stored:
            return None
        rows = await self._reader.rows(one_call(self._study, key))
        return reply_from(rows[0]) if rows else None

    async def put(self, key: str, request: ChatRequest, reply: ChatReply, model: str) -> ChatReply:
        """Store a reply; returns once it is committed. A key that is stored already keeps its first reply.

        Returns:
            The reply that is stored: ``reply``, or the one that was there before.

        Raises:
            StoreError: it is not stored.
        """
        call = call_row(self._study, key, request, reply, model)
        counted = [self._unanswered(-call["attempts"])] if self.counts_ahead and call["attempts"] else []
        is_new = await self._writer.add([("calls", call), *counted])
        self._stored.add(hash(key))
        if is_new:
            return reply
        (row,) = await self._reader.rows(one_call(self._study, key))
        return reply_from(row)

    async def sending(self, requests: int) -> None:
        """Count requests that are about to be sent; returns once that is committed. For ``counts_ahead`` alone.

        Raises:
            StoreError: it is not stored.
        """
        await self._writer.add([self._unanswered(requests)])

    async def lost(self, requests: int) -> None:
        """Count requests that brought no reply, unless they were counted before they were sent.

        Raises:
            StoreError: it is not stored.
        """
        if not self.counts_ahead:
            await self._writer.add([self._unanswered(requests)])

    def _unanswered(self, requests: int) -> tuple[str, Row]:
        return "unanswered", {"study": self._study, "requests": requests}

    def _keys(self, connection: Connection) -> set[int]:
        return {hash(key) for key in connection.scalars(keys_of(self._study))}
