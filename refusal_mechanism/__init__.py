"""The residual-stream lab: directions, interventions, sweeps and model organisms on an open-weight model.

It needs the extra ``lab``; names are loaded when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refusal_mechanism.interventions import UNMODIFIED, Condition, Edit
    from refusal_mechanism.lab import Lab

_HOMES = {
    "interventions": ("UNMODIFIED", "Condition", "Edit"),
    "lab": ("Lab",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "UNMODIFIED",
    "Condition",
    "Edit",
    "Lab",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
