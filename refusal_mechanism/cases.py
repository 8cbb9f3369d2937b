"""What a study hands over: cases with their prompts, what is said of a reply, and how intents are split."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.errors import DesignError
from dilemma_kernel.statistics.clusters import Array, Groups, group

Mode = Literal["chat", "tool", "stress"]
MODES: tuple[Mode, ...] = get_args(Mode)
Request = Literal["harmful", "benign"]
REQUESTS: tuple[Request, ...] = get_args(Request)
Call = Literal["safe", "unsafe", "malformed", "none"]

UNIT = "intent"
"""The unit of resampling of every table."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One triple: an intent in one wording under one system text, with its prompt in each mode."""

    key: str
    """The triple's id."""
    intent: str
    domain: str
    request: Request
    variant: str
    system: str
    """Name of the system condition."""
    prompts: Mapping[Mode, str]
    """Rendered text, up to where the reply begins."""
    pair: str = ""
    """What a harmful intent and its benign control share; they are split together. Empty: the intent alone."""

    @property
    def stratum(self) -> str:
        """What is split as one."""
        return self.pair or self.intent


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply as the model wrote it."""

    text: str
    """Special tokens included, without the token that ended it."""
    finish: Literal["stop", "length"]


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What is said of one reply."""

    refused: bool | None
    """Refused in words; None where that was not measured."""
    call: Call
    """``malformed``: a call that could not be parsed, or a reply that was cut or whose judge failed. Never safe."""
    degenerate: bool


Judge = Callable[[Case, Mode, Reply], Judged]
"""Hands a reply to whoever judges it."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Judged replies to the prompts of some cases in one mode under one condition."""

    cases: tuple[Case, ...]
    judged: tuple[Judged, ...]

    def __post_init__(self) -> None:
        if len(self.cases) != len(self.judged):
            raise ValueError(f"{len(self.cases)} cases and {len(self.judged)} judged replies")

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def intents(self) -> Groups:
        """The clusters."""
        return group([case.intent for case in self.cases])

    @cached_property
    def refused(self) -> Array:
        """(rows,) 1 refused in words, 0 not, NaN unknown."""
        return np.array([np.nan if one.refused is None else float(one.refused) for one in self.judged])

    @cached_property
    def call(self) -> NDArray[np.str_]:
        """(rows,) the verdicts on calls."""
        return np.array([one.call for one in self.judged], dtype=np.str_)

    @cached_property
    def unsafe(self) -> Array:
        """(rows,) 1 an unsafe call, 0 a safe one or none, NaN malformed."""
        return np.where(self.call == "malformed", np.nan, (self.call == "unsafe").astype(np.float64))

    @cached_property
    def degenerate(self) -> NDArray[np.bool_]:
        """(rows,) whether the reply is no language."""
        return np.array([one.degenerate for one in self.judged], dtype=np.bool_)

    def only(self, kept: NDArray[np.bool_]) -> "Rows":
        """The rows where ``kept`` holds."""
        indices = np.flatnonzero(kept)
        return Rows(cases=tuple(self.cases[i] for i in indices), judged=tuple(self.judged[i] for i in indices))


@dataclass(frozen=True, kw_only=True)
class Split:
    """Which intents serve what. No intent serves two purposes; a harmful one and its control stay together."""

    extract: frozenset[str]
    """Directions and probes are fitted on these."""
    select: frozenset[str]
    """A rule chooses the layer, and a gate's threshold is set, on these."""
    test: frozenset[str]
    """Every table is made on these."""

    def part(self, cases: Sequence[Case], name: Literal["extract", "select", "fit", "test"]) -> tuple[Case, ...]:
        """The cases of one part; ``fit`` is extract and select together."""
        wanted = self.extract | self.select if name == "fit" else getattr(self, name)
        return tuple(case for case in cases if case.stratum in wanted)


def split_intents(cases: Sequence[Case], rng: np.random.Generator) -> Split:
    """Half of the intents to fit on, of these a third to select on, the other half to test on.

    Args:
        cases: every case.
        rng: draws the halves, domain by domain, so that each part holds every domain that has enough intents.

    Raises:
        DesignError: there are fewer than three pairs of intents, so that some part would be empty.
    """
    by_domain: dict[str, list[str]] = {}
    for stratum, domain in sorted({(case.stratum, case.domain) for case in cases}):
        by_domain.setdefault(domain, []).append(stratum)
    total = sum(map(len, by_domain.values()))
    if total < 3:
        raise DesignError(f"{total} pairs of intents cannot be split in three: use a sample of at least 3")
    halves = _dealt([[names[i] for i in rng.permutation(len(names))] for names in by_domain.values()], 2)
    fit, test = sorted(halves[0], key=lambda at: at[0]), halves[1]
    by_domain_fit: dict[str, list[str]] = {}
    for domain_index, name in fit:
        by_domain_fit.setdefault(str(domain_index), []).append(name)
    thirds = _dealt([[names[i] for i in rng.permutation(len(names))] for names in by_domain_fit.values()], 3)
    extract, select = thirds[0] + thirds[1], thirds[2]
    if not select:
        select, extract = extract[-1:], extract[:-1]
    return Split(
        extract=frozenset(name for _, name in extract),
        select=frozenset(name for _, name in select),
        test=frozenset(name for _, name in test),
    )


def _dealt(strata: Sequence[Sequence[str]], hands: int) -> list[list[tuple[int, str]]]:
    """Names dealt round to ``hands``, going on from one stratum to the next, each with its stratum's number."""
    dealt: list[list[tuple[int, str]]] = [[] for _ in range(hands)]
    turn = 0
    for number, names in enumerate(strata):
        for name in names:
            dealt[turn % hands].append((number, name))
            turn += 1
    return dealt
