"""``--redact PATTERN``: texts with what a person does not want to give away taken out; keys and secrets always.

Texts are what models, people and the writers of scenarios wrote; each kind of record says which of its fields are
texts. What tells episodes apart (ids, names of cells, labels and their makers) stays, and so do numbers and the words
of the records' own forms. A scenario whose text changes has another id from then on, and everything that names it
names the new one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from dilemma.studies.exporting.renaming import Words, names_of, renamed
from dilemma.studies.exporting.scrubbing import (
    scrubbed_judgement,
    scrubbed_scenario,
    scrubbed_study,
    scrubbed_trajectory,
)
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


@dataclass(frozen=True)
class Redactor:
    """Takes texts out.

    Args:
        patterns: regular expressions.
        ids: old scenario_id or core_id -> new.
        names: name of a scenario -> its names that are called otherwise.
        apart: name of a scenario -> what its setting ends with, so that no two scenarios become one.
    """

    patterns: tuple[re.Pattern[str], ...]
    ids: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    apart: Mapping[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """``text`` with every match replaced."""
        for pattern in self.patterns:
            text = pattern.sub(MARK, text)
        return text

    def record(self, kind: str, value: JsonObject) -> JsonObject:
        """The JSON of a record without what is to go; ``kind`` as for ``Choice.rewrite``."""
        match kind:
            case "study":
                scenarios = {name: self.ids.get(old, old) for name, old in value["scenarios"].items()}
                return scrubbed_study(value, Words(self.text)) | {"scenarios": scenarios}
            case "scenario":
                made = scrubbed_scenario(value, self._words(value["name"]))
                made["core"]["narrative"]["setting"] += self.apart.get(value["name"], "")
                return made
            case "trajectory":
                made = scrubbed_trajectory(value, self._words(value["scenario"]))
                return made | {name: self.ids.get(value[name], value[name]) for name in ("case", "scenario_id")}
            case "judgement":
                return scrubbed_judgement(value, Words(self.text))
            case _:
                return {**value, "case": self.ids.get(value["case"], value["case"])}

    def _words(self, scenario: str) -> Words:
        return Words(self.text, self.names.get(scenario, {}))


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
    plain = Redactor((*compiled, *map(_compiled, patterns)))
    values = {scenario.name: scenario.model_dump(mode="json") for scenario in scenarios}
    names = {name: renamed(names_of(value), plain.text) for name, value in values.items()}
    ids: dict[str, str] = {}
    apart: dict[str, str] = {}
    for scenario in scenarios:
        new = _redacted(Redactor(plain.patterns, names=names), values[scenario.name])
        if new.core_id in ids.values() and scenario.core_id not in ids:
            apart[scenario.name] = f" ({len(apart) + 2})"
            new = _redacted(Redactor(plain.patterns, names=names, apart=apart), values[scenario.name])
        ids |= {scenario.core_id: new.core_id, scenario.scenario_id: new.scenario_id}
    return Redactor(plain.patterns, ids, names, apart)


def _redacted(made: Redactor, value: JsonObject) -> Scenario:
    try:
        return Scenario.model_validate(made.record("scenario", value))
    except ValidationError as error:
        reason = error.errors(include_input=False)[0]["msg"]
        raise InputError(f"what is to be redacted would break scenario {value['name']!r}: {reason}") from None


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        found = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"--redact {pattern}: not a regular expression: {error}") from None
    if found.search("") is not None:
        raise InputError(f"--redact {pattern}: it matches the empty text, and so would every place in it")
    return found
