"""Rates, effects, divergence, incidence, agreement: pure and vectorised, each interval by stated rule."""

from importlib import import_module
from typing import Any

_HOMES = {
    "AboveChance": "rates",
    "Groups": "clusters",
    "above_chance": "rates",
    "bounds": "rates",
    "group": "clusters",
    "rate": "rates",
    "rates": "rates",
    "sums": "clusters",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
