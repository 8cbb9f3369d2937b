"""The episodes behind each number: by cell and outcome, with what went wrong in them, and where judges differ."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dilemma.review.report_parts.blocks import Block, Heading, Link, Listing, Section, Table, Value
from dilemma.studies.agreement import RULES, label_by
from dilemma.studies.rows import EpisodeRow, value
from dilemma_kernel.records import LABELS, Cell, Crashed, Unmeasured, content_hash

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")

LISTED = 50
"""Episodes named in one list at most."""

MISSING = ("declined", "unmeasured", "crashed")
GROUPS = (*LABELS, *MISSING, "faults", "invalid")
"""What a cell's episodes are listed by. The last two stand beside the others: an episode may be in several lists."""

TITLES = {"faults": "with a fault of the environment", "invalid": "with a turn without a valid move"}


def outcome_of(row: EpisodeRow) -> str:
    """The rules' label, or the kind of its absence."""
    match row.label.outcome:
        case Unmeasured(why="declined"):
            return "declined"
        case Unmeasured():
            return "unmeasured"
        case Crashed():
            return "crashed"
        case _:
            return str(value(row.label))


@dataclass(frozen=True, kw_only=True)
class Behind:
    """Where each number leads."""

    names: Sequence[str]
    """Of the cells."""
    lists: Mapping[tuple[int, str], Sequence[EpisodeRow]]
    """(place of the cell, group) -> its episodes."""
    differing: Mapping[str, Sequence[EpisodeRow]]
    """Judge -> episodes on which it differs from the rules."""

    def link(self, number: str, cell: int | None, group: str) -> Value:
        """``number``, leading to the list where there is one."""
        if cell is None or not self.lists.get((cell, group)):
            return number
        return Link(number, anchor(cell, group))

    def cell(self, words: str, cell: int | None) -> Value:
        """``words``, leading to the cell's episodes where it has any."""
        there = cell is not None and any(self.lists.get((cell, group)) for group in GROUPS)
        return Link(words, anchor(cell)) if there and cell is not None else words

    def differs(self, words: str, judge: str) -> Value:
        """``words``, leading to the episodes on which this judge and the rules differ."""
        places = list(self.differing)
        return Link(words, f"differ-{places.index(judge)}") if self.differing.get(judge) else words


def anchor(cell: int, group: str = "") -> str:
    """The anchor of a cell's episodes, or of one of its lists."""
    return f"cell-{cell}-{group}" if group else f"cell-{cell}"


def episode_anchor(episode_id: str) -> str:
    """The anchor of a transcript; an id from elsewhere may hold anything."""
    return f"e-{episode_id if _ID.fullmatch(episode_id) else content_hash(episode_id)}"


def behind(cells: Sequence[Cell], names: Sequence[str], rows: Sequence[EpisodeRow], judges: Sequence[str]) -> Behind:
    """Sort a study's episodes.

    Args:
        cells: the study's.
        names: theirs.
        rows: every episode, in the study's order.
        judges: makers of labels beside the rules.
    """
    places = {cell.key: place for place, cell in enumerate(cells)}
    lists: dict[tuple[int, str], list[EpisodeRow]] = {}
    for row in rows:
        for group in _groups(row):
            lists.setdefault((places[row.cell], group), []).append(row)
    return Behind(names=names, lists=lists, differing={judge: list(_differing(rows, judge)) for judge in judges})


def picked(found: Behind, most: int, takes: Callable[[str], bool]) -> list[str]:
    """Ids of the episodes whose transcripts the page holds.

    Args:
        found: the episodes.
        most: ids at most.
        takes: whether an episode may be there.
    """
    lists = [*found.differing.values(), *found.lists.values()]
    return in_turn([[row.episode_id for row in rows] for rows in lists], most, takes)


def in_turn(lists: Sequence[Sequence[str]], most: int, takes: Callable[[str], bool]) -> list[str]:
    """The first of every list, then the second, and so on: none twice, ``most`` at most."""
    ids: dict[str, None] = {}
    waiting = [iter(one) for one in lists]
    while waiting and len(ids) < most:
        heads = [(names, next(filter(lambda name: name not in ids and takes(name), names), None)) for names in waiting]
        ids |= dict.fromkeys(name for _, name in heads if name is not None)
        waiting = [names for names, name in heads if name is not None]
    return list(ids)[:most]


def episodes_section(found: Behind, held: frozenset[str], lead: str) -> Section:
    """Every list.

    Args:
        found: the episodes.
        held: ids of those whose transcript is in the page.
        lead: what the page holds.
    """
    return Section(
        anchor="episodes", title="Which episodes are behind the numbers?", lead=lead, blocks=list(_blocks(found, held))
    )


def _blocks(found: Behind, held: frozenset[str]) -> Iterator[Block]:
    for cell, name in enumerate(found.names):
        listed = [(group, found.lists[cell, group]) for group in GROUPS if found.lists.get((cell, group))]
        if not listed:
            continue
        yield Heading(anchor=anchor(cell), title=name)
        for group, rows in listed:
            yield Listing(
                anchor=anchor(cell, group),
                title=f"{TITLES.get(group, group)} · {counted(len(rows))}",
                table=_table(rows, held),
            )
    if any(found.differing.values()):
        yield Heading(anchor="differ", title="Where a judge and the rules differ")
    for place, (judge, rows) in enumerate(found.differing.items()):
        if rows:
            table = _table(rows, held, judge)
            yield Listing(anchor=f"differ-{place}", title=f"{judge} · {counted(len(rows))}", table=table)


def _table(rows: Sequence[EpisodeRow], held: frozenset[str], judge: str | None = None) -> Table:
    beside = (f"label by {judge}",) if judge else ()
    columns = ("episode", "scenario", "rules' label", *beside, "ended", "repeat", "turns", "faults", "cost, $")
    left_out = len(rows) - LISTED
    notes = [f"The first {LISTED} of {len(rows):,}, in the study's order."] if left_out > 0 else []
    return Table(
        columns=columns,
        words=4 + len(beside),
        rows=[_row(row, held, judge) for row in rows[:LISTED]],
        notes=notes,
    )


def _row(row: EpisodeRow, held: frozenset[str], judge: str | None) -> list[Value]:
    name = row.episode_id[:12]
    return [
        Link(name, episode_anchor(row.episode_id)) if row.episode_id in held else name,
        row.scenario,
        outcome_of(row),
        *([str(value(label_by(row, judge)))] if judge else []),
        row.ended,
        str(row.repeat),
        str(row.turns),
        str(row.faults),
        "–" if row.cost is None else f"{row.cost:.4f}",
    ]


def _groups(row: EpisodeRow) -> Iterator[str]:
    yield outcome_of(row)
    if row.faults:
        yield "faults"
    if row.invalid_turns:
        yield "invalid"


def _differing(rows: Iterable[EpisodeRow], judge: str) -> Iterator[EpisodeRow]:
    for row in rows:
        said, ruled = value(label_by(row, judge)), value(label_by(row, RULES))
        if said is not None and ruled is not None and said != ruled:
            yield row


def counted(number: int) -> str:
    """``1 episode``, ``1,234 episodes``."""
    return f"{number:,} episode{'' if number == 1 else 's'}"
