"""The tables: each a function from verdicts and activations to records with intervals. Pure."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refusal_mechanism.tables.comparison import Comparison, compare
    from refusal_mechanism.tables.cosines import CosineTable, cosine_table
    from refusal_mechanism.tables.gating import GateFigures, GateTable, gate_figures
    from refusal_mechanism.tables.kl import KlRow, KlTable, kl_table
    from refusal_mechanism.tables.patching import Controls, PatchFigures, PatchingTable, patch_figures, patching_table
    from refusal_mechanism.tables.suppression import Suppression, suppression_table
    from refusal_mechanism.tables.sweep import SweepPoint, SweepTable, sweep_point, sweep_table

_HOMES = {
    "Comparison": "comparison",
    "Controls": "patching",
    "CosineTable": "cosines",
    "GateFigures": "gating",
    "GateTable": "gating",
    "KlRow": "kl",
    "KlTable": "kl",
    "PatchFigures": "patching",
    "PatchingTable": "patching",
    "Suppression": "suppression",
    "SweepPoint": "sweep",
    "SweepTable": "sweep",
    "compare": "comparison",
    "cosine_table": "cosines",
    "gate_figures": "gating",
    "kl_table": "kl",
    "patch_figures": "patching",
    "patching_table": "patching",
    "suppression_table": "suppression",
    "sweep_point": "sweep",
    "sweep_table": "sweep",
}

__all__ = [
    "Comparison",
    "Controls",
    "CosineTable",
    "GateFigures",
    "GateTable",
    "KlRow",
    "KlTable",
    "PatchFigures",
    "PatchingTable",
    "Suppression",
    "SweepPoint",
    "SweepTable",
    "compare",
    "cosine_table",
    "gate_figures",
    "kl_table",
    "patch_figures",
    "patching_table",
    "suppression_table",
    "sweep_point",
    "sweep_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
