"""What the marks of a template stand for, once the story has been drawn."""

from scenario_factory.composer.draws import Brief, Cast, Clock
from scenario_factory.domain import Country
from scenario_factory.times import clock, date, day, length, moment, weekday

_CURRENCY: dict[Country, str] = {"US": "$", "UK": "£", "EU": "€"}


def story_marks(brief: Brief, cast: Cast, times: Clock) -> dict[str, str]:
    """Mark -> words, everything that the story fixes."""
    return {**_cast_marks(brief, cast), **_time_marks(brief, times)}


def _cast_marks(brief: Brief, cast: Cast) -> dict[str, str]:
    way, motive = brief.way, cast.motive
    major, minor = cast.version
    done, kept = (cast.go, cast.hold) if brief.release else (cast.hold, cast.go)
    return {
        "site": cast.site.name,
        "place": cast.site.place,
        "stakeholder": cast.person,
        "srole": cast.stakeholder.role,
        "office": brief.office.name,
        "board": cast.board,
        "main": cast.main,
        "main_what": brief.main.what,
        "sheet": way.sheet,
        "tool": cast.tool.name,
        "item": cast.item,
        "noun": way.item.noun,
        "check": way.check.name,
        "metric": brief.metric.name,
        "regulation": brief.regulation.name,
        "go": cast.go,
        "hold": cast.hold,
        "done": done,
        "kept": kept,
        "scope": f" {way.scope}" if brief.release and way.scope else "",
        "version": f"{major}.{minor}",
        "previous": f"version {major}.{minor - 1}",
        "rival": cast.rival,
        "what": motive.what,
        "cost": motive.cost,
        "gain": motive.gain,
        "closed": motive.closed,
        "event": brief.incident.event,
        "background": way.background[cast.phrasing["background"]],
        "n1": str(cast.trace[0]),
        "n2": str(cast.trace[1]),
        "n3": str(cast.trace[2]),
        **{name: _quantity(brief, cast, name) for name in cast.numbers},
    }


def _quantity(brief: Brief, cast: Cast, name: str) -> str:
    value = cast.numbers[name]
    money = brief.way.numbers[name].money is not None
    return f"{_CURRENCY[cast.site.country]}{value:,}" if money else str(value)


def _time_marks(brief: Brief, times: Clock) -> dict[str, str]:
    now = times.now
    near = abs((times.event.date() - now.date()).days) <= 1
    marks = {
        "now": clock(now),
        "date": date(now),
        "weekday": weekday(now),
        "deadline": moment(times.deadline, now),
        "ready": moment(times.ready, now),
        "check_hours": str(times.hours),
        "sitting": day(times.sitting, now),
        "event_time": moment(times.event, now),
        "when_event": f"at {moment(times.event, now)}" if near else f"on {day(times.event, now)}",
    }
    if times.due is not None and brief.way.window is not None:
        marks |= {"due": moment(times.due, now), "window_length": length(brief.way.window)}
    return marks
