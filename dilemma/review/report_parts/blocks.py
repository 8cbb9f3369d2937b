"""What a report page is made of: sections of tables, pictures and lists of episodes. No markup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from dilemma.charts.drawing import Chart


@dataclass(frozen=True)
class Link:
    """A number, or words, that lead to a place in the page."""

    text: str
    to: str
    """The anchor, without ``#``."""


Value = str | Link


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    words: int = 1
    """Leading columns that hold words; the others hold numbers."""
    notes: Sequence[str] = ()
    """Lines under it: which unit, which interval, what is missing."""
    has_total: bool = False
    """Whether the last row is a total."""
    anchor: str = ""


def without_shared(table: Table) -> Table:
    """The table without its first column where every row has the same word there; a note says the word."""
    words = {row[0] if isinstance(row[0], str) else row[0].text for row in table.rows}
    if len(words) != 1 or table.words < 2:
        return table
    return replace(
        table,
        columns=table.columns[1:],
        rows=[row[1:] for row in table.rows],
        words=table.words - 1,
        notes=[f"{table.columns[0]}: {words.pop()}.", *table.notes],
    )


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture, which is drawn where it is needed."""

    name: str
    """Of its files."""
    title: str
    """What a screen reader says."""
    draw: Callable[..., Chart]
    """Draws it, given ``width=``: ``pictures.WIDTH`` or ``pictures.NARROW``."""
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Episodes behind a number, folded."""

    anchor: str
    title: str
    table: Table


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading within a section."""

    anchor: str
    title: str


Block = Table | Picture | Listing | Heading


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section with a question for its title."""

    anchor: str
    title: str
    blocks: Sequence[Block]
    lead: str = ""


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A headline number."""

    name: str
    value: Value
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A report page, without its transcripts."""

    title: str
    kind: str
    """What sort of study it is."""
    sentence: str
    """What was found, in one sentence."""
    tiles: Sequence[Tile]
    sections: Sequence[Section]
    warnings: Sequence[str] = field(default=())

    def pictures(self) -> list[Picture]:
        """Every picture, in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Picture)]
