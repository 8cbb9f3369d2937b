"""Model organisms: tiny decoders trained from scratch on planted decisions, a test bed with a known truth."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refusal_mechanism.organisms.card import KINDS, Kind, OrganismCard, PlantedDirection, read_card
    from refusal_mechanism.organisms.families import ARCHS, Arch
    from refusal_mechanism.organisms.making import STEPS, train
    from refusal_mechanism.organisms.suite_files import write_suite

_HOMES = {
    "card": ("KINDS", "Kind", "OrganismCard", "PlantedDirection", "read_card"),
    "families": ("ARCHS", "Arch"),
    "making": ("STEPS", "train"),
    "suite_files": ("write_suite",),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ARCHS",
    "KINDS",
    "STEPS",
    "Arch",
    "Kind",
    "OrganismCard",
    "PlantedDirection",
    "read_card",
    "train",
    "write_suite",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
