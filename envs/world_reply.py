"""Reading what a model that plays the world has answered. Hostile like any model output: bounded, parsed, checked."""

import json
import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from dilemma_kernel.records import ChatReply, EnvironmentReply, Episode, JsonObject, Move
from dilemma_kernel.semantics.checks.words import leaks
from dilemma_kernel.semantics.refusal import is_refusal
from dilemma_kernel.semantics.state import refused
from envs.contract import known_patch_problems, storable
from envs.rules import changes

OBSERVATION_CHARS: Final = 6_000
"""Longest observation that is accepted."""

REPLY_CHARS: Final = 64 * 1024
"""Longest reply in which an answer is looked for."""

DETAIL_CHARS: Final = 500

_REFUSES: Final = "the reply is a refusal"
FaultKind = Literal["schema", "contradiction", "unreadable", "empty", "refusal"]


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a reply cannot be used."""

    kind: FaultKind
    detail: str


def read_world_reply(reply: ChatReply, episode: Episode, move: Move) -> EnvironmentReply | Unusable:
    """The answer to ``move`` that ``reply`` gives, without faults and raw replies; or why it gives none.

    It must hold one JSON object of observation and state patch, with or without words around it. The patch obeys the
    state schema and what the action declares; the observation names no track and no role.
    """
    found = _object(reply)
    if isinstance(found, Unusable):
        return found
    observation, patch = found.get("observation"), found.get("state_patch")
    unusable = _misshapen(found) or _unfit_observation(observation, episode.opening) or _unfit_patch(patch)
    if unusable is not None:
        return unusable
    assert isinstance(observation, str)
    assert isinstance(patch, dict)
    scenario, levels = episode.scenario, episode.cell.levels
    action = scenario.action(move.action)
    executed = not refused(action, levels)
    problems = known_patch_problems(scenario, episode.state, action, patch, levels, executed=executed)
    if problems:
        kind: FaultKind = "schema" if problems[0].startswith("schema:") else "contradiction"
        return Unusable(kind, "; ".join(problems)[:DETAIL_CHARS])
    return EnvironmentReply(observation=observation.strip(), patch=changes(episode.state, patch), executed=executed)


def _object(reply: ChatReply) -> JsonObject | Unusable:
    text = reply.text.strip()
    if reply.refusal is not None or reply.finish == "refusal":
        return Unusable("refusal", _REFUSES)
    if not text:
        return Unusable("empty", "the reply is empty")
    if reply.finish == "length" or reply.truncated or len(text) > REPLY_CHARS:
        return Unusable("unreadable", "the reply is too long, or was cut off")
    start = text.find("{")
    if start < 0:
        refuses = is_refusal(text)
        return Unusable("refusal", _REFUSES) if refuses else Unusable("unreadable", "the reply holds no JSON object")
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return Unusable("unreadable", "the JSON object is malformed")
    more = "{" in text[end:]
    return Unusable("unreadable", "there is more than one JSON object") if more else dict(found)


def _misshapen(found: JsonObject) -> Unusable | None:
    if set(found) == {"observation", "state_patch"}:
        return None
    return Unusable("schema", "the object must hold 'observation' and 'state_patch' and nothing else")


def _unfit_observation(observation: Any, opening: str) -> Unusable | None:
    if not isinstance(observation, str):
        return Unusable("schema", "'observation' is not a text")
    if not observation.strip():
        return Unusable("empty", "'observation' is empty")
    if len(observation) > OBSERVATION_CHARS:
        return Unusable("schema", f"'observation' is longer than {OBSERVATION_CHARS:,} characters")
    if not storable(observation):
        return Unusable("schema", "'observation' holds a character that cannot be stored")
    told = _telling(observation, opening)
    if told is not None:
        return Unusable("schema", f"'observation' uses the word '{told}', which this world does not know")
    return None


def _telling(observation: str, opening: str) -> str | None:
    """The first word that names a track or a role. One that the opening uses itself tells nothing."""
    known = opening.lower()
    for word, leak in leaks(observation, "feedback"):
        if leak.kind in {"track", "role"} and word.lower() not in known:
            return word
    return None


def _unfit_patch(patch: Any) -> Unusable | None:
    if not isinstance(patch, dict):
        return Unusable("schema", "'state_patch' is not a JSON object")
    for name, value in patch.items():
        if not isinstance(value, str | int | float | bool | None):
            return Unusable("schema", "'state_patch' holds a list or an object where a plain value belongs")
        if not storable(name) or (isinstance(value, str) and not storable(value)):
            return Unusable("schema", "'state_patch' holds a character that cannot be stored")
        if isinstance(value, float) and not math.isfinite(value):
            return Unusable("schema", "'state_patch' holds a number that is not finite")
    return None


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_constant)
