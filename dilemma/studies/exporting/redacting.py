"""``--redact PATTERN``: texts with what a person does not want to give away taken out; keys and secrets always.

What tells episodes apart (ids, names of cells, labels and their makers) stays, and so do numbers. A scenario whose
text changes has another id from then on, and everything that names it names the new one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from dilemma_kernel.errors import InputError
from dilemma_kernel.records import JsonObject, Scenario

MARK = "[redacted]"

SECRETS = (
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bhf_[A-Za-z0-9]{20,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"\bAIza[0-9A-Za-z_-]{30,}",
    r"\bxox[abposr]-[0-9A-Za-z-]{10,}",
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
)
"""What looks like a key of a provider, a token or a private key."""

_KEPT = frozenset(
    {
        "action",
        "agent",
        "attempt",
        "case",
        "cases",
        "cell",
        "cells",
        "controls",
        "domain",
        "ended",
        "end_rule",
        "environment",
        "episode_id",
        "family",
        "finish",
        "format",
        "instrument",
        "key",
        "kind",
        "levels",
        "maker",
        "mended",
        "model",
        "order",
        "origin",
        "pack",
        "pack_hash",
        "pressure",
        "role",
        "rung",
        "scenario",
        "scenario_id",
        "scenarios",
        "study",
        "subject",
        "track",
        "version",
        "versions",
        "vocabulary",
    }
)
"""Fields that tell things apart."""

_FREE = frozenset(
    {"arguments", "parameters", "patch", "initial_state", "fields", "effects", "values", "state_schema", "requires"}
)
"""Fields whose keys a model or a writer chose."""


@dataclass(frozen=True)
class Redactor:
    """Takes texts out.

    Args:
        patterns: regular expressions.
        ids: old scenario_id or core_id -> new.
    """

    patterns: tuple[re.Pattern[str], ...]
    ids: Mapping[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """``text`` with every match replaced."""
        for pattern in self.patterns:
            text = pattern.sub(MARK, text)
        return text

    def record(self, kind: str, value: JsonObject) -> JsonObject:
        """The JSON of a record without what is to go; ``kind`` as for ``Choice.rewrite``."""
        if kind == "timing":
            return {**value, "case": self.ids.get(value["case"], value["case"])}
        made: JsonObject = self._walk(value, "", is_free=False)
        if kind in {"study", "scenario"}:
            made["name"] = value["name"]
        if kind == "study":
            made["scenarios"] = {name: self.ids.get(old, old) for name, old in value["scenarios"].items()}
        for name in ("case", "scenario_id") if kind == "trajectory" else ():
            made[name] = self.ids.get(value[name], value[name])
        if kind == "judgement" and value["outcome"]["kind"] == "measured" and value["vocabulary"] in _CLOSED:
            made["outcome"] = value["outcome"]
        return made

    def _walk(self, value: Any, name: str, *, is_free: bool) -> Any:
        if isinstance(value, str):
            return value if name in _KEPT and not is_free else self.text(value)
        if isinstance(value, list | tuple):
            return [self._walk(inner, name, is_free=is_free) for inner in value]
        if not isinstance(value, dict) or (name in _KEPT and not is_free and name != "cell"):
            return value
        free = is_free or name in _FREE
        return {self.text(key) if free else key: self._walk(inner, key, is_free=free) for key, inner in value.items()}


_CLOSED = frozenset({"label", "executed_label", "refusal", "tool_verdict", "degenerate"})
"""Vocabularies whose values are known beforehand."""


def redactor(patterns: Sequence[str], secrets: Iterable[str], scenarios: Sequence[Scenario]) -> Redactor:
    """What takes out a person's patterns, what looks like a secret, and the secrets that are known.

    Args:
        patterns: regular expressions.
        secrets: texts that must not be given away, such as the keys of this machine.
        scenarios: the study's.

    Raises:
        InputError: a pattern that is none, that matches the empty text, or that would break a scenario.
    """
    compiled = [re.compile(re.escape(secret)) for secret in secrets if secret]
    compiled += [re.compile(pattern) for pattern in SECRETS]
    made = Redactor((*compiled, *map(_compiled, patterns)))
    ids: dict[str, str] = {}
    for scenario in scenarios:
        try:
            new = Scenario.model_validate(made.record("scenario", scenario.model_dump(mode="json")))
        except ValidationError as error:
            reason = error.errors(include_input=False)[0]["msg"]
            raise InputError(f"what is to be redacted would break scenario {scenario.name!r}: {reason}") from None
        ids |= {scenario.core_id: new.core_id, scenario.scenario_id: new.scenario_id}
    return Redactor(made.patterns, ids)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise InputError(f"--redact {pattern}: not a regular expression: {error}") from None
    if found.search("") is not None:
        raise InputError(f"--redact {pattern}: it matches the empty text, and so would every place in it")
    return found
