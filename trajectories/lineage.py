"""The lineage of scenarios: every round of every stage that was tried for them."""

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select

from dilemma_kernel.records import Attempt
from trajectories.jsontext import dumps, loads, plain
from trajectories.reader import Reader
from trajectories.rows import Row
from trajectories.tables import ATTEMPTS
from trajectories.writer import Writer

_column = ATTEMPTS.c


class StoredLineage:
    """Implements ``ports.LineageStore``.

    Args:
        reader: where attempts are read.
        writer: where they are added.
    """

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer

    async def put(self, attempts: Sequence[Attempt]) -> None:
        """Keep the attempts of one candidate, all or none; asked again, it replaces them."""
        rows = [_row(attempt, position) for position, attempt in enumerate(attempts)]
        if rows:
            await self._writer.run(lambda connection: _replace(connection, rows))

    async def attempts(self, scenario: str) -> tuple[Attempt, ...]:
        """Every attempt of the candidate that became ``scenario`` (a name or a scenario_id), or of that candidate.

        Where several generations made it, those of one of them. Empty where none did.
        """
        return await self._reader.run(lambda connection: _attempts(connection, scenario))


def _row(attempt: Attempt, position: int) -> Row:
    return {
        "generation": attempt.generation,
        "candidate": attempt.candidate,
        "stage": attempt.stage,
        "round": attempt.round,
        "position": position,
        "scenario": attempt.scenario,
        "scenario_id": attempt.scenario_id,
        "decision": attempt.decision,
        "record": dumps(attempt),
    }


def _replace(connection: Connection, rows: Sequence[Row]) -> None:
    for key in {(row["generation"], row["candidate"]) for row in rows}:
        connection.execute(delete(ATTEMPTS).where(_column.generation == key[0], _column.candidate == key[1]))
    connection.execute(insert(ATTEMPTS), list(rows))


def _attempts(connection: Connection, scenario: str) -> tuple[Attempt, ...]:
    wanted = plain(scenario)
    named = (_column.scenario == wanted) | (_column.scenario_id == wanted) | (_column.candidate == wanted)
    ordered = (_column.generation, _column.candidate)
    found = connection.execute(select(*ordered).where(named).order_by(*ordered).limit(1)).first()
    if found is None:
        return ()
    mine = (_column.generation == found.generation) & (_column.candidate == found.candidate)
    texts = connection.scalars(select(_column.record).where(mine).order_by(_column.position))
    return tuple(loads(Attempt, text) for text in texts)
