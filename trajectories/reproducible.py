"""What of a trajectory is the same whenever its replies are: all but clocks, latencies and provider ids."""

from collections.abc import Iterator
from typing import Any

from dilemma_kernel.records import JsonObject


def reproducible(trajectory: JsonObject) -> JsonObject:
    """A trajectory without ``timing`` and ``call_id``; it reads as a record still.

    Args:
        trajectory: the JSON of a ``Trajectory``; it is changed in place.
    """
    for reply in _replies(trajectory):
        reply.pop("timing", None)
        for call in reply["calls"]:
            call.pop("call_id", None)
    return trajectory


def _replies(trajectory: JsonObject) -> Iterator[dict[str, Any]]:
    """The JSON of every reply, the probe's included."""
    if trajectory.get("probe"):
        yield trajectory["probe"]["reply"]
    for turn in trajectory["turns"]:
        yield from (ask["reply"] for ask in turn["asks"])
        yield from (turn["response"] or {"replies": ()})["replies"]
