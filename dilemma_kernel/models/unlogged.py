"""Calls through litellm that it does not keep books on: each reply is recorded by us, once, without its key.

litellm prices every reply twice, and builds a log record of request and reply for callbacks that nobody registered:
two fifths of what a call costs it. A call may bring its own logging object, and this one writes nothing down. The
library itself is an argument.
"""

import uuid
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from typing import Any

from dilemma_kernel.records import JsonObject

_SILENT = (
    "success_handler",
    "failure_handler",
    "post_call",
    "response_cost_calculator",
    "handle_sync_success_callbacks_for_async_calls",
)
_SILENT_ASYNC = ("async_success_handler", "async_failure_handler")
_REFUSED = ("claim_async_success_log",)
"""Asks whether a record is to be written."""


def unlogged(litellm: Any) -> Callable[[JsonObject], JsonObject]:
    """What to add to the arguments of a call so that litellm keeps no record of it.

    Returns:
        A function from a call's arguments to further ones: none where this litellm logs in another way.
    """
    try:
        base = import_module(f"{litellm.__name__}.litellm_core_utils.litellm_logging").Logging
        silent = type("Unlogged", (base,), _methods(base))
        _made(silent, {"model": "none", "messages": []})
    except Exception:
        return lambda body: {}
    return lambda body: {"litellm_logging_obj": _made(silent, body)}


def _made(kind: Any, body: JsonObject) -> Any:
    return kind(
        model=body["model"],
        messages=body["messages"],
        stream=False,
        call_type="acompletion",
        start_time=datetime.now(),
        litellm_call_id=str(uuid.uuid4()),
        function_id="",
        kwargs=body,
    )


def _methods(base: Any) -> dict[str, Any]:
    """What the base does not have is not replaced."""
    found: dict[str, Any] = {name: _nothing for name in _SILENT if hasattr(base, name)}
    found |= {name: _nothing_async for name in _SILENT_ASYNC if hasattr(base, name)}
    found |= {name: _no for name in _REFUSED if hasattr(base, name)}
    return {**found, "pre_call": _started}


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """Write nothing down."""


async def _nothing_async(self: Any, *args: Any, **kwargs: Any) -> None:
    """Write nothing down."""


def _no(self: Any, *args: Any, **kwargs: Any) -> bool:
    return False


def _started(self: Any, *args: Any, **kwargs: Any) -> None:
    """The moment of sending, which litellm reads again."""
    self.model_call_details["api_call_start_time"] = datetime.now()
