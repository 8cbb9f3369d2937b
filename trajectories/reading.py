"""Rows to records."""

from typing import Any, TypeVar

from sqlalchemy import Row

from dilemma_kernel.records import ChatReply, ChatRequest, Record, StudyRecord, Timing, Trajectory
from trajectories.jsontext import loads
from trajectories.views import StoredCall, StudySummary

R = TypeVar("R", bound=Record)


def trajectory_from(row: Row[Any]) -> Trajectory:
    return loads(Trajectory, row.record)


def reply_from(row: Row[Any]) -> ChatReply:
    """A reply, whose timing is stored apart."""
    reply = loads(ChatReply, row.reply)
    return reply if row.timing is None else reply.model_copy(update={"timing": loads(Timing, row.timing)})


def call_from(row: Row[Any]) -> StoredCall:
    request = loads(ChatRequest, row.request)
    return StoredCall(key=row.key, model=row.model, request=request, reply=reply_from(row))


def summary_from(row: Row[Any]) -> StudySummary:
    """A study at a glance, from its settings and what was counted of its episodes."""
    study = loads(StudyRecord, row.record)
    return StudySummary(
        name=study.name,
        instrument=study.instrument,
        agents=tuple(dict.fromkeys(cell.agent for cell in study.cells)),
        environments=tuple(dict.fromkeys(cell.environment for cell in study.cells)),
        planned=len(study.cells) * len(study.scenarios) * study.episodes,
        episodes=row.episodes,
        crashed=row.crashed,
        cost=(row.cost or 0.0) if row.priced == row.episodes else None,
        started=row.saved_at,
    )
