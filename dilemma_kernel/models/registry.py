"""From a model's name to its adapter. No adapter's library is imported before it is asked for."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import parse_qsl

from dilemma_kernel.errors import MissingExtraError, UnknownModelError
from dilemma_kernel.models.config import IN_PROCESS_TIMEOUT_S, ModelConfig, ModelEntry
from dilemma_kernel.models.scripted import AGENTS, ScriptedAgent, Truth
from dilemma_kernel.models.timed import Timed
from dilemma_kernel.models.wrapper import Renamed
from dilemma_kernel.ports import ChatModel

ScriptedFactory = Callable[[str, Mapping[str, str]], ChatModel]
"""Takes the model's full name and the options behind its ``?``."""


def resolve(
    name: str,
    config: ModelConfig,
    truth: Truth | None = None,
    *,
    scripted: Mapping[str, ScriptedFactory] | None = None,
) -> ChatModel:
    """The model that answers to ``name``.

    Args:
        name: an alias of ``config``, ``scripted/NAME``, ``local/…``, ``hf/…``, ``python:module:factory``, or any
            name that litellm knows.
        config: aliases, overrides, prices, and the environment that keys are read from.
        truth: for scripted agents, the actions as presented in the episode of a call.
        scripted: further scripted models by name, from other packages.

    Raises:
        UnknownModelError: nothing answers to this name.
        MissingKeyError: the key is missing or empty.
        MissingExtraError: the adapter's library is not installed.
    """
    entry = config.entry(name)
    target = entry.model or name
    scheme, slash, rest = target.partition("/")
    if scheme == "scripted" and slash:
        made = _scripted(target, rest, truth, scripted or {})
        return made if name == target else Renamed(made, name)
    if scheme == "local" and slash:
        from dilemma_kernel.models.llamacpp import LlamaCpp  # noqa: PLC0415

        return Timed(LlamaCpp(name, rest, entry), entry.timeout_s or max(config.timeout_s, IN_PROCESS_TIMEOUT_S))
    if scheme == "hf" and slash:
        return Timed(_transformers(name, rest, entry), entry.timeout_s or max(config.timeout_s, IN_PROCESS_TIMEOUT_S))
    if target.startswith("python:"):
        from dilemma_kernel.models.python_scheme import python_model  # noqa: PLC0415

        return python_model(name, target.removeprefix("python:"), entry, config)
    from dilemma_kernel.models.litellm import LiteLLM  # noqa: PLC0415

    return LiteLLM(name, target, entry, config)


def _scripted(name: str, rest: str, truth: Truth | None, further: Mapping[str, ScriptedFactory]) -> ChatModel:
    script, _, query = rest.partition("?")
    if script in further:
        return further[script](name, dict(parse_qsl(query, keep_blank_values=True)))
    known = sorted({*AGENTS, *further})
    if script not in AGENTS or query:
        close = get_close_matches(script, known, n=1)
        hint = f"did you mean scripted/{close[0]}? " if close and script not in AGENTS else ""
        raise UnknownModelError(f"no scripted model {name!r}: {hint}there are {', '.join(known)}, without options")
    if truth is None:
        raise UnknownModelError(f"{name} plays the agent of an episode and nothing else")
    return ScriptedAgent(name, AGENTS[script], truth)


def _transformers(name: str, rest: str, entry: ModelEntry) -> ChatModel:
    """The adapter of torch and transformers, whose module names ``Transformers(name, rest, entry)``."""
    home = "dilemma_kernel.models.transformers"
    if any(find_spec(module) is None for module in ("torch", "transformers", home)):
        raise MissingExtraError(f"{name} (transformers)", "lab")
    model: ChatModel = import_module(home).Transformers(name, rest, entry)
    return model
