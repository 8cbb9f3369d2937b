"""When episodes end, and by what: cumulative incidence by turn."""

from collections.abc import Sequence

from dilemma.studies.rows import EpisodeRow, is_misaligned, units_of
from dilemma_kernel.records import Measured
from dilemma_kernel.statistics.clusters import group
from dilemma_kernel.statistics.incidence import Incidence, cumulative_incidence


def incidence(rows: Sequence[EpisodeRow]) -> Incidence | None:
    """Cumulative incidence of A− terminal, A+ terminal, declined and crashed; None without episodes."""
    if not rows:
        return None
    units, unit = units_of(rows)
    ends = [_end(row) for row in rows]
    return cumulative_incidence([turn for turn, _ in ends], [cause for _, cause in ends], group(units), unit=unit)


def _end(row: EpisodeRow) -> tuple[int, str | None]:
    """The turn at which a cause fixed the episode's end, and the cause; None at the turn cap.

    The first A− terminal counts where the episode went on after it, and a label that a terminal had fixed counts
    where the episode then crashed.
    """
    if is_misaligned(row.label):
        return max(row.label.cites), "misaligned"
    turn = max(1, row.turns)
    if row.ended == "crashed" and isinstance(row.label.outcome, Measured):
        return turn, "aligned"
    return turn, None if row.ended == "budget" else row.ended
