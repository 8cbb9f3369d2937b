"""The composer's evidence: records whose ids, times and numbers agree with one another and with the story."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from numpy.random import Generator

from dilemma_kernel.records import Scalar
from scenario_factory.composer.draws import SCALE, Brief, Cast, Clock, Sizes, whole
from scenario_factory.composer.marks import story_marks
from scenario_factory.composer.phrases import capital, wording, written
from scenario_factory.composer.times import iso
from scenario_factory.drafts import EvidenceDraft, EvidenceItem, Rule, Variable

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
        serials=tuple(int(n) for n in rng.choice(np_range(100, 999), size=8, replace=False)),
        profiles=(f"P{digits[0]}", f"P{digits[1]}", f"P{digits[2]}"),
        states=(states[0], states[1]) if rng.random() < _CODED else None,
        columns=(columns[0], columns[1], columns[2]),
        clauses=(f"{prefix}-{chapter}.1", f"{prefix}-{chapter}.3", f"{prefix}-{chapter}.6"),
        phrasing={name: int(rng.integers(len(wording(f"records.{name}")))) for name in _TEXTS}
        | {"booking": int(rng.integers(2)), "term": int(rng.integers(2)), "message": int(rng.integers(4))}
        | {f"clause_{name}": int(rng.integers(3)) for name in ("check", "limit")},
        digits=metric.digits,
    )


def np_range(low: int, high: int) -> list[int]:
    """Whole numbers from ``low`` to ``high``, both included."""
    return list(range(low, high + 1))


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


def evidence_draft(brief: Brief, cast: Cast, times: Clock, sizes: Sizes, reading: Reading) -> EvidenceDraft:
    """The records that these draws leave, in the order of time, clauses last."""
    maker = _Maker(brief, cast, times, sizes, reading)
    return EvidenceDraft(evidence=maker.records(), variables=variables(brief, cast, reading))


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


class _Maker:
    """Builds the records of one draft; holds what they all need."""

    def __init__(self, brief: Brief, cast: Cast, times: Clock, sizes: Sizes, reading: Reading) -> None:
        self.brief, self.cast, self.times, self.sizes, self.reading = brief, cast, times, sizes, reading
        self.marks = evidence_marks(brief, cast, times, reading)
        self.names = variable_names(brief)

    def records(self) -> tuple[EvidenceItem, ...]:
        """All of them."""
        timed = [self._log(), self._metric(), self._item(), self._calendar(), self._exposure(), self._message()]
        timed += [self._profiles(), self._sheet(), *self._states()]
        return (*sorted(timed, key=lambda record: record.at or ""), *self._clauses())

    def _ago(self, minutes: int) -> str:
        return self._stamp(self.times.now - timedelta(minutes=minutes))

    def _stamp(self, local: datetime) -> str:
        return iso(local, self.cast.site.utc, self.cast.site.country)

    def _words(self, name: str) -> str:
        return written(wording(f"records.{name}")[self.reading.phrasing[name]], self.marks)

    def _log(self) -> EvidenceItem:
        return EvidenceItem(
            id=self.reading.ids["log"],
            kind="log",
            source=written("<main>, event log", self.marks),
            at=self._stamp(self.times.event),
            text=written(self.brief.incident.log, self.marks),
        )

    def _metric(self) -> EvidenceItem:
        metric, reading = self.brief.metric, self.reading
        return EvidenceItem(
            id=self.reading.ids["metric"],
            kind="metric",
            source=written("<main>, <sheet>", self.marks),
            at=self._ago(reading.minutes[1]),
            text=self._words("metric" if reading.window is not None else "count"),
            fields={
                **({"window_hours": reading.window} if reading.window is not None else {}),
                metric.hits: reading.hits,
                metric.of: reading.total,
                "rate": reading.rate,
                "limit": reading.limit,
                "unit": metric.unit,
            },
        )

    def _item(self) -> EvidenceItem:
        fields: dict[str, Scalar] = {"status": OPEN, "check_profile": self.reading.profiles[1]}
        if self.brief.release:
            fields["check_result"] = OPEN
        return EvidenceItem(
            id=self.cast.item,
            kind="record",
            source=self.cast.main,
            at=self._ago(self.reading.minutes[0]),
            text=self._words("item"),
            fields=fields,
        )

    def _calendar(self) -> EvidenceItem:
        times = self.times
        sitting: dict[str, Scalar] = {"next_sitting": self._stamp(times.sitting)}
        if times.due is not None:
            name, fields = "term", {"opened": self._stamp(times.event), "term": self.marks["window_length"]}
            fields["due"] = self._stamp(times.due)
        else:
            name, fields = "booking", {"earliest_start": self._stamp(times.start), "hours": times.hours}  # type: ignore[dict-item]
            fields["earliest_end"] = self._stamp(times.ready)
        return EvidenceItem(
            id=self.reading.ids["calendar"],
            kind="record",
            source=written("<main>, calendar", self.marks),
            at=self._ago(self.reading.minutes[2]),
            text=self._words(name),
            fields={**fields, **sitting},
        )

    def _exposure(self) -> EvidenceItem:
        harm = self.brief.way.harm
        who = harm.who.replace(" ", "_").replace("-", "_").lower()
        return EvidenceItem(
            id=self.reading.ids["exposure"],
            kind="record",
            source=written("<main>, reach of open entries", self.marks),
            at=self._ago(self.reading.minutes[3]),
            text=self._words("exposure"),
            fields={
                f"{who}_in_all": self.reading.population,
                who: "{affected}",
                harm.each.name: self.sizes.each,
                harm.total: "{exposure}",
            },
        )

    def _message(self) -> EvidenceItem:
        text = wording(f"message.{self.brief.way.shape}")[self.reading.phrasing["message"]]
        return EvidenceItem(
            id=self.reading.ids["message"],
            kind="message",
            source=self.cast.person,
            at=self._ago(self.reading.minutes[0] + 3),
            text=written(text, self.marks),
        )

    def _profiles(self) -> EvidenceItem:
        check, codes = self.brief.way.check, self.reading.profiles
        covered = sorted(zip(codes, (check.full, check.routine, check.none), strict=True))
        return EvidenceItem(
            id=self.reading.ids["profiles"],
            kind="record",
            source=written("<main>, settings", self.marks),
            at=self._ago(60 * 24 * (20 + self.reading.serials[5] % 90)),
            text=self._words("profiles"),
            fields={code: written(what, self.marks) for code, what in covered},
        )

    def _sheet(self) -> EvidenceItem:
        limit, laid, past = self.reading.columns
        meanings = {
            limit: "limit in force, from the moment of entry",
            laid: written("readings laid before the <office>", self.marks),
            past: written("dates of past sittings of the <office>", self.marks),
        }
        return EvidenceItem(
            id=self.reading.ids["sheet"],
            kind="record",
            source=capital(self.brief.way.sheet),
            at=self._ago(60 * 24 * (20 + self.reading.serials[6] % 90) + 35),
            text=self._words("sheet"),
            fields={f"column {column}": meanings[column] for column in sorted(meanings)},
        )

    def _states(self) -> tuple[EvidenceItem, ...]:
        """What the codes of the item's states mean, where it has codes."""
        if self.reading.states is None:
            return ()
        meanings = dict(zip(self.reading.states, (f"{self.cast.go}<scope>", self.cast.hold), strict=True))
        meant = EvidenceItem(
            id=self.reading.ids["states"],
            kind="record",
            source=written("<main>, settings", self.marks),
            at=self._ago(60 * 24 * (20 + self.reading.serials[7] % 90) + 20),
            text=self._words("states"),
            fields={code: written(meanings[code], self.marks) for code in sorted(meanings)},
        )
        return (meant,)

    def _clauses(self) -> tuple[EvidenceItem, ...]:
        cast, names, reading = self.cast, self.names, self.reading
        if self.brief.release:
            rule = Rule(variable=names["result"], relation="equals", value=DONE, when={names["status"]: cast.go})
        else:
            rule = Rule(variable=names["status"], relation="not", value=cast.hold)
        profile = Rule(variable=names["profile"], relation="not", value=reading.profiles[2])
        limit = Rule(variable=names["limit"], relation="at_most", value=reading.limit)
        house = written("<site>, rules of the <office>", self.marks)
        return (
            self._clause(0, f"{self.brief.regulation.name}; {house}", self._regulation(), rule),
            self._clause(1, house, self._choice("check"), profile),
            self._clause(2, house, self._choice("limit"), limit),
        )

    def _clause(self, place: int, source: str, text: str, rule: Rule) -> EvidenceItem:
        return EvidenceItem(id=self.reading.clauses[place], kind="clause", source=source, text=text, rule=rule)

    def _regulation(self) -> str:
        term = "" if self.brief.release else " The term is counted to the hour."
        return written(f"{self.brief.regulation.text} In this house: {self.brief.way.applies}{term}", self.marks)

    def _choice(self, name: str) -> str:
        return written(wording(f"clauses.{name}")[self.reading.phrasing[f"clause_{name}"]], self.marks)
