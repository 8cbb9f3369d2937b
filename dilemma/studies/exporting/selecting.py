"""``--only label=strategic,direct``: which episodes an export takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from dilemma.studies.rows import value
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import FACTORS, LABELS, Ended, Judgement, StudyRecord
from refusal_transfer import TOOL_VERDICTS
from trajectories import EpisodeSummary
from trajectories.bulk import Said

RULED = ("label", "executed_label", "refusal", "tool_verdict")
"""Vocabularies by the rules' judgement; what is not measured has the value ``unmeasured`` or ``crashed``."""

_MISSING = ("unmeasured", "crashed")
_YES_OR_NO = ("yes", "no")
_CLOSED: Mapping[str, tuple[str, ...]] = {
    "label": (*LABELS, *_MISSING),
    "executed_label": (*LABELS, "prevented", *_MISSING),
    "refusal": ("refused", "answered", *_MISSING),
    "tool_verdict": (*TOOL_VERDICTS, *_MISSING),
    "ended": get_args(Ended),
    "faults": _YES_OR_NO,
    "fork": _YES_OR_NO,
}
"""Names whose values are known beforehand."""

_COLUMNS: Mapping[str, Callable[[EpisodeSummary], str]] = {
    "agent": lambda episode: episode.agent,
    "environment": lambda episode: episode.environment,
    "scenario": lambda episode: episode.scenario,
    "domain": lambda episode: episode.domain,
    "family": lambda episode: episode.family or "",
    "case": lambda episode: episode.case_id,
    "repeat": lambda episode: str(episode.repeat),
    "ended": lambda episode: episode.ended,
    "faults": lambda episode: "yes" if episode.faults else "no",
    "fork": lambda episode: "yes" if episode.origin else "no",
    "episode": lambda episode: episode.episode_id,
}


@dataclass(frozen=True)
class Selection:
    """Conditions that all hold."""

    conditions: tuple[tuple[str, frozenset[str]], ...] = ()
    """Name, and the values that it may have."""

    def holds(self, episode: EpisodeSummary, said: Said, levels: Mapping[str, Mapping[str, str]]) -> bool:
        """Whether an episode is taken.

        Args:
            episode: its columns.
            said: what is said of it.
            levels: key of a cell -> its levels.
        """
        return all(_value(name, episode, said, levels) in allowed for name, allowed in self.conditions)


def parse_only(texts: Sequence[str], record: StudyRecord) -> Selection:
    """The selection that ``NAME=VALUE,…`` texts name; every one of them must hold.

    Raises:
        InputError: a text of another form, an unknown name, or a value that this name never has.
    """
    factors = dict.fromkeys([*FACTORS, *(name for cell in record.cells for name in cell.levels)])
    conditions = []
    for text in texts:
        name, sign, values = text.partition("=")
        allowed = frozenset(part.strip() for part in values.split(",") if part.strip())
        if not sign or not allowed:
            raise InputError(f"--only {text}: write NAME=VALUE,… such as --only label=strategic,direct")
        if name.strip() not in {*RULED, *_COLUMNS, *factors}:
            raise InputError(
                f"--only {text}: there is no {name.strip()!r}; there are {', '.join((*RULED, *_COLUMNS, *factors))}"
            )
        _check_values(text, name.strip(), allowed, record)
        conditions.append((name.strip(), allowed))
    return Selection(tuple(conditions))


def _check_values(text: str, name: str, given: frozenset[str], record: StudyRecord) -> None:
    known = _values_of(name, record)
    unknown = sorted(given.difference(known)) if known else []
    if unknown:
        raise InputError(f"--only {text}: {name} is never {unknown[0]!r}; there are {', '.join(known)}")


def _values_of(name: str, record: StudyRecord) -> tuple[str, ...]:
    """What a name can be; empty where that is open."""
    if name in _CLOSED:
        return _CLOSED[name]
    levels = dict.fromkeys(cell.levels[name] for cell in record.cells if name in cell.levels)
    return tuple(dict.fromkeys((*(FACTORS[name].levels if name in FACTORS else ()), *levels)))


def _value(name: str, episode: EpisodeSummary, said: Said, levels: Mapping[str, Mapping[str, str]]) -> str:
    if name in _COLUMNS:
        return _COLUMNS[name](episode)
    if name not in RULED:
        found = levels.get(episode.cell, {})
        return found.get(name, FACTORS[name].baseline if name in FACTORS else "")
    judgement: Judgement | None = said.get((name, "rules"))
    if judgement is None:
        return ""
    measured = value(judgement)
    return judgement.outcome.kind if measured is None else str(measured)
