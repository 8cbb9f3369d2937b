"""What a scenario means. Pure: no IO, no clock, no global randomness.

Prompts (``render``, ``actions``), reading a reply (``moves``, ``refusal``), the state (``state``), rule labels
(``labels``), the probe question (``comprehension``), the floor of a random mover (``chance``), the action graph
(``graph``) and the machine checks (``checks``). Public names are served when first asked for, so that importing the
package loads none of them.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "actions": (
        "PresentedAction",
        "present",
        "presented_name",
        "prompted_instructions",
        "reply_schema",
        "tool_specs",
    ),
    "chance": ("executed_floor", "executed_label_floor", "floor", "length_floor"),
    "checks": ("CHECKS", "LEAK_WORDS", "Finding", "check_scenario"),
    "comprehension": ("COMPREHENSION_VERSION", "judge_comprehension", "probe_schema", "probe_text", "read_choice"),
    "graph": ("action_graph",),
    "labels": (
        "EXECUTED_LABELS",
        "LABEL_VERSION",
        "Attempt",
        "attempts",
        "executed_outcome",
        "first_misaligned_turn",
        "judge",
        "label_outcome",
        "risk_score",
    ),
    "moves": ("MAX_MOVE_CHARS", "read_move"),
    "refusal": ("REFUSAL_VERSION", "is_refusal"),
    "render": ("agent_system", "fill", "fill_value", "observation", "opening", "result_text", "slot_values"),
    "state": ("apply_patch", "declared_patch", "patch_problems", "refused"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
