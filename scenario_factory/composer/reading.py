"""Draws of the evidence: figures, ids and codes, and the variables that they speak of."""

from dataclasses import dataclass

from numpy.random import Generator

from scenario_factory.composer.draws import SCALE, Brief, Cast, Clock, whole
from scenario_factory.composer.marks import story_marks
from scenario_factory.composer.phrases import wording
from scenario_factory.drafts import Variable

OPEN = "open"
"""State of the item, and result of its check, before anything is done."""
DONE = "complete"
"""Result of a check that has run to its end. No action brings it about."""
NONE, LAID = "none", "laid"
"""Whether a reading was put before the office."""
_COLUMNS = "BCDEFGHK"
_CODED = 0.6
"""Share of systems that write states as codes. Words for them are the one thing that differs by way alone."""
_TEXTS = ("item", "profiles", "sheet", "exposure", "metric", "count", "states")


@dataclass(frozen=True)
class Reading:
    """Figures, ids and codes of the evidence."""

    total: int
    hits: int
    limit: float
    window: int | None
    """Hours that the reading covers; None where it counts all that there is."""
    population: int
    minutes: tuple[int, ...]
    """How long before the story's now each record was made."""
    serials: tuple[int, ...]
    profiles: tuple[str, str, str]
    """Codes of the full, the routine and the empty profile."""
    states: tuple[str, str] | None
    """Codes of being out and of being kept back, where the system has codes for them; None where it has words."""
    columns: tuple[str, str, str]
    """Of the limit, of readings laid before the office, of past sittings."""
    clauses: tuple[str, str, str]
    phrasing: dict[str, int]
    digits: int

    @property
    def ids(self) -> dict[str, str]:
        """Ids of the records, by what they are; the item's own is its number."""
        prefixes = {"log": "LOG", "metric": "MET", "calendar": "CAL", "exposure": "REC", "message": "MSG"}
        prefixes |= {"profiles": "PRF", "sheet": "KEY", "states": "STA"}
        return {
            name: f"{prefix}-{serial}" for (name, prefix), serial in zip(prefixes.items(), self.serials, strict=True)
        }

    @property
    def rate(self) -> float:
        """Hits of the total, in percent, as it is written."""
        return round(100 * self.hits / self.total, self.digits)


def draw_reading(brief: Brief, cast: Cast, rng: Generator) -> Reading:
    """Figures, each from its own range, counts scaled with the size of the site."""
    metric, scale = brief.metric, SCALE[cast.site.size]
    total = max(10, round(whole(metric.total, rng) * scale))
    target = rng.uniform(*metric.observed)
    chapter = int(rng.integers(2, 19))
    digits = [str(d) for d in rng.choice(4, size=3, replace=False) + 1]
    states = [f"S{n}" for n in rng.choice(4, size=2, replace=False) + 1]
    columns = [_COLUMNS[i] for i in rng.choice(len(_COLUMNS), size=3, replace=False)]
    prefix = "".join(word[0] for word in brief.office.name.split()).upper()
    return Reading(
        total=total,
        hits=round(total * target / 100),
        limit=float(rng.choice(metric.limit)),
        window=whole(metric.window, rng) if metric.window is not None else None,
        population=max(20, round(whole(brief.way.harm.population, rng) * scale)),
        minutes=tuple(int(m) for m in (rng.integers(5, 40), rng.integers(15, 150), *rng.integers(20, 300, size=2))),
        serials=tuple(int(n) for n in rng.choice(range(100, 1000), size=8, replace=False)),
        profiles=(f"P{digits[0]}", f"P{digits[1]}", f"P{digits[2]}"),
        states=(states[0], states[1]) if rng.random() < _CODED else None,
        columns=(columns[0], columns[1], columns[2]),
        clauses=(f"{prefix}-{chapter}.1", f"{prefix}-{chapter}.3", f"{prefix}-{chapter}.6"),
        phrasing={name: int(rng.integers(len(wording(f"records.{name}")))) for name in _TEXTS}
        | {"booking": int(rng.integers(2)), "term": int(rng.integers(2)), "message": int(rng.integers(4))}
        | {f"clause_{name}": int(rng.integers(3)) for name in ("check", "limit")},
        digits=metric.digits,
    )


def evidence_marks(brief: Brief, cast: Cast, times: Clock, reading: Reading) -> dict[str, str]:
    """Mark -> words, the story's and what the evidence fixes."""
    return story_marks(brief, cast, times) | {
        "p_full": reading.profiles[0],
        "p_routine": reading.profiles[1],
        "p_none": reading.profiles[2],
        "limit": quantity(reading.limit, brief.metric.unit),
        "rate": quantity(reading.rate, brief.metric.unit),
        "window": str(reading.window),
        "clause": reading.clauses[0],
        "affected": "{affected}",
    }


def quantity(value: float, unit: str) -> str:
    """Such as ``2.5%`` or ``3 ppm``."""
    return f"{value}{unit}" if unit == "%" else f"{value} {unit}"


def variables(brief: Brief, cast: Cast, reading: Reading) -> tuple[Variable, ...]:
    """The state: the item, its check, the limit and the sheet."""
    names = variable_names(brief)
    found = [
        Variable(name=names["status"], start=OPEN, choices=(OPEN, cast.go, cast.hold)),
        Variable(name=names["profile"], start=reading.profiles[1], choices=tuple(sorted(reading.profiles))),
        Variable(name=names["limit"], start=reading.limit, lowest=0.0),
        Variable(name=names["entry"], start=NONE, choices=(NONE, LAID)),
    ]
    if brief.release:
        found.append(Variable(name=names["result"], start=OPEN, choices=(OPEN, DONE)))
    return tuple(found)


def variable_names(brief: Brief) -> dict[str, str]:
    """What the state calls the item's status, the check's profile and result, the limit and the entry."""
    way = brief.way
    sheet = way.sheet.replace(" ", "_").replace("-", "_").lower()
    return {
        "status": f"{way.item.slug}_status",
        "profile": f"{way.check.slug}_profile",
        "result": f"{way.check.slug}_result",
        "limit": f"{brief.metric.id.replace('-', '_')}_limit",
        "entry": f"{sheet}_entry",
    }
