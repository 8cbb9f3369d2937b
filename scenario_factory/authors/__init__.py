"""Chat models as authors and judges of scenarios."""

from importlib import import_module
from typing import Any

_HOMES = dict.fromkeys(("ModelAuditor", "ModelDiscriminator", "ModelRewriter", "ModelWriter"), "models")
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
