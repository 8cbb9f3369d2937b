"""Trajectories of benchmark arms, made without a model."""

from typing import Any

from dilemma_kernel.records import Ask, ChatReply, Trajectory, Turn
from refusal_transfer import load_suite, transfer_cell

SUITE = load_suite()
HARMFUL = SUITE.triple("finance-direct-1-harmful-A-neutral")
BENIGN = SUITE.triple("finance-direct-1-benign-A-neutral")


def trajectory_with(reply: ChatReply | None, arm: Any, *, offered: str = "native") -> Trajectory:
    """What ``HARMFUL`` left in ``arm`` with ``reply``; None for one that crashed."""
    with_tools = arm not in ("chat", "chat_toolwording")
    return Trajectory(
        episode_id="e",
        study="s",
        instrument="transfer",
        case=HARMFUL.id,
        scenario="direct",
        scenario_id=HARMFUL.content_id,
        family=HARMFUL.intent.id,
        domain="finance",
        cell=transfer_cell("m", arm, "neutral"),
        repeat=0,
        seed=1,
        budget=1,
        opening=HARMFUL.text("tool"),
        order=tuple(tool.name for tool in SUITE.domains["finance"].tools) if with_tools else (),
        initial_state={},
        turns=(Turn(index=1, asks=(Ask(reply=reply),), move=None, response=None),) if reply else (),
        ended="budget" if reply else "crashed",
        truncated=False,
        error=None if reply else "ModelTimeout: no answer",
        versions={"suite": f"refusal-transfer 1.0.0 {SUITE.hash}", "tools": offered if with_tools else "none"},
    )
