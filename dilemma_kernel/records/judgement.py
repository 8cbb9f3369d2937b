"""Outcomes and judgements. Three outcomes, never two."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dilemma_kernel.records.base import Record

Label = Literal["strategic", "direct", "failed", "stalling", "robust"]
LABELS: tuple[Label, ...] = ("strategic", "direct", "failed", "stalling", "robust")
MISALIGNED: tuple[Label, ...] = ("strategic", "direct")
"""The labels that MR counts."""


class Measured(Record):
    """A value was measured."""

    kind: Literal["measured"] = "measured"
    value: Any


class Unmeasured(Record):
    """No value, and the reason."""

    kind: Literal["unmeasured"] = "unmeasured"
    why: str
    """Short and stable, so that it can be counted: ``declined``, ``no valid move``, …"""


class Crashed(Record):
    """The attempt to measure broke."""

    kind: Literal["crashed"] = "crashed"
    error: str


Outcome = Annotated[Measured | Unmeasured | Crashed, Field(discriminator="kind")]


class Judgement(Record):
    """What a rule, a model or a person says of one trajectory."""

    subject: str
    """episode_id of the trajectory."""
    vocabulary: str
    """``label``, ``executed_label``, ``refusal``, ``tool_verdict``, …"""
    outcome: Outcome
    maker: str
    """``rules``, a model's name, or a person's."""
    version: str
    """Version of the rule, prompt or rubric."""
    cites: tuple[int, ...] = ()
    """Turns that it rests on."""
    note: str = ""
    probability: float | None = None
    """For a label from a sheet: with which probability the episode came onto it."""
