"""Scenarios: where they are read, written and gathered into packs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenario_factory.packs import Manifest, Pack, load_pack, load_scenario, write_pack, write_scenario
    from scenario_factory.yaml_writing import dump_scenario

_HOMES = {
    "Manifest": "packs",
    "Pack": "packs",
    "dump_scenario": "yaml_writing",
    "load_pack": "packs",
    "load_scenario": "packs",
    "write_pack": "packs",
    "write_scenario": "packs",
}

__all__ = [
    "Manifest",
    "Pack",
    "dump_scenario",
    "load_pack",
    "load_scenario",
    "write_pack",
    "write_scenario",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
