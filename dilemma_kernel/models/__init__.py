"""Adapters of ``ChatModel``, the wrappers around them, and the registry of their names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma_kernel.models.calling import wrapped
    from dilemma_kernel.models.config import CapabilityOverrides, ModelConfig, ModelEntry
    from dilemma_kernel.models.keys import call_key
    from dilemma_kernel.models.registry import resolve
    from dilemma_kernel.models.scripted import ScriptedAgent, ScriptedModel, Truth

_HOMES = {
    "CapabilityOverrides": "config",
    "ModelConfig": "config",
    "ModelEntry": "config",
    "ScriptedAgent": "scripted",
    "ScriptedModel": "scripted",
    "Truth": "scripted",
    "call_key": "keys",
    "resolve": "registry",
    "wrapped": "calling",
}

__all__ = [
    "CapabilityOverrides",
    "ModelConfig",
    "ModelEntry",
    "ScriptedAgent",
    "ScriptedModel",
    "Truth",
    "call_key",
    "resolve",
    "wrapped",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
