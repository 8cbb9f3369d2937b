"""Every reply, from whatever model, made fit to be stored and sent on.

Our adapters clean what they read. A person's own model may return anything; what is fit already, nearly every reply,
is passed on as it is.
"""

import math
import re
from typing import Any, Final

from dilemma_kernel.errors import ModelRejected
from dilemma_kernel.models.hygiene import MAX_BITS, MAX_CALLS, MAX_DEPTH, MAX_NAME_CHARS, fitting_arguments, kept
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.records import MAX_REPLY_CHARS, ChatReply, ChatRequest, Timing, ToolCall

_UNFIT: Final = re.compile("[\0\ud800-\udfff]")


class Fitted(Wrapper):
    """A model whose replies are all fit."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return fit(await self._model.complete(request), self.name)


def fit(reply: object, name: str) -> ChatReply:
    """``reply``, with whatever in it neither JSON nor a database takes escaped, cut or marked as malformed.

    Args:
        reply: what a model returned.
        name: the model's, for messages.

    Raises:
        ModelRejected: it is no reply, or cannot be kept at all.
    """
    if not isinstance(reply, ChatReply):
        raise ModelRejected(f"{name} returned a {type(reply).__name__}, not a ChatReply")
    try:
        return reply if _is_fit(reply) else _made_fit(reply)
    except Exception as error:
        words = kept(" ".join(str(error).split()), 200)
        raise ModelRejected(f"{name} returned a reply that cannot be kept: {type(error).__name__}: {words}") from None


def _is_fit(reply: ChatReply) -> bool:
    return (
        _is_text(reply.text)
        and all(_is_text(text) for text in (reply.refusal, reply.reasoning) if text is not None)
        and all(_is_text(text, MAX_NAME_CHARS) for text in (reply.model, reply.fingerprint) if text is not None)
        and len(reply.calls) <= MAX_CALLS
        and all(_is_fit_call(call) for call in reply.calls)
        and all(_is_text(part, MAX_NAME_CHARS) for part in reply.omitted)
        and _is_number(reply.cost)
        and (reply.timing is None or _is_fit_timing(reply.timing))
    )


def _is_fit_call(call: ToolCall) -> bool:
    names = (call.name, call.call_id)
    texts = (call.raw, call.malformed)
    return (
        all(_is_text(text, MAX_NAME_CHARS) for text in names if text is not None)
        and all(_is_text(text) for text in texts if text is not None)
        and _is_plain(call.arguments, 0)
    )


def _is_fit_timing(timing: Timing) -> bool:
    numbers = (timing.latency_s, timing.waited_s)
    return all(_is_number(number) for number in numbers) and _is_text(timing.provider_id or "", MAX_NAME_CHARS)


def _is_text(text: str, limit: int = MAX_REPLY_CHARS) -> bool:
    return len(text) <= limit and ("\0" not in text if text.isascii() else _UNFIT.search(text) is None)


def _is_number(number: float | None) -> bool:
    return number is None or math.isfinite(number)


def _is_plain(value: Any, depth: int) -> bool:
    """Whether arguments are JSON that can be kept as it is."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, str):
        return _is_text(value)
    if isinstance(value, int):
        return value.bit_length() <= MAX_BITS
    if isinstance(value, float):
        return math.isfinite(value)
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_text(key) and _is_plain(v, depth + 1) for key, v in value.items())
    return isinstance(value, list) and all(_is_plain(inner, depth + 1) for inner in value)


def _made_fit(reply: ChatReply) -> ChatReply:
    """Read again from the fields, so that whatever still is not one is refused."""
    return ChatReply.model_validate(
        {
            **{name: getattr(reply, name) for name in ("finish", "usage")},
            "text": _kept(reply.text),
            "calls": [_made_fit_call(call) for call in reply.calls[:MAX_CALLS]],
            "refusal": None if reply.refusal is None else _kept(reply.refusal),
            "reasoning": None if reply.reasoning is None else _kept(reply.reasoning),
            "cost": reply.cost if _is_number(reply.cost) else None,
            "model": None if reply.model is None else _kept(reply.model, MAX_NAME_CHARS),
            "fingerprint": None if reply.fingerprint is None else _kept(reply.fingerprint, MAX_NAME_CHARS),
            "omitted": [_kept(part, MAX_NAME_CHARS) for part in reply.omitted],
            "truncated": reply.truncated or len(reply.text) > MAX_REPLY_CHARS,
            "timing": reply.timing and _made_fit_timing(reply.timing),
        }
    )


def _made_fit_call(call: ToolCall) -> ToolCall:
    arguments, malformed = call.arguments, call.malformed
    if not _is_plain(arguments, 0):
        try:
            arguments = fitting_arguments(arguments)
        except ValueError as error:
            arguments, malformed = None, malformed or str(error)
    return ToolCall(
        name=None if call.name is None else _kept(call.name, MAX_NAME_CHARS),
        arguments=arguments,
        raw=_kept(call.raw),
        call_id=None if call.call_id is None else _kept(call.call_id, MAX_NAME_CHARS),
        malformed=None if malformed is None else _kept(malformed, 300),
    )


def _made_fit_timing(timing: Timing) -> Timing:
    seconds = {name: getattr(timing, name) for name in ("latency_s", "waited_s")}
    finite = {name: value if _is_number(value) else 0.0 for name, value in seconds.items()}
    return Timing(
        **finite, attempts=timing.attempts, provider_id=_kept(timing.provider_id or "", MAX_NAME_CHARS) or None
    )


def _kept(text: str, limit: int = MAX_REPLY_CHARS) -> str:
    """A text that is fit stays as it is, its escapes too, for an adapter may have escaped it already."""
    return text if _is_text(text, limit) else kept(text, limit)
