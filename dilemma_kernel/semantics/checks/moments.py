"""Dates and moments within texts."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august"]
_MONTHS += ["september", "october", "november", "december"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAY = rf"(?:(?P<weekday>{'|'.join(_DAYS)}),? (?:the )?)?"
_ANY_MONTH = f"(?:{'|'.join(_MONTHS)})"
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DAY}(?P<year>\d{{4}})-(?P<number>\d{{2}})-(?P<day>\d{{2}})(?!\d)",
        rf"\b{_DAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? (?P<year>\d{{4}})\b)?",
        rf"\b{_DAY}{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?! {_ANY_MONTH})(?:,? (?P<year>\d{{4}})\b)?",
    )
)


@dataclass(frozen=True)
class Mention:
    """A date that a text mentions."""

    text: str
    day: date | None
    """None where there is no such day."""
    weekday: str | None
    """The weekday beside it, when it is another than the date's own."""
    actual: str = ""
    """The date's own weekday."""


@lru_cache(maxsize=4096)  # the renderings of a scenario share most of their texts
def mentions(text: str, year: int | None = None) -> tuple[Mention, ...]:
    """Every date in ``text``: 2026-03-17, 17 March 2026 or March 17, 2026, a weekday before it included.

    Args:
        text: where to look.
        year: the year of dates that have a weekday and name no year; where it is None they are passed over.
    """
    return tuple(
        _mention(match, int(named))
        for form in _FORMS
        for match in form.finditer(text)
        if (named := match["year"] or (year if match["weekday"] else None)) is not None
    )


def moment(text: str) -> datetime | None:
    """The moment that ``text`` writes in ISO 8601 with an offset; None where it does not."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def _mention(match: re.Match[str], year: int) -> Mention:
    parts = match.groupdict()
    month = int(parts["number"]) if parts.get("number") else _MONTHS.index(parts["month"].lower()) + 1
    try:
        day = date(year, month, int(parts["day"]))
    except ValueError:
        return Mention(match.group(), None, None)
    said, actual = parts["weekday"], _DAYS[day.weekday()]
    wrong = said if said and said.lower() != actual else None
    return Mention(match.group(), day, wrong, actual.capitalize())
