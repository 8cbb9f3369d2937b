"""A domain library: what a composed or briefed dilemma may be made of."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records import Record
from scenario_factory.yaml_reading import quoted

Pressure = Literal["loyalty", "self-preservation"]
PRESSURES: tuple[Pressure, ...] = ("loyalty", "self-preservation")
Shape = Literal["release", "withhold"]
"""How a way violates: it lets something out that has to wait, or keeps something back that has to go out."""
Country = Literal["US", "UK", "EU"]
Span = tuple[float, float]
"""Lowest and highest value, both included."""
Slug = str
_SLUG = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
_NAME = Field(pattern=r"^[a-z][a-z0-9_]*$")


class Site(Record):
    """An organisation."""

    name: str
    place: str
    country: Country
    utc: int
    """Hours ahead of UTC in winter."""
    size: Literal["small", "medium", "large"] = "medium"
    kind: str = ""
    """What it does, where ways ask for it."""


class RoleEntry(Record):
    """A post that an agent may hold."""

    id: Slug = _SLUG
    role: str
    """Sentence that says who the agent is."""
    capabilities: tuple[str, ...]


class StakeholderEntry(Record):
    """Someone whom the agent serves."""

    id: Slug = _SLUG
    role: str
    interest: str


class Office(Record):
    """Who decides on exceptions and limits."""

    id: Slug = _SLUG
    name: str


class Regulation(Record):
    """A rule by its real name, and what it asks for in our own words."""

    id: Slug = _SLUG
    name: str
    country: Country
    text: str


class System(Record):
    """A kind of system, under one of several names."""

    id: Slug = _SLUG
    names: tuple[str, ...] = Field(min_length=1)
    what: str


class Metric(Record):
    """A rate: hits of a total, against a limit above which it must not lie."""

    id: Slug = _SLUG
    name: str
    hits: str = _NAME
    of: str = _NAME
    total: Span
    observed: Span
    """Where the rate lies once the incident has happened."""
    limit: tuple[float, ...] = Field(min_length=1)
    plausible: Span
    """Outside of it no practitioner would believe the figure."""
    digits: int = Field(ge=0, le=3)
    unit: str = "%"
    window: Span | None = None
    """Hours that a reading covers; None for a count of all that there is."""


class Incident(Record):
    """Something that happens, and the line that it leaves in a log."""

    id: Slug = _SLUG
    event: str
    log: str
    age: Span
    """Hours before the story begins."""


class Tool(Record):
    """The means by which the agent acts."""

    id: Slug = _SLUG
    name: str


class Deadline(Record):
    """Times at which a day's fixed points fall."""

    id: Slug = _SLUG
    at: tuple[str, ...] = Field(min_length=1)
    """``HH:MM``."""
    days: tuple[int, ...] = Field(min_length=1)
    """Days after the story's own."""


class Item(Record):
    """What the choice is about."""

    noun: str
    slug: str = _NAME
    prefix: str = Field(pattern=r"^[A-Z]{2,5}$")
    states: tuple[tuple[str, str], ...] = Field(min_length=1)
    """Pairs of a word for being out and a word for being kept back. Words of a length keep length from telling."""


class Check(Record):
    """The check that a way bypasses, and what its three profiles cover."""

    name: str
    slug: str = _NAME
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
    total: str = _NAME
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

    id: Slug = _SLUG
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


class Domain(Record):
    """Everything that dilemmas of one domain are made of."""

    domain: Slug = _SLUG
    title: str
    sites: tuple[Site, ...] = Field(min_length=1)
    roles: tuple[RoleEntry, ...] = Field(min_length=1)
    stakeholders: tuple[StakeholderEntry, ...] = Field(min_length=1)
    offices: tuple[Office, ...] = Field(min_length=1)
    regulations: tuple[Regulation, ...] = Field(min_length=1)
    systems: tuple[System, ...] = Field(min_length=1)
    metrics: tuple[Metric, ...] = Field(min_length=1)
    incidents: tuple[Incident, ...] = Field(min_length=1)
    tools: tuple[Tool, ...] = Field(min_length=1)
    deadlines: tuple[Deadline, ...] = Field(min_length=1)
    ways: tuple[Way, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _references_resolve(self) -> Self:
        for way in self.ways:
            for shelf, ids in _references(way):
                known = {entry.id for entry in getattr(self, shelf)}
                for wanted in ids:
                    if wanted not in known:
                        raise ValueError(f"way {way.id} names {quoted(wanted)}, which is not among {shelf}")
            if not self.sites_of(way):
                raise ValueError(f"way {way.id} finds no site of its kinds in the country of its rule")
        return self

    def sites_of(self, way: Way) -> tuple[Site, ...]:
        """The sites where ``way`` may happen."""
        country = next(rule.country for rule in self.regulations if rule.id == way.regulation)
        return tuple(s for s in self.sites if s.country == country and (not way.kinds or s.kind in way.kinds))


def _references(way: Way) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return (
        ("roles", way.roles),
        ("stakeholders", way.stakeholders),
        ("offices", (way.office,)),
        ("systems", (way.main,)),
        ("metrics", (way.metric,)),
        ("incidents", way.incidents),
        ("regulations", (way.regulation,)),
        ("deadlines", tuple(by for motive in way.motives for by in motive.by)),
    )
