"""Records to rows. Pure, but for the clock that the caller hands in."""

import json
from collections.abc import Mapping
from typing import Any

from dilemma_kernel.records import (
    MAX_ASKS,
    CallContext,
    ChatReply,
    ChatRequest,
    Crashed,
    Judgement,
    Measured,
    Scenario,
    StudyRecord,
    Trajectory,
)
from trajectories.jsontext import dumps, plain

Row = Mapping[str, Any]
"""Column -> value."""

_NOWHERE = CallContext(case="")


def study_row(study: StudyRecord, now: float) -> Row:
    """``now`` is in seconds since the epoch."""
    return {"name": study.name, "instrument": study.instrument, "saved_at": now, "record": dumps(study)}


def scenario_row(study: str, scenario: Scenario) -> Row:
    return {
        "study": study,
        "name": scenario.name,
        "scenario_id": scenario.scenario_id,
        "core_id": scenario.core_id,
        "family": None if scenario.family is None else plain(scenario.family),
        "domain": plain(scenario.core.domain),
        "record": dumps(scenario),
    }


def episode_row(trajectory: Trajectory, now: float) -> Row:
    """``now`` is in seconds since the epoch."""
    return {
        "episode_id": trajectory.episode_id,
        "attempt": trajectory.attempt,
        "study": trajectory.study,
        "instrument": trajectory.instrument,
        "case_id": trajectory.case,
        "scenario": plain(trajectory.scenario),
        "scenario_id": plain(trajectory.scenario_id),
        "family": None if trajectory.family is None else plain(trajectory.family),
        "domain": plain(trajectory.domain),
        "agent": plain(trajectory.cell.agent),
        "environment": plain(trajectory.cell.environment),
        "cell": plain(trajectory.cell.key),
        "repeat": trajectory.repeat,
        "origin": trajectory.origin,
        "ended": trajectory.ended,
        "truncated": trajectory.truncated,
        "turns": len(trajectory.turns),
        "faults": count_faults(trajectory),
        "invalid_turns": count_invalid_turns(trajectory),
        "cost": trajectory.cost,
        "saved_at": now,
        "record": dumps(trajectory),
    }


def count_faults(trajectory: Trajectory) -> int:
    """Faults of the environment over all turns."""
    return sum(len(turn.response.faults) for turn in trajectory.turns if turn.response)


def count_invalid_turns(trajectory: Trajectory) -> int:
    """Turns that passed without a move; not one that a refusal or a crash cut short.

    A benchmark's arm has one turn and no move, and that is no fault of it.
    """
    if trajectory.instrument == "transfer":
        return 0
    whole = trajectory.turns[: count_whole_turns(trajectory)]
    return sum(turn.move is None for turn in whole)


def count_whole_turns(trajectory: Trajectory) -> int:
    """Turns that passed: all but the last of an episode that was declined, or that crashed in the middle of it.

    A turn is over once the environment has answered, or once no more asks are left. ``queries.WHOLE_TURNS`` says the
    same of a row.
    """
    turns = trajectory.turns
    if not turns or trajectory.ended not in {"declined", "crashed"}:
        return len(turns)
    last = turns[-1]
    is_over = last.response is not None or (last.move is None and len(last.asks) >= MAX_ASKS)
    return len(turns) - (trajectory.ended == "declined" or not is_over)


def judgement_row(judgement: Judgement, study: str, attempt: int) -> Row:
    """A judgement of attempt ``attempt`` at the episode that is its subject."""
    return {
        "subject": judgement.subject,
        "attempt": attempt,
        "vocabulary": judgement.vocabulary,
        "maker": judgement.maker,
        "version": judgement.version,
        "study": study,
        "kind": judgement.outcome.kind,
        "value": plain(outcome_text(judgement)),
        "record": dumps(judgement),
    }


def outcome_text(judgement: Judgement) -> str:
    """The value, the reason why there is none, or the error, as text."""
    match judgement.outcome:
        case Measured(value=str(value)):
            return value
        case Measured(value=value):
            return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
        case Crashed(error=error):
            return error
        case unmeasured:
            return unmeasured.why


def call_row(study: str, key: str, request: ChatRequest, reply: ChatReply, model: str) -> Row:
    """One reply. A request without a context belongs to no case."""
    context = request.context or _NOWHERE
    timing = reply.timing
    return {
        "study": study,
        "key": key,
        "model": model,
        "case_id": context.case,
        "cell": context.cell,
        "repeat": context.repeat,
        "turn": context.turn,
        "role": context.role,
        "ask": context.ask,
        "cost": reply.cost,
        "attempts": timing.attempts if timing else 1,
        "request": dumps(request),
        "reply": dumps(reply, without="timing"),
        "timing": timing.model_dump_json() if timing else None,
    }
