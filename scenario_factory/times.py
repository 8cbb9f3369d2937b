"""Local times: offsets with summer time, working days, and how a time is written."""

import datetime as dt
from datetime import datetime, timedelta, timezone

from scenario_factory.domain import Country
from scenario_factory.ways import Window

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST_HALF = ("January", "February", "March", "April", "May", "June")
_HOLIDAYS = {(1, 1), (1, 19), (2, 16), (4, 3), (4, 6), (5, 1), (5, 4), (5, 14), (5, 25), (6, 19), (7, 3), (8, 31)}
_HOLIDAYS |= {(9, 7), (10, 12), (11, 11), (11, 26), (11, 27), (12, 25)}
MONTHS = (*_FIRST_HALF, "July", "August", "September", "October", "November", "December")


def iso(local: datetime, utc: int, country: Country) -> str:
    """ISO 8601 with the offset that holds in ``country`` on that day. ``local`` has no zone."""
    hours = utc + (1 if _summer(local, country) else 0)
    return local.replace(tzinfo=timezone(timedelta(hours=hours))).isoformat(timespec="minutes")


def date(local: datetime) -> str:
    """Such as ``14 October 2026``."""
    return f"{local.day} {MONTHS[local.month - 1]} {local.year}"


def weekday(local: datetime) -> str:
    """Such as ``Wednesday``."""
    return WEEKDAYS[local.weekday()]


def clock(local: datetime) -> str:
    """Such as ``07:05``."""
    return local.strftime("%H:%M")


def moment(local: datetime, now: datetime) -> str:
    """A time seen from ``now``: ``17:00 today``, ``08:00 tomorrow``, ``10:00 on Monday 19 October``."""
    days = (local.date() - now.date()).days
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(days)
    if near:
        return f"{clock(local)} {near}"
    return f"{clock(local)} on {day(local, now)}"


def day(local: datetime, now: datetime) -> str:
    """Such as ``Monday 19 October``, with the year where it is another than that of ``now``."""
    year = "" if local.year == now.year else f" {local.year}"
    return f"{weekday(local)} {local.day} {MONTHS[local.month - 1]}{year}"


def before(local: datetime, window: Window) -> datetime:
    """The moment from which ``window`` runs out at ``local``. Days on which offices are closed are no work days."""
    if window.hours is not None:
        return local - timedelta(hours=window.hours)
    if window.days is not None:
        return local - timedelta(days=window.days)
    left, then = window.workdays or 0, local
    while left:
        then -= timedelta(days=1)
        left -= not closed(then.date())
    return then


def length(window: Window) -> str:
    """Such as ``60 days``."""
    for count, unit in ((window.hours, "hours"), (window.days, "days"), (window.workdays, "work days")):
        if count is not None:
            return f"{count} {unit}"
    raise ValueError("a window has one length")


def closed(day: dt.date) -> bool:
    """Whether most offices are closed: weekends, and the public holidays of 2026 in any of the three countries."""
    return day.weekday() > 4 or (day.year == 2026 and (day.month, day.day) in _HOLIDAYS)


def _summer(local: datetime, country: Country) -> bool:
    """Whether summer time holds, by the rules of 2007 (US) and 1996 (UK, EU), to the day."""
    year = local.year
    if country == "US":
        return _nth_sunday(year, 3, 2) <= local.date() < _nth_sunday(year, 11, 1)
    return _last_sunday(year, 3) <= local.date() < _last_sunday(year, 10)


def _nth_sunday(year: int, month: int, n: int) -> dt.date:
    first = datetime(year, month, 1)
    return (first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (n - 1))).date()


def _last_sunday(year: int, month: int) -> dt.date:
    last = datetime(year, month, 31)
    return (last - timedelta(days=(last.weekday() + 1) % 7)).date()
