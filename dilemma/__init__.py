"""Do a language model's aligned words become aligned acts?

``from dilemma import Environment, ChatModel, Scenario, run, simulate`` is how users get in. Names are
served lazily: importing this package loads no heavy library.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma.studies.simulate import run, simulate
    from dilemma.studies.study import Study
    from dilemma_kernel.errors import DilemmaError
    from dilemma_kernel.ports import ChatModel, Environment
    from dilemma_kernel.records import Cell, ChatReply, ChatRequest, EnvironmentReply, Episode, Move, Scenario
    from envs import check_environment
    from scenario_factory import load_pack, load_scenario

_WHERE = {
    "Cell": "dilemma_kernel.records",
    "ChatModel": "dilemma_kernel.ports",
    "ChatReply": "dilemma_kernel.records",
    "ChatRequest": "dilemma_kernel.records",
    "DilemmaError": "dilemma_kernel.errors",
    "Environment": "dilemma_kernel.ports",
    "EnvironmentReply": "dilemma_kernel.records",
    "Episode": "dilemma_kernel.records",
    "Move": "dilemma_kernel.records",
    "Scenario": "dilemma_kernel.records",
    "Study": "dilemma.studies.study",
    "check_environment": "envs",
    "load_pack": "scenario_factory",
    "load_scenario": "scenario_factory",
    "run": "dilemma.studies.simulate",
    "simulate": "dilemma.studies.simulate",
}

__all__ = [
    "Cell",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "DilemmaError",
    "Environment",
    "EnvironmentReply",
    "Episode",
    "Move",
    "Scenario",
    "Study",
    "check_environment",
    "load_pack",
    "load_scenario",
    "run",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        try:
            return version("dilemma-sim")
        except PackageNotFoundError:
            return "0+unknown"
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'dilemma' has no attribute {name!r}")
