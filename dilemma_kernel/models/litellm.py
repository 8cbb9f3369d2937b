"""Every provider that litellm reaches. Its own retries are off, its price list is local, and it reports to nobody."""

import asyncio
import logging
import os
import time
import warnings
from typing import Any
from weakref import WeakSet

from dilemma_kernel.errors import EmptyReply, ModelForbidden, ModelUnavailable
from dilemma_kernel.models import catalogue, providers
from dilemma_kernel.models.config import ModelConfig, ModelEntry
from dilemma_kernel.models.failures import filtered, one_line, translated
from dilemma_kernel.models.hygiene import kept
from dilemma_kernel.models.unlogged import unlogged
from dilemma_kernel.models.wire import from_wire, omitted, to_wire
from dilemma_kernel.records import ChatReply, ChatRequest, JsonObject, Timing, content_hash

_STOPS = frozenset({"stop", "end_turn", "stop_sequence", "STOP", "STOP_SEQUENCE", "COMPLETE", "eos", "eos_token"})
"""What providers call the end of a reply that is complete."""
_open: "WeakSet[LiteLLM]" = WeakSet()
"""Adapters that have sent something and were not closed."""
FIRST_CALL_S = 30.0
"""Seconds more for calls until one has ended: litellm imports a good part of itself in its first call."""


class LiteLLM:
    """A model behind litellm.

    Args:
        name: the name it was asked for by.
        target: the name that litellm is given.
        entry: endpoint, key's variable, overrides and prices.
        config: the environment and the default timeout.

    Raises:
        UnknownModelError: litellm cannot tell the provider.
        MissingKeyError: the key is missing or empty.
    """

    _warm = False
    """Whether any call of this process has ended."""

    def __init__(self, name: str, target: str, entry: ModelEntry, config: ModelConfig) -> None:
        self._litellm = _library()
        model, provider = catalogue.provider_of(self._litellm, name, target, entry, config)
        url = providers.endpoint(provider, entry, config)
        key = providers.key(provider, name, entry, config, url)
        found, self._unsupported = catalogue.capabilities_of(self._litellm, model, provider)
        self.name = name
        self.identity = _identity(f"{provider}/{model}", url, entry.extra)
        self.capabilities = entry.capabilities.over(found)
        self.prices = catalogue.prices_of(self._litellm, model, provider, entry)
        self._secrets = _secrets(key, url)
        self._key_variable = providers.key_variable(provider, entry, config)
        self._timeout_s = entry.timeout_s or config.timeout_s
        self._extra = entry.extra
        self._unlogged = unlogged(self._litellm)
        self._fixed: JsonObject = {
            "model": model,
            "custom_llm_provider": provider,
            "api_base": url,
            "api_key": key,
            "max_retries": 0,
            "num_retries": 0,
            "timeout": self._timeout_s,
            "drop_params": False,
        }
        if provider == "azure":
            self._fixed["api_version"] = config.variable("AZURE_API_VERSION")

    async def complete(self, request: ChatRequest) -> ChatReply:
        left_out = omitted(request, self.capabilities, self._unsupported)
        body = {**self._extra, **to_wire(request, left_out), **self._fixed}
        _open.add(self)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout_s + (0.0 if self._warm else FIRST_CALL_S)):
                response = await self._litellm.acompletion(**body, **self._unlogged(body))
        except Exception as error:
            failure = error
        else:
            return self._reply(response, left_out, time.perf_counter() - started)
        finally:
            LiteLLM._warm = True
        if filtered(failure):
            return _refused(failure, self._secrets, left_out, time.perf_counter() - started)
        ours = translated(failure, self.name, self._secrets)
        if isinstance(ours, ModelForbidden):
            ours.variable = self._key_variable
        raise ours  # outside the handler: the cause may hold the key

    def _reply(self, response: Any, left_out: tuple[str, ...], seconds: float) -> ChatReply:
        try:
            body, choices = _plain(response)
            reply = from_wire(choices[0], body, left_out) if choices else None
        except (AttributeError, TypeError, ValueError) as error:
            raise ModelUnavailable(f"{self.name}: the reply cannot be read ({type(error).__name__})") from None
        if reply is None:
            raise EmptyReply(f"{self.name} answered without a choice")
        cost = self.prices.of(reply.usage) if self.prices else None
        timing = Timing(latency_s=seconds, provider_id=kept(body.get("id"), 200) or None)
        return reply.model_copy(update={"cost": cost, "timing": timing})

    async def aclose(self) -> None:
        """Closes litellm's connections once no other adapter uses them."""
        if self not in _open:
            return
        _open.discard(self)
        if not _open:
            await self._litellm.close_litellm_async_clients()
            self._litellm.in_memory_llm_clients_cache.flush_cache()


