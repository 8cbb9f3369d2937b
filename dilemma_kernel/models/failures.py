"""From a client library's exception to ours: one line, and no key in it."""

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from dilemma_kernel.errors import (
    ContextOverflow,
    ModelError,
    ModelForbidden,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)

MAX_CHARS = 300
_PREFIX = re.compile(r"^(?:[\w.]*(?:Error|Exception|Exceeded)\w*(?:: | - ))+")
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|key|hf|AIza)[-_][\w*.-]{6,}")
_TOO_LONG = re.compile("context.?(length|window|size)|prompt is too long", re.IGNORECASE)
_FILTERED = re.compile("content.?(filter|policy|management policy)", re.IGNORECASE)
_FLAGGED = re.compile("moderation|flagged", re.IGNORECASE)
"""In a 403: the prompt is turned away, and not the key."""
_OUT_OF_MONEY = re.compile("insufficient_quota|exceeded your current quota|billing", re.IGNORECASE)


def translated(error: BaseException, model: str, secrets: tuple[str, ...] = ()) -> ModelError:
    """The most specific error of ours.

    Args:
        error: what the client library raised; judged by its class's name and its status code.
        model: the model's name, for the message.
        secrets: texts that must not appear in the message.
    """
    status = getattr(error, "status_code", None)
    kind = type(error).__name__
    message = f"{model}: {one_line(error, secrets)}"
    words = f"{message} {getattr(error, 'code', '')}"
    if isinstance(error, TimeoutError) or "Timeout" in kind or status == 408:
        return ModelTimeout(f"{model} did not answer in time")
    if kind == "ContextWindowExceededError" or (status in {400, 413, 422} and _TOO_LONG.search(words)):
        return ContextOverflow(message)
    if status == 429:
        return ModelForbidden(message) if _OUT_OF_MONEY.search(words) else RateLimited(message, retry_after(error))
    if status in {401, 403}:
        return ModelForbidden(message)
    if isinstance(error, ConnectionError) or "Connection" in kind or _broke(status):
        return ModelUnavailable(message)
    return ModelRejected(message)


def _broke(status: object) -> bool:
    """Whether the server failed, or answered well with something that is no reply."""
    return isinstance(status, int) and (status >= 500 or status < 400)


def filtered(error: BaseException) -> bool:
    """Whether the provider's filter turned the prompt away."""
    if type(error).__name__ == "ContentPolicyViolationError":
        return True
    words = f"{error} {getattr(error, 'code', '')}"
    status = getattr(error, "status_code", None)
    turned_away = {400: _FILTERED, 403: _FLAGGED}.get(status) if isinstance(status, int) else None
    return turned_away is not None and turned_away.search(words) is not None


def one_line(error: BaseException, secrets: tuple[str, ...] = ()) -> str:
    """The gist of an exception in one line, without secrets and without anything that looks like a key."""
    text = str(error) or type(error).__name__
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    text = _PREFIX.sub("", text.partition("Traceback (most recent call last)")[0])
    text = "".join(c if c.isprintable() else " " for c in _KEY_LIKE.sub("[key]", text))
    return " ".join(text.split())[:MAX_CHARS] or type(error).__name__


def retry_after(error: BaseException) -> float | None:
    """Seconds that the server asked to wait, from ``retry-after-ms`` or ``retry-after``; None when it did not say."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not headers:
        headers = getattr(error, "litellm_response_headers", None)
    if not isinstance(headers, Mapping):
        return None
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after")
    seconds = _number(given)
    if seconds is None and given:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return None if seconds is None else max(0.0, seconds)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
