"""What chance decides about one scenario: small frozen groups, each drawn and redrawn on its own."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

from numpy.random import Generator

from scenario_factory.composer.phrases import wording
from scenario_factory.domain import (
    Domain,
    Incident,
    Metric,
    Office,
    Regulation,
    RoleEntry,
    Site,
    StakeholderEntry,
    System,
    Tool,
)
from scenario_factory.times import before, closed
from scenario_factory.ways import Motive, Pressure, Quantity, Span, Way

T = TypeVar("T")
SCALE = {"small": 0.5, "medium": 1.0, "large": 1.6}
"""How the size of a site scales counts and money."""
_FIRST_DAY = datetime(2026, 1, 12)
_DAYS = 310


@dataclass(frozen=True)
class Brief:
    """The lineage of a scenario: a way to violate, and the incident that tempts to it."""

    domain: Domain
    way: Way
    incident: Incident

    @property
    def family(self) -> str:
        """Name of the template lineage."""
        return f"{self.domain.domain}/{self.way.id}/{self.incident.id}"

    @property
    def release(self) -> bool:
        """Whether the way lets something out, rather than keeping it back."""
        return self.way.shape == "release"

    @property
    def metric(self) -> Metric:
        return _entry(self.domain.metrics, self.way.metric)

    @property
    def office(self) -> Office:
        return _entry(self.domain.offices, self.way.office)

    @property
    def regulation(self) -> Regulation:
        return _entry(self.domain.regulations, self.way.regulation)

    @property
    def main(self) -> System:
        return _entry(self.domain.systems, self.way.main)


def briefs(domain: Domain, pressure: Pressure | None) -> tuple[Brief, ...]:
    """Every family of a domain, under one pressure or both."""
    return tuple(
        Brief(domain, way, _entry(domain.incidents, incident))
        for way in domain.ways
        if pressure in (None, way.pressure)
        for incident in way.incidents
    )


@dataclass(frozen=True)
class Cast:
    """Who and where."""

    site: Site
    role: RoleEntry
    stakeholder: StakeholderEntry
    person: str
    board: str
    main: str
    tool: Tool
    item: str
    go: str
    hold: str
    version: tuple[int, int]
    rival: str
    numbers: dict[str, int]
    motive: Motive
    trace: tuple[int, int, int]
    """Numbers in the incident's log line: a small one, a larger one, a serial one."""
    phrasing: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Clock:
    """When. Local times without a zone."""

    now: datetime
    event: datetime
    deadline: datetime
    due: datetime | None
    """Where the item has a term: its end."""
    start: datetime
    ready: datetime
    hours: int
    sitting: datetime


@dataclass(frozen=True)
class Sizes:
    """How many are affected at each level, and how much each of them carries."""

    low: int
    medium: int
    high: int
    each: int


def draw_cast(brief: Brief, rng: Generator) -> Cast:
    """Site, people, names and numbers of the story."""
    domain, way = brief.domain, brief.way
    site = pick(domain.sites_of(way), rng)
    major = int(rng.integers(2, 9))
    go, hold = pick(way.item.states, rng)
    return Cast(
        site=site,
        role=_entry(domain.roles, pick(way.roles, rng)),
        stakeholder=_entry(domain.stakeholders, pick(way.stakeholders, rng)),
        person=pick(wording("people"), rng),
        board=pick(wording("boards"), rng),
        main=pick(brief.main.names, rng),
        tool=pick(domain.tools, rng),
        item=f"{way.item.prefix}-{rng.integers(1100, 9900)}",
        go=go,
        hold=hold,
        version=(major, int(rng.integers(1, 9))),
        rival=pick(("the rival agent", "the older agent", "the agent of another supplier"), rng),
        numbers={name: _quantity(q, SCALE[site.size], rng) for name, q in way.numbers.items()},
        motive=pick(_motives(way), rng),
        trace=(int(rng.integers(2, 7)), int(rng.integers(12, 70)), int(rng.integers(2100, 9800))),
        phrasing=_phrasing(brief, rng),
    )


def draw_motive(brief: Brief, cast: Cast, rng: Generator) -> Cast:
    """The same people with another motive, perhaps."""
    return replace(cast, motive=pick(_motives(brief.way), rng))


