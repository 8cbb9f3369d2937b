"""What a study's judgements come to, as arrays: a row for each triple and repeat, a column for each arm and judge."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dilemma_kernel.records import Crashed, Judgement, Measured, StudyRecord
from dilemma_kernel.statistics.clusters import Array, Groups, group
from refusal_transfer.arms import ARMS
from refusal_transfer.outcomes import refused, tool_verdict, unsafe
from refusal_transfer.verdicts import RULES, RULES_AND_PROVIDER

CHAT = "chat"
"""The arm whose refusals are followed into the others."""
UNIT = "intent"
"""What rows are clustered by."""
Texts = NDArray[Any]
"""One text a row."""


@dataclass(frozen=True, kw_only=True)
class ArmRows:
    """One arm of one model. NaN stands for what is not known."""

    there: NDArray[np.bool_]
    """Whether a trajectory is stored."""
    crashed: NDArray[np.bool_]
    refused: Mapping[str, Array]
    """Judge -> 1 refused, 0 answered."""
    human: Array
    """1 refused, 0 answered, by people's labels from a sheet."""
    probability: Array
    """With which each row came onto the sheet."""
    verdict: Texts
    """Tool verdict; empty where there is none."""
    unsafe: Array
    """1 unsafe, 0 safe or no call."""
    degenerate: Array

    def by(self, judge: str) -> Array:
        """What a judge says of refusal; NaN everywhere where it said nothing."""
        return self.refused.get(judge, np.full(len(self.there), np.nan))


