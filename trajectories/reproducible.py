"""What of a trajectory is the same whenever its replies are: all but clocks, latencies and provider ids."""

from collections.abc import Iterator
from typing import Any

from dilemma_kernel.records import JsonObject


def split_timing(trajectory: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """A trajectory without ``timing`` and ``call_id``, and those, one object a reply.

    Args:
        trajectory: the JSON of a ``Trajectory``; it is changed in place.

    Returns:
        The trajectory, which reads as a record still, and for each reply that had any its place (episode_id,
        attempt, turn, role, and which reply of that role in that turn) with ``timing`` and ``call_ids``.
    """
    place = {"episode_id": trajectory["episode_id"], "attempt": trajectory["attempt"]}
    apart = []
    for turn, role, index, reply in _replies(trajectory):
        timing = reply.pop("timing", None)
        call_ids = [call.pop("call_id", None) for call in reply["calls"]]
        if timing is not None or any(call_id is not None for call_id in call_ids):
            where = {**place, "turn": turn, "role": role, "index": index}
            apart.append({**where, "timing": timing, "call_ids": call_ids})
    return trajectory, apart


def _replies(trajectory: JsonObject) -> Iterator[tuple[int, str, int, dict[str, Any]]]:
    """Turn, role, index and JSON of every reply."""
    for turn in trajectory["turns"]:
        for index, ask in enumerate(turn["asks"]):
            yield turn["index"], "agent", index, ask["reply"]
        for index, reply in enumerate((turn["response"] or {"replies": ()})["replies"]):
            yield turn["index"], "environment", index, reply
