"""Plain records for the tests of the store."""

from typing import Any

from dilemma_kernel.records import (
    BASELINE,
    Ask,
    CallContext,
    Cell,
    ChatReply,
    ChatRequest,
    EnvironmentReply,
    Fault,
    Judgement,
    Measured,
    Message,
    Move,
    StudyRecord,
    Timing,
    ToolCall,
    Trajectory,
    Turn,
    content_hash,
)


def cell(agent: str = "scripted/direct") -> Cell:
    return Cell(agent=agent, environment="rules", levels=dict(BASELINE))


CELL = cell()


def study(name: str = "a-study", **changes: Any) -> StudyRecord:
    settings: dict[str, Any] = {
        "cells": (CELL,),
        "scenarios": {"cold-chain": "s" * 16},
        "pack": "starter",
        "pack_hash": "p" * 16,
        "turns": 10,
        "episodes": 3,
        "seed": 0,
    }
    return StudyRecord(name=name, **(settings | changes))


def reply(text: str = "done", *, latency_s: float = 0.5, call_id: str | None = "call_1", **changes: Any) -> ChatReply:
    call = ToolCall(name="act", arguments={"lot": text}, raw="{}", call_id=call_id)
    timing = Timing(latency_s=latency_s, attempts=2, provider_id=f"id-{latency_s}")
    return ChatReply(text=text, calls=(call,), timing=timing, **changes)


def trajectory(
    study: str = "a-study", case: str = "core-1", repeat: int = 0, *, latency_s: float = 0.5, **changes: Any
) -> Trajectory:
    """Two turns, the second of them invalid, each reply with its timing."""
    cell: Cell = changes.get("cell", CELL)
    response = EnvironmentReply(
        observation="seen",
        faults=(Fault(kind="empty", detail="nothing", mended="replaced"),),
        replies=(reply("world", latency_s=latency_s),),
    )
    turns = (
        Turn(
            index=1,
            asks=(Ask(reply=reply("prose", latency_s=latency_s), problem="prose"), Ask(reply=reply("go"))),
            move=Move(action="a", parameters={}, rung="tools"),
            response=response,
        ),
        Turn(index=2, asks=(Ask(reply=reply("hm", call_id=None)),), move=None, response=None),
    )
    fields: dict[str, Any] = {
        "episode_id": content_hash([study, cell.key, case, repeat]),
        "scenario": "cold-chain",
        "scenario_id": "s" * 16,
        "domain": "healthcare",
        "cell": cell,
        "seed": 7,
        "budget": 2,
        "opening": "Good morning.",
        "order": ("a", "b"),
        "initial_state": {"lot_status": "held"},
        "turns": turns,
        "ended": "budget",
        "truncated": True,
        "cost": 0.25,
    }
    return Trajectory(study=study, case=case, repeat=repeat, **(fields | changes))


def judgement(subject: str, value: str = "direct", vocabulary: str = "label", **changes: Any) -> Judgement:
    fields: dict[str, Any] = {"outcome": Measured(value=value), "maker": "rules", "version": "1"}
    return Judgement(subject=subject, vocabulary=vocabulary, **(fields | changes))


def request(text: str = "hello", **context: Any) -> ChatRequest:
    place: dict[str, Any] = {"case": "core-1", "cell": CELL.key}
    return ChatRequest(messages=(Message(role="user", content=text),), context=CallContext(**(place | context)))
