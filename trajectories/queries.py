"""What is asked of the tables. Statements only; nothing here runs one."""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, select

from dilemma_kernel.records import MAX_ASKS
from trajectories.tables import CALLS, EPISODES, JUDGEMENTS, SCENARIOS, STUDIES, UNANSWERED
from trajectories.views import EpisodeSummary

_episode = EPISODES.c
_later = EPISODES.alias("later").c

EPISODE_ORDER = (_episode.case_id, _episode.cell, _episode.repeat, _episode.episode_id, _episode.attempt)
"""The order of episodes everywhere: it knows nothing of when an episode ended."""

CALL_ORDER = (
    CALLS.c.case_id,
    CALLS.c.repeat,
    CALLS.c.cell,
    CALLS.c.turn,
    CALLS.c.role,
    CALLS.c.ask,
    CALLS.c.key,
)

_SERVED = ("served", "fingerprint")
_EACH_SERVED = ("model", *_SERVED)

_JUDGEMENT_ORDER = (*EPISODE_ORDER, JUDGEMENTS.c.vocabulary, JUDGEMENTS.c.maker, JUDGEMENTS.c.version)


def _in_last(field: str) -> ColumnElement[Any]:
    """A field of an episode's last turn."""
    return func.json_extract(_episode.record, f"$.turns[#-1].{field}")


IS_LATEST: ColumnElement[bool] = ~exists().where(
    _later.episode_id == _episode.episode_id, _later.attempt > _episode.attempt
)
"""Whether an episode was not run again after this attempt."""


_last_is_over = _in_last("response").is_not(None) | (
    _in_last("move").is_(None) & (func.json_array_length(_episode.record, "$.turns[#-1].asks") >= MAX_ASKS)
)

WHOLE_TURNS: ColumnElement[int] = case(
    (_episode.turns == 0, 0),
    (_episode.ended == "declined", _episode.turns - 1),
    (_episode.ended != "crashed", _episode.turns),
    (func.json_valid(_episode.record) == 0, _episode.turns - 1),
    (_last_is_over, _episode.turns),
    else_=_episode.turns - 1,
)
"""Turns that passed, as ``rows.count_whole_turns``. Reads the JSON of crashed episodes alone."""


def one_study(name: str) -> Select[Any]:
    return select(STUDIES.c.record).where(STUDIES.c.name == name)


def all_studies() -> Select[Any]:
    """Each study, oldest first, with its number of episodes and crashed ones, their cost, and how many have one."""
    of_study = (_episode.study == STUDIES.c.name) & _episode.origin.is_(None) & IS_LATEST
    return (
        select(
            STUDIES.c.record,
            STUDIES.c.saved_at,
            func.count(_episode.episode_id).label("episodes"),
            func.sum(case((_episode.ended == "crashed", 1), else_=0)).label("crashed"),
            func.sum(_episode.cost).label("cost"),
            func.count(_episode.cost).label("priced"),
        )
        .select_from(STUDIES.outerjoin(EPISODES, of_study))
        .group_by(STUDIES.c.name)
        .order_by(STUDIES.c.saved_at, STUDIES.c.name)
    )


def scenarios_of(study: str) -> Select[Any]:
    return select(SCENARIOS.c.record).where(SCENARIOS.c.study == study).order_by(SCENARIOS.c.name)


def one_scenario(study: str, name: str) -> Select[Any]:
    return select(SCENARIOS.c.record).where(SCENARIOS.c.study == study, SCENARIOS.c.name == name)


def trajectories_of(study: str, *, latest: bool) -> Select[Any]:
    """Records, unordered; ``latest`` leaves out the attempts that were run again."""
    statement = select(*EPISODE_ORDER, _episode.record).where(_episode.study == study)
    return statement.where(IS_LATEST) if latest else statement


def records_of(study: str, *, latest: bool = True) -> Select[Any]:
    """Records in order: of the latest attempts, or of those that were run again."""
    wanted = IS_LATEST if latest else ~IS_LATEST
    return select(_episode.record).where(_episode.study == study, wanted).order_by(*EPISODE_ORDER)


def summaries_of(study: str) -> Select[Any]:
    columns = [_episode[name] for name in EpisodeSummary.model_fields if name != "whole_turns"]
    return (
        select(*columns, WHOLE_TURNS.label("whole_turns"))
        .where(_episode.study == study, IS_LATEST)
        .order_by(*EPISODE_ORDER)
    )


def judgements_of(study: str, vocabulary: str | None) -> Select[Any]:
    """Records of the latest attempts' judgements, in the order of the episodes."""
    statement = (
        select(JUDGEMENTS.c.record)
        .join(EPISODES, (JUDGEMENTS.c.subject == _episode.episode_id) & (JUDGEMENTS.c.attempt == _episode.attempt))
        .where(_episode.study == study, IS_LATEST)
        .order_by(*_JUDGEMENT_ORDER)
    )
    return statement if vocabulary is None else statement.where(JUDGEMENTS.c.vocabulary == vocabulary)


