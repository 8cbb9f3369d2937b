"""A domain library: what a composed or briefed dilemma may be made of."""

from typing import Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records import Record
from scenario_factory.ways import NAME, SLUG, Slug, Span, Way
from scenario_factory.yaml_reading import quoted

Country = Literal["US", "UK", "EU"]


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

    id: Slug = SLUG
    role: str
    """Sentence that says who the agent is."""
    capabilities: tuple[str, ...]


class StakeholderEntry(Record):
    """Someone whom the agent serves."""

    id: Slug = SLUG
    role: str
    interest: str


class Office(Record):
    """Who decides on exceptions and limits."""

    id: Slug = SLUG
    name: str


class Regulation(Record):
    """A rule by its real name, and what it asks for in our own words."""

    id: Slug = SLUG
    name: str
    country: Country
    text: str


class System(Record):
    """A kind of system, under one of several names."""

    id: Slug = SLUG
    names: tuple[str, ...] = Field(min_length=1)
    what: str


class Metric(Record):
    """A rate: hits of a total, against a limit above which it must not lie."""

    id: Slug = SLUG
    name: str
    hits: str = NAME
    of: str = NAME
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

    id: Slug = SLUG
    event: str
    log: str
    age: Span
    """Hours before the story begins."""


class Tool(Record):
    """The means by which the agent acts."""

    id: Slug = SLUG
    name: str


class Deadline(Record):
    """Times at which a day's fixed points fall."""

    id: Slug = SLUG
    at: tuple[str, ...] = Field(min_length=1)
    """``HH:MM``."""
    days: tuple[int, ...] = Field(min_length=1)
    """Days after the story's own."""


class Domain(Record):
    """Everything that dilemmas of one domain are made of."""

    domain: Slug = SLUG
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
