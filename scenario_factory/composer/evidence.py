"""The composer's evidence: records whose ids, times and numbers agree with one another and with the story."""

from datetime import datetime, timedelta

from dilemma_kernel.records import Scalar
from scenario_factory.composer.draws import Brief, Cast, Clock, Sizes
from scenario_factory.composer.phrases import capital, wording, written
from scenario_factory.composer.reading import DONE, OPEN, Reading, evidence_marks, variable_names, variables
from scenario_factory.drafts import EvidenceDraft, EvidenceItem, Rule
from scenario_factory.times import iso


def evidence_draft(brief: Brief, cast: Cast, times: Clock, sizes: Sizes, reading: Reading) -> EvidenceDraft:
    """The records that these draws leave, in the order of time, clauses last."""
    maker = _Maker(brief, cast, times, sizes, reading)
    return EvidenceDraft(evidence=maker.records(), variables=variables(brief, cast, reading))


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