_READ_ONLY = r".* using the `ReadOnly` qualifier"
"""What pydantic says of litellm's own types, once some of its parts are imported, which happens in the first calls."""


def _library() -> Any:
    """litellm, set to keep to itself."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it reads a .env file of the working folder
    # its own client for OpenAI's format takes half the CPU of OpenAI's library; "False" goes back to the latter
    os.environ.setdefault("EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER", "True")
    warnings.filterwarnings("ignore", _READ_ONLY, UserWarning)
    import litellm  # noqa: PLC0415

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    # a call that is cancelled while litellm prepares it in a thread leaves a coroutine behind
    warnings.filterwarnings("ignore", r"coroutine '\w+\.acompletion' was never awaited", RuntimeWarning)
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def _secrets(key: str | None, url: str | None) -> tuple[str, ...]:
    """What no message may hold: the key, and an endpoint's URL that may carry one."""
    found = [key] if key and key != providers.PLACEHOLDER_KEY else []
    if url and providers.shown(url) != url.rstrip("/"):
        found.append(url)
    return tuple(found)


def _identity(model: str, url: str | None, extra: JsonObject) -> str:
    identity = f"{model}@{providers.shown(url)}" if url else model
    return f"{identity}#{content_hash(extra)}" if extra else identity


def _plain(response: Any) -> tuple[JsonObject, list[JsonObject]]:
    """litellm's objects as the JSON that they stand for."""
    choices = [_choice(choice) for choice in response.choices or ()]
    usage = getattr(response, "usage", None)
    body = {
        "id": getattr(response, "id", None),
        "model": getattr(response, "model", None),
        "system_fingerprint": getattr(response, "system_fingerprint", None),
        "usage": usage and {k: getattr(usage, k, None) for k in ("prompt_tokens", "completion_tokens")},
    }
    return body, choices


def _choice(choice: Any) -> JsonObject:
    message = choice.message
    calls = [{"id": c.id, "function": vars(c.function)} for c in getattr(message, "tool_calls", None) or ()]
    fields = ("content", "refusal", "reasoning_content")
    made = {field: getattr(message, field, None) for field in fields} | {"tool_calls": calls}
    legacy = getattr(message, "function_call", None)
    if legacy is not None:
        made["function_call"] = vars(legacy)
    native = (getattr(choice, "provider_specific_fields", None) or {}).get("native_finish_reason")
    return {"message": made, "finish_reason": _finish(choice.finish_reason, native)}


def _finish(mapped: str | None, native: object) -> str | None:
    """The finish reason. litellm calls some failures, and all that it does not know, a stop."""
    if native is None or native in _STOPS:
        return mapped
    return "other" if mapped == "stop" or native in {"OTHER", "LANGUAGE"} else mapped


def _refused(error: Exception, secrets: tuple[str, ...], left_out: tuple[str, ...], seconds: float) -> ChatReply:
    """A provider that filters the prompt answers with an error; it is a refusal like any other."""
    words = one_line(error, secrets)
    return ChatReply(finish="refusal", refusal=words, omitted=left_out, timing=Timing(latency_s=seconds))
