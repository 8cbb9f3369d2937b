"""The call log of a study: replies by key."""

from sqlalchemy import Connection

from dilemma_kernel.errors import StoreError
from dilemma_kernel.records import ChatReply, ChatRequest, Timing
from trajectories.jsontext import loads
from trajectories.queries import keys_of, one_call
from trajectories.reader import Reader
from trajectories.rows import call_row
from trajectories.writer import Writer


class StudyCallLog:
    """Implements ``ports.CallLog`` for one study.

    From its first ``get`` on it remembers which keys are stored, so that a key that is not costs no look into the
    database. Replies that another process adds to the same study later are not seen.

    Args:
        study: scope of the keys.
        reader: reads replies.
        writer: adds them; None where the store was opened for reading only.
    """

    def __init__(self, study: str, reader: Reader, writer: Writer | None) -> None:
        self._study = study
        self._reader = reader
        self._writer = writer
        self._stored: set[int] | None = None
        """Hashes of the keys: smaller than the keys, and a collision costs one look-up."""

    async def get(self, key: str) -> ChatReply | None:
        """The reply stored under ``key``; None where there is none."""
        if self._stored is None:
            found = await self._reader.run(self._keys)
            self._stored = found | (self._stored or set())
        if hash(key) not in self._stored:
            return None
        rows = await self._reader.rows(one_call(self._study, key))
        return reply_from(rows[0].reply, rows[0].timing) if rows else None

    async def put(self, key: str, request: ChatRequest, reply: ChatReply, model: str) -> None:
        """Store a reply; returns once it is committed. A key that is stored already keeps its first reply.

        Raises:
            StoreError: it is not stored.
        """
        if self._writer is None:
            raise StoreError("this store was opened for reading only")
        await self._writer.add([("calls", call_row(self._study, key, request, reply, model))])
        if self._stored is not None:
            self._stored.add(hash(key))

    def _keys(self, connection: Connection) -> set[int]:
        return {hash(key) for key in connection.scalars(keys_of(self._study))}


def reply_from(reply: str, timing: str | None) -> ChatReply:
    """A reply from its row: its JSON, and its timing's apart."""
    record = loads(ChatReply, reply)
    return record if timing is None else record.model_copy(update={"timing": loads(Timing, timing)})
