"""What litellm's own lists say of a model: its provider, capabilities and prices. The library itself is an argument."""

from difflib import get_close_matches
from typing import Any

from dilemma_kernel.errors import UnknownModelError
from dilemma_kernel.models import providers
from dilemma_kernel.models.config import ModelConfig, ModelEntry
from dilemma_kernel.models.prices import Prices
from dilemma_kernel.records import Capabilities, JsonObject

_OPTIONAL = ("seed", "stop", "temperature", "tool_choice", "top_p")
"""Parameters that some models refuse."""
_PROBES: JsonObject = {"seed": 1, "stop": ["x"], "temperature": 0.5, "tool_choice": "required", "top_p": 0.5}
_ours: set[str] = set()
"""Models that litellm did not know and that were registered here."""


def provider_of(litellm: Any, name: str, target: str, entry: ModelEntry, config: ModelConfig) -> tuple[str, str]:
    """The model's name at its provider, and the provider."""
    try:
        model, provider, _, _ = litellm.get_llm_provider(target)
    except Exception:
        provider = ""
    if provider:
        return model, provider
    if "/" not in target and providers.endpoint("openai", entry, config):
        return target, "openai"
    known = {*litellm.model_list, *config.models}
    close = ", ".join(get_close_matches(target, known, n=3))
    hint = f"did you mean {close}? Else " if close else ""
    raise UnknownModelError(
        f"no provider is known for the model {name!r}: {hint}name the provider (openai/{target}), "
        f"or give it an alias in the table [models] of dilemma.toml"
    )


def _known(litellm: Any, model: str, provider: str) -> JsonObject | None:
    """What litellm's own list says of a model; None where it says nothing."""
    for name in (f"{provider}/{model}", model):
        if name in litellm.model_cost and name not in _ours:
            facts: JsonObject = litellm.model_cost[name]
            return facts
    return None


def capabilities_of(litellm: Any, model: str, provider: str) -> tuple[Capabilities, frozenset[str]]:
    """What the model supports, and the parameters that it refuses.

    litellm's list says no of every model that it does not know; those are taken to support what their provider does.
    """
    facts = _known(litellm, model, provider)
    supported = set(litellm.get_supported_openai_params(model, provider) or ())
    refused = frozenset(p for p in _OPTIONAL if p not in supported or not _accepts(litellm, model, provider, p))
    tools = "tools" in supported and (facts is None or bool(facts.get("supports_function_calling")))
    schema = "response_format" in supported and (
        provider in providers.SELF_HOSTED if facts is None else bool(facts.get("supports_response_schema"))
    )
    found = Capabilities(
        tools=tools,
        schema="native" if schema else "prompted",
        seed="seed" not in refused,
        temperature="temperature" not in refused,
    )
    return found, refused - {"seed", "temperature"}


def _accepts(litellm: Any, model: str, provider: str, parameter: str) -> bool:
    try:
        litellm.utils.get_optional_params(model=model, custom_llm_provider=provider, **{parameter: _PROBES[parameter]})
    except litellm.UnsupportedParamsError:
        return False
    except Exception:  # the probe failed for a reason of its own
        return True
    return True


def prices_of(litellm: Any, model: str, provider: str, entry: ModelEntry) -> Prices | None:
    """The entry's prices, else litellm's. An unknown model is registered: litellm looks in vain on each call else."""
    facts = _known(litellm, model, provider)
    if facts is None and f"{provider}/{model}" not in litellm.model_cost:
        name = f"{provider}/{model}"
        free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
        litellm.register_model({name: {**free, "litellm_provider": provider, "mode": "chat"}})
        _ours.add(name)
    if entry.prices is not None:
        return entry.prices
    if facts is None or facts.get("input_cost_per_token") is None:
        return None
    return Prices(float(facts["input_cost_per_token"]), float(facts.get("output_cost_per_token") or 0.0))
