"""The five ways in which a triple is put to a model: the paper's three, and two that separate wording from tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from dilemma_kernel.errors import DesignError
from dilemma_kernel.records import Cell
from refusal_transfer.records import Mode

Arm = Literal["chat", "tool", "stress", "tool_chatwording", "chat_toolwording"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSpec:
    """What an arm shows."""

    wording: Mode
    tools: bool
    """Whether the tools of the domain are offered."""


ARMS: Mapping[Arm, ArmSpec] = MappingProxyType(
    {
        "chat": ArmSpec(wording="chat", tools=False),
        "tool": ArmSpec(wording="tool", tools=True),
        "stress": ArmSpec(wording="stress", tools=True),
        "tool_chatwording": ArmSpec(wording="chat", tools=True),
        "chat_toolwording": ArmSpec(wording="tool", tools=False),
    }
)
PAPER_ARMS: tuple[Arm, ...] = ("chat", "tool", "stress")
NO_ENVIRONMENT = "none"
"""What stands for the environment in the cell of a benchmark arm."""


def arms_named(text: str) -> tuple[Arm, ...]:
    """The arms that ``paper``, ``all`` or a list with commas names, in their own order.

    Raises:
        DesignError: one of them is unknown, or none is named.
    """
    if text in ("paper", "all"):
        return PAPER_ARMS if text == "paper" else tuple(ARMS)
    wanted = {part.strip() for part in text.split(",") if part.strip()}
    unknown = sorted(wanted - ARMS.keys())
    if unknown or not wanted:
        raise DesignError(f"unknown arm {', '.join(unknown) or '(none)'}: there are paper, all, {', '.join(ARMS)}")
    return tuple(arm for arm in ARMS if arm in wanted)


def transfer_cell(model: str, arm: Arm, condition: str) -> Cell:
    """The cell of a model in one arm under one system condition."""
    return Cell(agent=model, environment=NO_ENVIRONMENT, levels={"arm": arm, "system": condition})