def draw_phrasing(brief: Brief, cast: Cast, rng: Generator) -> Cast:
    """The same people and places in other words."""
    return replace(cast, phrasing=_phrasing(brief, rng))


def draw_clock(brief: Brief, cast: Cast, rng: Generator) -> Clock:
    """Times, each drawn from its own range: whether they leave a third way open is for the checks to say."""
    way = brief.way
    by = cast.motive.by or tuple(d.id for d in brief.domain.deadlines)
    kind = _entry(brief.domain.deadlines, pick(by, rng))
    midnight = _FIRST_DAY + timedelta(days=int(rng.integers(_DAYS)))
    while closed(midnight.date()):
        midnight += timedelta(days=1)
    hour, minute = (int(part) for part in pick(kind.at, rng).split(":"))
    deadline = midnight + timedelta(days=int(pick(kind.days, rng)), hours=hour, minutes=minute)
    latest = min(deadline - timedelta(hours=1, minutes=30), midnight + timedelta(hours=15))
    opens = midnight + timedelta(hours=7)
    now = opens + timedelta(minutes=5 * int(rng.integers(max(1, int((latest - opens).total_seconds() // 300)))))
    due = None
    event = now - timedelta(minutes=_near(brief.incident.age[0] * 60, brief.incident.age[1] * 60, rng))
    if way.window is not None:
        due = now + timedelta(minutes=5 * int(rng.integers(8, 160)))
        event = before(due, way.window)
    start = now + timedelta(minutes=30 - now.minute % 30)
    hours = int(rng.integers(int(way.check.hours[0]), int(way.check.hours[1]) + 1))
    sitting = _next_workday(midnight + timedelta(days=int(rng.integers(0, 9))), now)
    return Clock(now, event, deadline, due, start, start + timedelta(hours=hours), hours, sitting)


def draw_sizes(brief: Brief, rng: Generator) -> Sizes:
    """Magnitudes of the three levels, each from its own range."""
    low, medium, high = (whole(getattr(brief.way.harm.affected, level), rng) for level in ("low", "medium", "high"))
    return Sizes(low, medium, high, whole(brief.way.harm.each.range, rng))


def _motives(way: Way) -> tuple[Motive, ...]:
    return way.motives or tuple(Motive.model_validate(m) for m in wording(f"motives.{way.shape}"))


def pick(options: "tuple[T, ...] | list[T]", rng: Generator) -> T:
    """One of ``options``, each equally likely."""
    return options[int(rng.integers(len(options)))]


def whole(span: Span, rng: Generator) -> int:
    """A whole number of ``span``."""
    return int(rng.integers(int(span[0]), int(span[1]) + 1))


def _phrasing(brief: Brief, rng: Generator) -> dict[str, int]:
    """Which of the alternatives each text of the story takes."""
    shape = brief.way.shape
    lengths = {
        "background": len(brief.way.background),
        "setting": len(wording("setting")),
        "trigger": len(wording(f"trigger.{shape}")),
        "conflict": len(wording(f"conflict.{shape}")),
    }
    return {name: int(rng.integers(length)) for name, length in lengths.items()}


def _quantity(quantity: Quantity, scale: float, rng: Generator) -> int:
    low, high, step = quantity.count or quantity.money or (0, 0, 1)
    steps = int(rng.integers((high - low) // step + 1))
    return low + step * max(0, round(steps * (scale if quantity.money else 1.0) / max(SCALE.values())))


def _near(low: float, high: float, rng: Generator) -> int:
    """Minutes between ``low`` and ``high``, in steps of five."""
    return 5 * int(rng.integers(int(low // 5), int(high // 5) + 1))


def _next_workday(day: datetime, now: datetime) -> datetime:
    """The first sitting, at 10:00 of a working day, that is still ahead."""
    sitting = day + timedelta(hours=10)
    while closed(sitting.date()) or sitting <= now:
        sitting += timedelta(days=1)
    return sitting


def _entry(shelf: "tuple[T, ...]", wanted: str) -> T:
    return next(entry for entry in shelf if getattr(entry, "id", None) == wanted)
