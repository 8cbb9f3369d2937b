"""Greedy replies of every prompt under every condition, as rows of batches that lose what is finished."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from dilemma_kernel.models.transformers import Generated
from refusal_mechanism.batching import Budget, Unit, unless_out_of_memory
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.passes import Started, Workbench, follow, keep, start

OnReply = Callable[[int, int, Generated], None]
"""Told the condition, the prompt and the reply, as each is finished."""


@dataclass(eq=False, kw_only=True)
class Replies:
    """Replies being written, batch by batch.

    Args:
        bench: the model, prompts and conditions.
        budget: of a batch.
        queue: what waits, the longest first.
        most: new tokens of a reply.
        told: hears of each reply.
    """

    bench: Workbench
    budget: Budget
    queue: deque[Unit]
    most: int
    told: OnReply
    _hooks: Hooks = field(init=False)
    _drawn: dict[tuple[int, int], list[int]] = field(init=False, default_factory=dict)

    def write(self) -> None:
        """All of them."""
        with Hooks(self.bench.layout).attached() as self._hooks:
            while self.queue:
                units = self.budget.take(self.queue, self._width)
                if unless_out_of_memory(self._batch, units) is None:
                    self._give_back(units)

    def _width(self, unit: Unit) -> int:
        return len(self.bench.prompts[unit.prompt]) + self.most

    def _batch(self, units: list[Unit]) -> bool:
        self._drawn = {(condition, unit.prompt): [] for unit in units for condition in unit.conditions}
        started = start(self.bench, self._hooks, units)
        while True:
            tokens = started.logits.argmax(dim=-1)
            unfinished = self._heard(started, tokens.tolist())
            if not unfinished:
                return True
            if len(unfinished) < len(started.rows):
                tokens = tokens[torch.tensor(unfinished, device=tokens.device)]
                keep(started, unfinished)
            follow(self.bench, self._hooks, started, tokens)

    def _heard(self, started: Started, tokens: list[int]) -> list[int]:
        """Rows that go on after these tokens; the others are told."""
        unfinished = []
        for row, (key, token) in enumerate(zip(started.rows, tokens, strict=True)):
            self._drawn[key].append(token)
            if token in self.bench.loaded.ends or len(self._drawn[key]) == self.most:
                drawn = self._drawn.pop(key)
                self.told(*key, self.bench.loaded.replied(drawn, len(self.bench.prompts[key[1]])))
            else:
                unfinished.append(row)
        return unfinished

    def _give_back(self, units: list[Unit]) -> None:
        """Memory ran out: what has no reply yet waits again, and batches are halved."""
        left = [Unit(u.prompt, tuple(c for c in u.conditions if (c, u.prompt) in self._drawn)) for u in units]
        waiting = [unit for unit in left if unit.conditions]
        self.queue.extendleft(reversed(waiting))
        self.budget.halve(len(self._drawn), max(map(self._width, waiting)))
