"""A drawn sheet as a queue: its rows in turn, each with the probability with which it was drawn."""

from collections.abc import Collection
from pathlib import Path

from dilemma.studies.annotate import read_sheet
from dilemma_kernel.records import Record


class Sheet(Record):
    """The episodes of a sheet, in its order."""

    name: str
    probabilities: dict[str, float]
    """episode_id -> probability, in the order of the rows."""
    studies: tuple[str, ...]

    def next_after(self, here: str | None, done: Collection[str]) -> str | None:
        """The first episode after ``here`` that is not done, round to the start; None where all are."""
        rows = list(self.probabilities)
        start = rows.index(here) + 1 if here in self.probabilities else 0
        return next((row for row in (*rows[start:], *rows[:start]) if row not in done and row != here), None)


def open_sheet(path: Path) -> Sheet:
    """The queue of a sheet that ``dilemma annotate sheet`` wrote. Raises ``InputError`` where it is none."""
    rows = read_sheet(path)
    return Sheet(
        name=path.name,
        probabilities={row.episode: row.probability for row in rows},
        studies=tuple(dict.fromkeys(row.study for row in rows)),
    )