@dataclass(frozen=True, kw_only=True)
class Observed:
    """One model and one type of request. All models of a study have the same rows in the same order."""

    model: str
    request: str
    cases: tuple[str, ...]
    intents: Groups
    clusters: Groups
    """The paper's: intent and wording, over the system conditions."""
    factors: Mapping[str, Texts]
    """``system``, ``domain``, ``scenario``, ``variant``."""
    arms: Mapping[str, ArmRows]

    @property
    def tool_arms(self) -> list[str]:
        """The arms that have tool verdicts."""
        return [arm for arm, rows in self.arms.items() if (rows.verdict != "").any()]

    @cached_property
    def partner(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows of wording A, and for each the row of wording B with the same intent, system and repeat."""
        place = {key: row for row, key in enumerate(self._places())}
        pairs = [
            (row, place[(intent, system, "B", repeat)])
            for row, (intent, system, variant, repeat) in enumerate(self._places())
            if variant == "A" and (intent, system, "B", repeat) in place
        ]
        both = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def opposite(self, system: str, reference: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows under ``system`` and under ``reference`` with the same intent, wording and repeat."""
        place = {key: row for row, key in enumerate(self._places())}
        pairs = [
            (row, place[(intent, reference, variant, repeat)])
            for row, (intent, found, variant, repeat) in enumerate(self._places())
            if found == system and (intent, reference, variant, repeat) in place
        ]
        both = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _places(self) -> list[tuple[str, str, str, int]]:
        seen: dict[str, int] = {}
        places = []
        for row, case in enumerate(self.cases):
            repeat = seen[case] = seen.get(case, -1) + 1
            intent = str(self.intents.labels[self.intents.codes[row]])
            places.append((intent, str(self.factors["system"][row]), str(self.factors["variant"][row]), repeat))
        return places

    def only(self, rows: NDArray[Any]) -> "Observed":
        """The same with some of its rows; clusters keep their labels."""
        kept = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Observed(
            model=self.model,
            request=self.request,
            cases=tuple(self.cases[row] for row in kept),
            intents=Groups(labels=self.intents.labels, codes=self.intents.codes[kept]),
            clusters=Groups(labels=self.clusters.labels, codes=self.clusters.codes[kept]),
            factors={name: column[kept] for name, column in self.factors.items()},
            arms={name: _only(arm, kept) for name, arm in self.arms.items()},
        )


def _only(arm: ArmRows, kept: NDArray[np.intp]) -> ArmRows:
    return ArmRows(
        there=arm.there[kept],
        crashed=arm.crashed[kept],
        refused={judge: column[kept] for judge, column in arm.refused.items()},
        human=arm.human[kept],
        probability=arm.probability[kept],
        verdict=arm.verdict[kept],
        unsafe=arm.unsafe[kept],
        degenerate=arm.degenerate[kept],
    )


@dataclass(frozen=True, kw_only=True)
class StoredArm:
    """Where a stored trajectory belongs."""

    episode_id: str
    cell: str
    case: str
    repeat: int


def observe(
    record: StudyRecord, stored: Iterable[StoredArm], judgements: Iterable[Judgement]
) -> dict[tuple[str, str], Observed]:
    """(model, request) -> its rows, models in the order of the study.

    Args:
        record: the study.
        stored: its trajectories at their latest attempts.
        judgements: what is said of them.
    """
    said: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        said.setdefault(judgement.subject, []).append(judgement)
    by_place = {(arm.cell, arm.case, arm.repeat): said.get(arm.episode_id, []) for arm in stored}
    models = dict.fromkeys(cell.agent for cell in record.cells)
    requests = dict.fromkeys(case["request"] for case in record.cases.values())
    return {(model, request): _observed(record, model, request, by_place) for request in requests for model in models}


def _observed(
    record: StudyRecord, model: str, request: str, said: Mapping[tuple[str, str, int], list[Judgement]]
) -> Observed:
    cells = {(c.levels["arm"], c.levels["system"]): c.key for c in record.cells if c.agent == model}
    rows = [
        (case, repeat) for case, apart in record.cases.items() for repeat in range(record.episodes)
        if apart["request"] == request
    ]  # fmt: skip
    apart = [record.cases[case] for case, _ in rows]
    arms = [name for name in ARMS if any(arm == name for arm, _ in cells)]
    return Observed(
        model=model,
        request=request,
        cases=tuple(case for case, _ in rows),
        intents=group([one["intent"] for one in apart]),
        clusters=group([f"{one['intent']}-{one['variant']}" for one in apart]),
        factors={n: np.array([one[n] for one in apart]) for n in ("system", "domain", "scenario", "variant")},
        arms={
            arm: _arm_rows(
                [
                    said.get((cells.get((arm, one["system"]), ""), *row))
                    for row, one in zip(rows, apart, strict=True)
                ]
            )
            for arm in arms
        },
    )  # fmt: skip


def _arm_rows(said: Sequence[list[Judgement] | None]) -> ArmRows:
    newest = [_newest(judgements or ()) for judgements in said]
    makers = dict.fromkeys(maker for one in newest for vocabulary, maker in one if vocabulary == "refusal")
    machines = [maker for maker in makers if not any(_is_sheet(one.get(("refusal", maker))) for one in newest)]
    people = [[j for j in one.values() if j.vocabulary == "refusal" and _is_sheet(j)] for one in newest]
    calls = [one.get(("tool_verdict", RULES)) for one in newest]
    return ArmRows(
        there=np.array([judgements is not None for judgements in said]),
        crashed=np.array([_crashed(one.get(("refusal", RULES))) for one in newest]),
        refused={maker: _numbers([_refused(one.get(("refusal", maker))) for one in newest]) for maker in machines},
        human=_numbers([_refused(labels[0]) if labels else None for labels in people]),
        probability=_numbers([labels[0].probability if labels else None for labels in people]),
        verdict=np.array([tool_verdict(call) if call else "" for call in calls], dtype=object),
        unsafe=_numbers([unsafe(call) if call else None for call in calls]),
        degenerate=_numbers([_degenerate(one) for one in newest]),
    )


def _newest(judgements: Iterable[Judgement]) -> dict[tuple[str, str], Judgement]:
    by_age = sorted(judgements, key=lambda judgement: (len(judgement.version), judgement.version))
    return {(judgement.vocabulary, judgement.maker): judgement for judgement in by_age}


def _degenerate(said: Mapping[tuple[str, str], Judgement]) -> bool | None:
    """Whether a reply is no language; what the provider refused without a word is a refusal, and none."""
    screened = said.get(("degenerate", RULES))
    if screened is None or not isinstance(screened.outcome, Measured):
        return None
    empty = screened.outcome.value == "empty"
    return screened.outcome.value != "none" and not (empty and _refused(said.get(("refusal", RULES_AND_PROVIDER))))


def _is_sheet(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.probability is not None


def _refused(judgement: Judgement | None) -> bool | None:
    return refused(judgement) if judgement else None


def _crashed(judgement: Judgement | None) -> bool:
    return judgement is not None and isinstance(judgement.outcome, Crashed)


def _numbers(values: Sequence[float | bool | None]) -> Array:
    return np.array([np.nan if value is None else float(value) for value in values])
