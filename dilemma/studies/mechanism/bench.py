"""The bench: a lab behind a store, so that nothing that was measured is measured again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dilemma.studies.mechanism.logs import AppendedLog
from dilemma.studies.watching import Tally, Watcher
from dilemma_kernel.models.transformers import Generated
from dilemma_kernel.records import content_hash
from dilemma_kernel.statistics.clusters import Array
from refusal_mechanism.cases import Case, Judge, Judged, Mode, Reply, Rows
from refusal_mechanism.conditions import fingerprint, of_rows, row_parts
from refusal_mechanism.files import load_arrays, save_arrays
from refusal_mechanism.interventions import Condition
from refusal_mechanism.lab import Lab
from refusal_mechanism.measuring import decision_scores, first_tokens

T = TypeVar("T")

MEASURED_BY = "1"
"""Version of what a key stands for. Changes when the same key could be measured otherwise."""
CHUNK = 32
"""Prompts whose residuals are stored together, and whose unmodified logits are held at once."""


@dataclass(kw_only=True)
class Bench:
    """Replies, residuals and scores of one model, each measured once."""

    lab: Lab
    judge: Judge
    unmodified: Mapping[tuple[str, Mode], Judged]
    folder: Path
    replies_log: AppendedLog
    scores_log: AppendedLog
    watcher: Watcher
    model: str
    """What tells the weights apart: their fingerprint and dtype."""
    max_tokens: int
    table: str = ""
    """What is being made, as progress says it."""
    _judged: dict[str, Judged] = field(default_factory=dict)

    def before(self, mode: Mode, cases: Sequence[Case]) -> Rows:
        """What the unmodified model did, by the transfer study."""
        return Rows(cases=tuple(cases), judged=tuple(self.unmodified[case.key, mode] for case in cases))

    def replies(self, mode: Mode, cases: Sequence[Case], conditions: Sequence[Condition]) -> list[Rows]:
        """Judged replies to the cases' prompts under each condition; those that are stored are not written again.

        Args:
            mode: which of the prompts.
            cases: the cases; what is indexed in a condition is indexed by them.
            conditions: what is done.
        """
        prompts = [case.prompts[mode] for case in cases]
        keys = [self._keys(prompts, condition, ("reply", self.max_tokens)) for condition in conditions]
        for rows, wanted in _missing(keys, self.replies_log):
            self._generate(prompts, keys, conditions, rows, wanted)
        self.replies_log.sync()
        return [
            Rows(
                cases=tuple(cases),
                judged=tuple(self._read(case, mode, key) for case, key in zip(cases, own, strict=True)),
            )
            for own in keys
        ]

    def _generate(
        self,
        prompts: Sequence[str],
        keys: Sequence[Sequence[str]],
        conditions: Sequence[Condition],
        rows: tuple[int, ...],
        wanted: Sequence[int],
    ) -> None:
        tell = self._telling([conditions[index].name for index in wanted], len(rows) * len(wanted))

        def keep(condition: int, row: int, reply: Generated) -> None:
            self.replies_log.put(keys[wanted[condition]][rows[row]], {"text": reply.text, "finish": reply.finish})
            tell(condition)

        self.lab.generate(
            [prompts[row] for row in rows],
            [of_rows(conditions[index], rows) for index in wanted],
            max_new_tokens=self.max_tokens,
            on_reply=keep,
        )

    def _read(self, case: Case, mode: Mode, key: str) -> Judged:
        if key not in self._judged:
            stored = self.replies_log[key]
            self._judged[key] = self.judge(case, mode, Reply(text=stored["text"], finish=stored["finish"]))
        return self._judged[key]

    def scores(
        self, prompts: Sequence[str], conditions: Sequence[Condition], tokens: Sequence[int]
    ) -> tuple[Array, Array]:
        """KL from the unmodified model, and refusal log-odds, at the decision token.

        Args:
            prompts: rendered texts.
            conditions: what is done.
            tokens: tokens that begin refusals.

        Returns:
            (condition, prompt) each.
        """
        keys = [self._keys(prompts, condition, ("score", *tokens)) for condition in conditions]
        tell = self._telling(
            [one.name for one in conditions], sum(key not in self.scores_log for own in keys for key in own)
        )
        for rows in _chunks(range(len(prompts))):
            part = [[own[row] for row in rows] for own in keys]
            for kept_rows, wanted in _missing(part, self.scores_log):
                self._score(prompts, keys, conditions, [rows[at] for at in kept_rows], wanted, tokens, tell)
        self.scores_log.sync()
        found = np.array([[self.scores_log[key] for key in own] for own in keys], dtype=np.float64)
        kl, odds = np.moveaxis(found.reshape(len(conditions), len(prompts), 2), -1, 0)
        return kl, odds

    def _score(
        self,
        prompts: Sequence[str],
        keys: Sequence[Sequence[str]],
        conditions: Sequence[Condition],
        rows: Sequence[int],
        wanted: Sequence[int],
        tokens: Sequence[int],
        tell: Callable[[int], None],
    ) -> None:
        def keep(condition: int, row: int, kl: float, odds: float) -> None:
            self.scores_log.put(keys[wanted[condition]][rows[row]], [kl, odds])
            tell(wanted[condition])

        decision_scores(
            self.lab,
            [prompts[row] for row in rows],
            [of_rows(conditions[index], rows) for index in wanted],
            tokens,
            keep,
        )

    def first(self, prompts: Sequence[str]) -> list[int]:
        """The token that a greedy reply of the unmodified model begins with."""
        keys = [content_hash([MEASURED_BY, self.model, "first", prompt], 32) for prompt in prompts]
        missing = [row for row, key in enumerate(keys) if key not in self.scores_log]
        for rows in _chunks(missing):
            tokens = first_tokens(self.lab, [prompts[row] for row in rows])
            for row, token in zip(rows, tokens, strict=True):
                self.scores_log.put(keys[row], token)
        return [int(self.scores_log[key]) for key in keys]

    def states(self, mode: Mode, cases: Sequence[Case]) -> NDArray[np.float32]:
        """Residuals at the decision token of the unmodified model, (row, site, d_model) float32, stored in chunks."""
        tell = self._telling([f"residuals, {mode}"], len(cases))
        parts = []
        for number, chunk in enumerate(_chunks(cases)):
            prompts = [case.prompts[mode] for case in chunk]
            key = content_hash([MEASURED_BY, self.model, prompts], 16)
            path = self.folder / "activations" / f"{mode}-{number:04d}-{key}.safetensors"
            stored = load_arrays(path)
            if stored is None:
                stored = {"residuals": self.lab.residuals(prompts).numpy()}
                save_arrays(path, stored, {"cases": " ".join(case.key for case in chunk), "mode": mode})
            parts.append(stored["residuals"].astype(np.float32, copy=False))
            for _ in chunk:
                tell(0)
        return np.concatenate(parts) if parts else np.empty((0, self.lab.layers + 1, self.lab.width), np.float32)

    def _keys(self, prompts: Sequence[str], condition: Condition, what: tuple[object, ...]) -> list[str]:
        marks = fingerprint(condition)
        return [
            content_hash([MEASURED_BY, self.model, list(what), row_parts(condition, marks, row), prompt], 32)
            for row, prompt in enumerate(prompts)
        ]

    def _telling(self, names: Sequence[str], total: int) -> Callable[[int], None]:
        """A function to call after each row with the index of its condition."""
        tally = Tally(total=total)

        def tell(index: int) -> None:
            tally.done += 1
            tally.state = f"{self.table} · {names[index]}"
            self.watcher.update(tally)

        return tell


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def _missing(keys: Sequence[Sequence[str]], log: AppendedLog) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Rows that are not stored yet, each set of rows once with the conditions that lack exactly these."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, own in enumerate(keys):
        rows = tuple(row for row, key in enumerate(own) if key not in log)
        if rows:
            groups.setdefault(rows, []).append(index)
    yield from groups.items()
