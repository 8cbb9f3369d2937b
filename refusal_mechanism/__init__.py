"""The residual-stream lab: directions, interventions, sweeps and model organisms on an open-weight model.

It needs the extra ``lab``; names are loaded when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refusal_mechanism.cases import Case, Judge, Judged, Reply, Rows, Split, split_intents
    from refusal_mechanism.directions import Direction, mean_difference_direction, principal_angles, projections
    from refusal_mechanism.interventions import UNMODIFIED, Condition, Edit
    from refusal_mechanism.lab import Lab
    from refusal_mechanism.published import PublishedFigure, published_mechanism
    from refusal_mechanism.selection import DecisionScores, Selection, choose_layers, kl_from, refusal_log_odds
    from refusal_mechanism.separation import Auc, auc
    from refusal_mechanism.verdict import MechanismVerdict, mechanism_verdict

_HOMES = {
    "cases": ("Case", "Judge", "Judged", "Reply", "Rows", "Split", "split_intents"),
    "directions": ("Direction", "mean_difference_direction", "principal_angles", "projections"),
    "interventions": ("UNMODIFIED", "Condition", "Edit"),
    "lab": ("Lab",),
    "published": ("PublishedFigure", "published_mechanism"),
    "selection": ("DecisionScores", "Selection", "choose_layers", "kl_from", "refusal_log_odds"),
    "separation": ("Auc", "auc"),
    "verdict": ("MechanismVerdict", "mechanism_verdict"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "UNMODIFIED",
    "Auc",
    "Case",
    "Condition",
    "DecisionScores",
    "Direction",
    "Edit",
    "Judge",
    "Judged",
    "Lab",
    "MechanismVerdict",
    "PublishedFigure",
    "Reply",
    "Rows",
    "Selection",
    "Split",
    "auc",
    "choose_layers",
    "kl_from",
    "mean_difference_direction",
    "mechanism_verdict",
    "principal_angles",
    "projections",
    "published_mechanism",
    "refusal_log_odds",
    "split_intents",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
