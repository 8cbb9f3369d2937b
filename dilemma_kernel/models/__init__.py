"""Adapters of ``ChatModel``, the wrappers around them, and the registry of their names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma_kernel.models.budget import Budget
    from dilemma_kernel.models.calling import wrapped
    from dilemma_kernel.models.config import CapabilityOverrides, ModelConfig, ModelEntry
    from dilemma_kernel.models.counters import Counters
    from dilemma_kernel.models.hygiene import escape_text, unescape_text
    from dilemma_kernel.models.keys import call_key
    from dilemma_kernel.models.limiter import Limiter
    from dilemma_kernel.models.prices import Prices
    from dilemma_kernel.models.registry import resolve
    from dilemma_kernel.models.retry import RetryPolicy
    from dilemma_kernel.models.scripted import ScriptedAgent, ScriptedModel, Truth

_HOMES = {
    "Budget": "budget",
    "CapabilityOverrides": "config",
    "Counters": "counters",
    "Limiter": "limiter",
    "ModelConfig": "config",
    "ModelEntry": "config",
    "Prices": "prices",
    "RetryPolicy": "retry",
    "ScriptedAgent": "scripted",
    "ScriptedModel": "scripted",
    "Truth": "scripted",
    "call_key": "keys",
    "escape_text": "hygiene",
    "resolve": "registry",
    "unescape_text": "hygiene",
    "wrapped": "calling",
}

__all__ = [
    "Budget",
    "CapabilityOverrides",
    "Counters",
    "Limiter",
    "ModelConfig",
    "ModelEntry",
    "Prices",
    "RetryPolicy",
    "ScriptedAgent",
    "ScriptedModel",
    "Truth",
    "call_key",
    "escape_text",
    "resolve",
    "unescape_text",
    "wrapped",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
