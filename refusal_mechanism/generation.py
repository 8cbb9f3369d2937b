"""Greedy replies of every prompt under every condition: finished rows leave their batch, waiting ones join it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dilemma_kernel.models.transformers import Generated
from refusal_mechanism.batching import MOST_ROWS, Budget, Unit, unless_out_of_memory
from refusal_mechanism.hooks import Hooks
from refusal_mechanism.passes import Read, Workbench, follow, join, keep
from refusal_mechanism.reading import read_prompts

OnReply = Callable[[int, int, Generated], None]
"""Told the condition, the prompt and the reply, as each is finished."""
_LEAVE = 8
"""Finished rows leave when they are one in so many: leaving copies the cache of those that stay."""
_JOIN = 2
"""Others join when this many times the rows would fit."""


@dataclass(eq=False, kw_only=True)
class Replies:
    """Replies being written."""

    bench: Workbench
    budget: Budget
    """Of a batch."""
    queue: deque[Unit]
    """What waits, the longest first."""
    most: int
    """New tokens of a reply."""
    told: OnReply
    _hooks: Hooks = field(init=False)
    _read: Read | None = field(init=False, default=None)
    _units: list[Unit] = field(init=False, default_factory=list)
    """Those begun, of which some rows are unfinished."""
    _drawn: dict[tuple[int, int], list[int]] = field(init=False, default_factory=dict)
    """Tokens of the unfinished."""

    def write(self) -> None:
        """All of them."""
        with Hooks(self.bench.layout).attached() as self._hooks:
            while self.queue or self._drawn:
                units = self._take()
                self._units = [*self._unfinished(), *units]
                self._drawn |= {(condition, unit.prompt): [] for unit in units for condition in unit.conditions}
                if unless_out_of_memory(self._advance, units) is None:
                    self._give_back()

    def _take(self) -> list[Unit]:
        """Units that join now; none while the batch is well filled."""
        beside, held = len(self._drawn), 0 if self._read is None else self._read.mask.shape[1]
        filled = max(beside * (held + self.most) / self.budget.tokens, beside / MOST_ROWS)
        if not self.queue or _JOIN * filled > 1:
            return []
        return self.budget.take(self.queue, lambda unit: max(self._width(unit), held + self.most), beside)

    def _advance(self, units: list[Unit]) -> bool:
        """One token more for every unfinished row, and the first for those that join."""
        running = [] if self._read is None else [self._next(self._read)]
        begun = read_prompts(self.bench, self._hooks, units, self.most) if units else []
        fresh = [self._heard(read) for read in begun]
        reads = [read for read in (*running, *fresh) if read is not None]
        self._read = join(self.bench, reads, self.most) if reads else None
        return True

    def _next(self, read: Read) -> Read | None:
        return self._heard(follow(self.bench, self._hooks, read, read.logits.argmax(dim=-1)))

    def _heard(self, read: Read) -> Read | None:
        """What goes on after the tokens that the model says next; what is finished is told."""
        for key, token in zip(read.rows, read.logits.argmax(dim=-1).tolist(), strict=True):
            if key not in self._drawn:
                continue
            self._drawn[key].append(token)
            if token in self.bench.loaded.ends or len(self._drawn[key]) == self.most:
                self.told(*key, self.bench.loaded.replied(self._drawn.pop(key), len(self.bench.prompts[key[1]])))
        unfinished = [row for row, key in enumerate(read.rows) if key in self._drawn]
        if not unfinished:
            return None
        gone = len(read.rows) - len(unfinished)
        return keep(read, unfinished, self.most) if gone * _LEAVE >= len(read.rows) else read

    def _width(self, unit: Unit) -> int:
        return len(self.bench.prompts[unit.prompt]) + self.most

    def _unfinished(self) -> list[Unit]:
        left = [
            replace(unit, conditions=tuple(each for each in unit.conditions if (each, unit.prompt) in self._drawn))
            for unit in self._units
        ]
        return [unit for unit in left if unit.conditions]

    def _give_back(self) -> None:
        """Memory ran out: what has no reply yet waits again, and batches are halved."""
        waiting = self._unfinished()
        rows, width = len(self._drawn), max(map(self._width, waiting))
        self._read, self._units, self._drawn = None, [], {}
        self.queue.extendleft(reversed(waiting))
        self.budget.halve(rows, width)
