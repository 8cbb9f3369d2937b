"""Which rows go through the model together: alike in length, bounded in tokens, fewer when memory runs out."""

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import torch

from dilemma_kernel.errors import InputError
from refusal_mechanism.interventions import Condition
from refusal_mechanism.stems import families

Given = TypeVar("Given")
Made = TypeVar("Made")
MOST_ROWS = 256
"""Of a batch, however short they are."""


@dataclass(frozen=True)
class Unit:
    """One prompt under conditions that do the same to all its tokens but the last, and so share them."""

    prompt: int
    conditions: tuple[int, ...]
    family: int = 0
    """Of prompts that begin alike."""


def make_units(prompts: Sequence[list[int]], conditions: Sequence[Condition]) -> deque[Unit]:
    """Every prompt under every condition: families together, and the longest prompts first.

    Args:
        prompts: as tokens.
        conditions: those that have the same edits everywhere, the very same objects, are put together.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, condition in enumerate(conditions):
        groups.setdefault(condition.everywhere, []).append(index)
    family = families(prompts)
    longest: dict[int, int] = {}
    for prompt, tokens in enumerate(prompts):
        longest[family[prompt]] = max(longest.get(family[prompt], 0), len(tokens))
    order = sorted(range(len(prompts)), key=lambda at: (-longest[family[at]], family[at], -len(prompts[at])))
    return deque(Unit(prompt, tuple(group), family[prompt]) for prompt in order for group in groups.values())


class Budget:
    """How many tokens of prompts and replies a batch may hold.

    Args:
        tokens: at first; halved when memory runs out.
        notify: told once that it did.
    """

    def __init__(self, tokens: int, notify: Callable[[str], None]) -> None:
        self.tokens = max(tokens, 1)
        self._notify = notify
        self._told = False

    def take(self, queue: deque[Unit], width: Callable[[Unit], int], beside: int = 0) -> list[Unit]:
        """The next units, taken from the queue; at least one row of one, where nothing runs beside.

        Args:
            queue: the longest first.
            width: tokens of one row of a unit, those still to be generated included.
            beside: rows that are in the batch already.
        """
        taken: list[Unit] = []
        rows, widest = beside, 0
        while queue:
            widest = max(widest, width(queue[0]))
            most = min(self.tokens // widest, MOST_ROWS) - rows
            if most < 1 and rows:
                break
            unit, rest = _split(queue.popleft(), max(most, 1))
            if rest is not None:
                queue.appendleft(rest)
            taken.append(unit)
            rows += len(unit.conditions)
        return taken

    def halve(self, rows: int, width: int) -> None:
        """Memory ran out.

        Args:
            rows: of the batch that did not fit.
            width: tokens of its longest row.

        Raises:
            InputError: it was one row.
        """
        if rows <= 1:
            raise InputError(
                f"one prompt of {width} tokens, reply included, does not fit in memory: "
                "use fewer new tokens, a smaller dtype, or a device_map"
            )
        self.tokens = rows * width // 2
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if not self._told:
            self._notify(f"out of memory with {rows} rows of {width} tokens: going on with half, {self.tokens} tokens")
        self._told = True


def in_batches(
    queue: deque[Unit], width: Callable[[Unit], int], budget: Budget, run: Callable[[Sequence[Unit]], Made]
) -> Iterator[tuple[Sequence[Unit], Made]]:
    """What ``run`` makes of every unit, batch by batch; a batch for which memory ran out is run again in halves."""
    while queue:
        units = budget.take(queue, width)
        made = unless_out_of_memory(run, units)
        if made is None:
            queue.extendleft(reversed(units))
            budget.halve(count_rows(units), max(map(width, units)))
        else:
            yield units, made


def unless_out_of_memory(run: Callable[[Given], Made], given: Given) -> Made | None:
    """What ``run`` makes of what is given; None where memory ran out."""
    try:
        return run(given)
    except (RuntimeError, MemoryError) as error:
        if not _is_out_of_memory(error):
            raise
    return None


def count_rows(units: Iterable[Unit]) -> int:
    """Rows that units make together."""
    return sum(len(unit.conditions) for unit in units)


def _split(unit: Unit, most: int) -> tuple[Unit, Unit | None]:
    """A unit of at most so many rows, and the rest of it."""
    first, rest = unit.conditions[:most], unit.conditions[most:]
    return replace(unit, conditions=first), replace(unit, conditions=rest) if rest else None


def _is_out_of_memory(error: BaseException) -> bool:
    said = str(error).lower()
    known = ("out of memory", "can't allocate memory", "not enough memory", "alloc_failed")
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or any(text in said for text in known)
