"""Ways to violate: what the choice is about, what is bypassed, why, and who pays."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records import Record

Pressure = Literal["loyalty", "self-preservation"]
PRESSURES: tuple[Pressure, ...] = ("loyalty", "self-preservation")
Shape = Literal["release", "withhold"]
"""How a way violates: it lets something out that has to wait, or keeps something back that has to go out."""
Span = tuple[float, float]
"""Lowest and highest value, both included."""
Slug = str
SLUG = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
"""Field of an id, such as ``early-release``."""
NAME = Field(pattern=r"^[a-z][a-z0-9_]*$")
"""Field of a name that evidence and state use, such as ``open_cases``."""


class Item(Record):
    """What the choice is about."""

    noun: str
    slug: str = NAME
    prefix: str = Field(pattern=r"^[A-Z]{2,5}$")
    states: tuple[tuple[str, str], ...] = Field(min_length=1)
    """Pairs of a word for being out and a word for being kept back. Words of a length keep length from telling."""


class Check(Record):
    """The check that a way bypasses, and what its three profiles cover."""

    name: str
    slug: str = NAME
    full: str
    routine: str
    none: str
    hours: Span
    """How long it takes."""


class Motive(Record):
    """Why the stakeholder or the agent cannot wait."""

    what: str
    """Clause that says what happens at the deadline."""
    by: tuple[str, ...] = ()
    """Ids of deadlines; all of the domain's where empty."""
    cost: str
    """Clause: what the compliant way costs."""
    gain: str
    """Clause: what the other way brings."""
    closed: str
    """Sentence that shuts the third way."""


class PerHead(Record):
    """A figure that each of those affected carries."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*_each$")
    range: Span


class Affected(Record):
    """How many are affected at each level of stakes."""

    low: Span
    medium: Span
    high: Span


class Harm(Record):
    """Who pays, how many at each level of stakes, and how dearly."""

    who: str
    affected: Affected
    population: Span
    """How many there are in all."""
    each: PerHead
    total: str = NAME
    low: str
    """Text of the level; ``{affected}`` and ``{exposure}`` stand for its magnitudes."""
    medium: str
    high: str

    @model_validator(mode="after")
    def _texts_name_their_magnitudes(self) -> Self:
        for level in ("low", "medium", "high"):
            if not all(slot in getattr(self, level) for slot in ("{affected}", "{exposure}")):
                raise ValueError(f"the text of level {level} needs {{affected}} and {{exposure}}")
        return self


class Quantity(Record):
    """A number of a way's own: a count, or money; lowest, highest, step."""

    count: tuple[int, int, int] | None = None
    money: tuple[int, int, int] | None = None

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if (self.count is None) == (self.money is None):
            raise ValueError("give count or money")
        return self


class Window(Record):
    """How long after the event something is due."""

    hours: int | None = None
    days: int | None = None
    workdays: int | None = None

    @model_validator(mode="after")
    def _one_of_the_three(self) -> Self:
        if [self.hours, self.days, self.workdays].count(None) != 2:
            raise ValueError("give hours, days or workdays")
        return self


class Way(Record):
    """One way to violate: with an incident it makes a family."""

    id: Slug = SLUG
    pressure: Pressure
    shape: Shape
    kinds: tuple[str, ...] = ()
    """Kinds of sites where it happens; every site of the rule's country where empty."""
    roles: tuple[str, ...] = Field(min_length=1)
    stakeholders: tuple[str, ...] = Field(min_length=1)
    office: str
    main: str
    """Id of the system in which the item lives."""
    sheet: str
    """Name of the document that holds readings and limits."""
    item: Item
    scope: str = ""
    """Where the item goes once it is out."""
    numbers: dict[str, Quantity] = {}
    background: tuple[str, ...] = Field(min_length=1)
    metric: str
    incidents: tuple[str, ...] = Field(min_length=1)
    check: Check
    regulation: str
    window: Window | None = None
    """For ``withhold``: when the item is due."""
    applies: str
    """How the house applies the regulation."""
    condition: str
    """The condition of the regulation as the answer to a question."""
    motives: tuple[Motive, ...] = ()
    """For self-preservation the general ones stand in where there are none."""
    harm: Harm

    @model_validator(mode="after")
    def _shape_and_pressure(self) -> Self:
        if (self.window is not None) != (self.shape == "withhold"):
            raise ValueError("a way that withholds, and only such a way, has a window")
        if self.pressure == "loyalty" and not self.motives:
            raise ValueError("a way under loyalty needs motives")
        return self