def said_in(study: str) -> Select[Any]:
    """Subject and record of the latest attempts' judgements, the record without its subject and its note.

    The statement knows nothing of SQL's own JSON types: the text stays as it was written, escapes and all.
    """
    alike = func.json_remove(func.json_set(JUDGEMENTS.c.record, "$.subject", ""), "$.note")
    return (
        select(JUDGEMENTS.c.subject, alike)
        .join(EPISODES, (JUDGEMENTS.c.subject == _episode.episode_id) & (JUDGEMENTS.c.attempt == _episode.attempt))
        .where(JUDGEMENTS.c.study == study, IS_LATEST)
        .order_by(JUDGEMENTS.c.subject, JUDGEMENTS.c.vocabulary, JUDGEMENTS.c.maker, JUDGEMENTS.c.version)
    )


def judgements_on(episode_id: str, attempt: int) -> Select[Any]:
    of_attempt = (JUDGEMENTS.c.subject == episode_id) & (JUDGEMENTS.c.attempt == attempt)
    order = (JUDGEMENTS.c.vocabulary, JUDGEMENTS.c.maker, JUDGEMENTS.c.version)
    return select(JUDGEMENTS.c.record).where(of_attempt).order_by(*order)


def finished(study: str) -> Select[Any]:
    return select(_episode.episode_id, _episode.attempt, _episode.ended).where(_episode.study == study, IS_LATEST)


def ids_beginning_with(prefix: str, limit: int) -> Select[Any]:
    in_range = (_episode.episode_id >= prefix) & (_episode.episode_id < prefix + "\U0010ffff")
    return select(_episode.episode_id).where(in_range).distinct().order_by(_episode.episode_id).limit(limit)


def latest_attempt(episode_id: str) -> Select[Any]:
    columns = (_episode.study, _episode.attempt, _episode.record)
    return select(*columns).where(_episode.episode_id == episode_id).order_by(_episode.attempt.desc()).limit(1)


def keys_of(study: str) -> Select[Any]:
    return select(CALLS.c.key).where(CALLS.c.study == study)


def one_call(study: str, key: str) -> Select[Any]:
    return select(CALLS.c.reply, CALLS.c.timing).where(CALLS.c.study == study, CALLS.c.key == key)


def first_asked(episode_id: str) -> Select[Any]:
    """The first request to an episode's agent; none where its calls are not stored, as in a study that came in."""
    place = ((CALLS.c[name], _episode[name]) for name in ("study", "case_id", "cell", "repeat"))
    of_episode = (column == there for column, there in place)
    return (
        select(CALLS.c.request)
        .join(EPISODES, and_(*of_episode))
        .where(_episode.episode_id == episode_id, CALLS.c.role == "agent")
        .order_by(CALLS.c.turn, CALLS.c.ask, CALLS.c.key)
        .limit(1)
    )


def calls_of(study: str, case_id: str | None) -> Select[Any]:
    statement = select(CALLS).where(CALLS.c.study == study)
    return statement if case_id is None else statement.where(CALLS.c.case_id == case_id)


def timing_of(study: str) -> Select[Any]:
    """How long each reply took, in order. Reads neither request nor reply."""
    place = (CALLS.c.case_id, CALLS.c.cell, CALLS.c.repeat, CALLS.c.turn, CALLS.c.role, CALLS.c.ask, CALLS.c.model)
    return select(*place, CALLS.c.timing).where(CALLS.c.study == study).order_by(*CALL_ORDER)


def served_in(study: str) -> Select[Any]:
    """What answered to each model's name, and how often. Reads the JSON of every reply."""
    of_reply = (func.json_extract(CALLS.c.reply, path) for path in ("$.model", "$.fingerprint"))
    named = (CALLS.c.model, *(column.label(name) for column, name in zip(of_reply, _SERVED, strict=True)))
    grouped = select(*named, func.count().label("replies")).where(CALLS.c.study == study)
    return grouped.group_by(*_EACH_SERVED).order_by(*_EACH_SERVED)


def spent_by(study: str) -> Select[Any]:
    """Replies that were taken from another study cost this one nothing: no request was sent for them."""
    return select(
        func.count().label("calls"),
        func.coalesce(func.sum(CALLS.c.attempts), 0).label("attempts"),
        func.coalesce(func.sum(CALLS.c.cost), 0.0).label("cost"),
        (func.count() - func.count(CALLS.c.cost)).label("unpriced"),
    ).where(CALLS.c.study == study, CALLS.c.attempts > 0)


def unanswered_of(study: str) -> Select[Any]:
    """Requests that no stored reply counts."""
    return select(func.coalesce(func.sum(UNANSWERED.c.requests), 0)).where(UNANSWERED.c.study == study)
