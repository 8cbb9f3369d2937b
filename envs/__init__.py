"""Environments, and the state machine that runs an episode. Public names are served when first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envs.check import check_environment
    from envs.episode import run_episode
    from envs.fork import fork_episode
    from envs.model import ModelEnvironment
    from envs.rules import RulesEnvironment

__all__ = ["ModelEnvironment", "RulesEnvironment", "check_environment", "fork_episode", "run_episode"]

_HOMES = {
    "ModelEnvironment": "model",
    "RulesEnvironment": "rules",
    "check_environment": "check",
    "fork_episode": "fork",
    "run_episode": "episode",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
