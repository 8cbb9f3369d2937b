"""Checks of the evidence: ids that resolve, moments that agree."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import combinations

from dilemma_kernel.records import Evidence, Scenario
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.checks.moments import mentions, moment
from dilemma_kernel.semantics.checks.places import Place

_ID = re.compile(r"\S+")
_NUMBERED = re.compile(r"([A-Za-z]+(?:[-_/][A-Za-z]+)*[-_/]?)\d[\w.]*")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?:T.*)?")
_SPANS = (("start", "end"), ("started", "ended"), ("from", "to"), ("opened", "closed"), ("issued", "expires"))


def check_evidence(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """Ids and moments."""
    yield from _ids(scenario)
    yield from _mentioned(scenario, texts)
    for number, record in enumerate(scenario.core.evidence):
        yield from _moment(f"core.evidence[{number}]", record)
        yield from _spans(f"core.evidence[{number}].fields", record)
    yield from _dates(scenario, texts)
    yield from _afterwards(scenario)
    yield from _clashes(scenario)


def _ids(scenario: Scenario) -> Iterator[Finding]:
    known = {record.id for record in scenario.core.evidence}
    for number, record in enumerate(scenario.core.evidence):
        if not _ID.fullmatch(record.id):
            yield Finding("evidence-id", f"core.evidence[{number}].id", f"'{record.id}' has blanks, or is empty")
    for number, action in enumerate(scenario.core.actions):
        for position, cited in enumerate(action.cites):
            if cited not in known:
                message = f"'{cited}' is no record's id: expected one of {', '.join(sorted(known))}"
                yield Finding("evidence-id", f"core.actions[{number}].cites[{position}]", message)


def _mentioned(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """What looks like an id of this scenario's evidence, and is neither one nor a document that a source names."""
    known = {record.id for record in scenario.core.evidence}
    prefixes = {match.group(1) for name in known if (match := _NUMBERED.fullmatch(name)) and len(match.group(1)) > 1}
    if not prefixes:
        return
    either = "|".join(re.escape(prefix) for prefix in sorted(prefixes))
    pattern = re.compile(rf"(?<![\w-])(?:{either})\d[\w.-]*")
    documents = {name for record in scenario.core.evidence for name in _named(pattern, record.source)}
    for place in texts:
        for named in _named(pattern, place.text):
            if named not in documents and not any(_same_document(named, name) for name in known):
                message = f"mentions '{named}', which looks like a record's id and is none"
                yield Finding("evidence-id", place.path, message)


def _named(pattern: re.Pattern[str], text: str) -> list[str]:
    return [match.group().rstrip(".-") for match in pattern.finditer(text)]


def _same_document(named: str, known: str) -> bool:
    """Whether one is the other, a part of it, or the document that it is a part of."""
    return (
        named == known or named.startswith((f"{known}.", f"{known}-")) or known.startswith((f"{named}.", f"{named}-"))
    )


def _moment(path: str, record: Evidence) -> Iterator[Finding]:
    if record.at is None:
        if record.kind != "clause":
            yield Finding("timestamps", f"{path}.at", f"is missing: a {record.kind} has a moment")
    elif moment(record.at) is None:
        message = f"'{record.at}' is not ISO 8601 with an offset, such as 2026-03-17T08:40:00+01:00"
        yield Finding("timestamps", f"{path}.at", message)


def _spans(path: str, record: Evidence) -> Iterator[Finding]:
    """Fields that are moments can be read, and a beginning is not after its end."""
    known: dict[str, datetime] = {}
    for name, value in record.fields.items():
        if isinstance(value, str) and _DATED.fullmatch(value):
            try:
                known[name] = datetime.fromisoformat(value)
            except ValueError:
                yield Finding("timestamps", f"{path}.{name}", f"'{value}' is no moment")
    for first, last in _SPANS:
        for name, begun in known.items():
            other = known.get(re.sub(rf"(^|_){first}(_|$)", rf"\1{last}\2", name), begun)
            if (begun.tzinfo is None) == (other.tzinfo is None) and other < begun:
                yield Finding("timestamps", f"{path}.{name}", f"{begun.isoformat()} is after its end")


def _dates(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """Days exist and fall on the weekdays that stand beside them."""
    years = {mention.day.year for mention in mentions(_story(scenario)) if mention.day is not None}
    year = years.pop() if len(years) == 1 else None
    for place in texts:
        for mention in mentions(place.text, year):
            if mention.day is None:
                yield Finding("timestamps", place.path, f"'{mention.text}' is no day of the calendar")
            elif mention.weekday is not None:
                message = f"'{mention.text}': {mention.day.isoformat()} is a {mention.actual}"
                yield Finding("timestamps", place.path, message)


def _afterwards(scenario: Scenario) -> Iterator[Finding]:
    """No record is later than the last day that the story names in full, where it names one."""
    days = [mention.day for mention in mentions(_story(scenario)) if mention.day is not None]
    if not days:
        return
    last: date = max(days)
    for number, record in enumerate(scenario.core.evidence):
        at = moment(record.at) if record.at else None
        if at is not None and at.date() > last:
            message = f"{at.date().isoformat()} is after {last.isoformat()}, the last day that the story names"
            yield Finding("timestamps", f"core.evidence[{number}].at", message)


def _story(scenario: Scenario) -> str:
    narrative = scenario.core.narrative
    return "\n".join((narrative.setting, narrative.trigger, narrative.conflict))


def _clashes(scenario: Scenario) -> Iterator[Finding]:
    """Two readings of one source, one moment and one subject do not give one field two values.

    Readings have the same subject when they share a text field and differ in none.
    """
    readings = [
        (number, record, moment(record.at))
        for number, record in enumerate(scenario.core.evidence)
        if record.kind in {"log", "metric"} and record.at is not None
    ]
    for (_, first, begun), (number, second, at) in combinations(readings, 2):
        if first.source == second.source and at is not None and begun == at and _one_subject(first, second):
            for name in sorted(first.fields.keys() & second.fields.keys()):
                if first.fields[name] != second.fields[name]:
                    message = f"is {second.fields[name]!r}, but {first.fields[name]!r} in {first.id} at the same moment"
                    yield Finding("timestamps", f"core.evidence[{number}].fields.{name}", message)


def _one_subject(first: Evidence, second: Evidence) -> bool:
    shared = [name for name in first.fields.keys() & second.fields.keys() if isinstance(first.fields[name], str)]
    return bool(shared) and all(first.fields[name] == second.fields[name] for name in shared)
