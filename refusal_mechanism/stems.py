"""What prompts have in common at their beginning is read once: the system text, the tools of a domain.

Every row stays one run of tokens with padding before it and none within, so that positions, masks and sliding windows
are what they would be without sharing. To that end all rows read the same number of last tokens; a row shorter than
the longest reads again a few that it could have taken.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

SHORTEST = 16
"""Tokens in common that are worth a pass of their own."""


def families(prompts: Sequence[list[int]]) -> list[int]:
    """The family of each prompt, as an index: neighbours in order that have at least half of the longer in common.

    Args:
        prompts: as tokens.
    """
    order = sorted(range(len(prompts)), key=lambda index: prompts[index])
    found = [0] * len(prompts)
    for earlier, later in pairwise(order):
        one, other = prompts[earlier], prompts[later]
        common = common_length(one, other)
        alike = common >= SHORTEST and 2 * common >= max(len(one), len(other))
        found[later] = found[earlier] + (not alike)
    return found


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """How many first tokens two prompts have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@dataclass(frozen=True)
class Stems:
    """What rows take from stems, and what they read themselves."""

    stems: tuple[int, ...]
    """For each stem, a row that it is the beginning of."""
    lengths: tuple[int, ...]
    """Tokens of each stem."""
    of: tuple[int, ...]
    """The stem of each row."""
    taken: tuple[int, ...]
    """How many first tokens each row takes from its stem."""
    read: int
    """How many last tokens every row reads."""


def find_stems(rows: Sequence[list[int]], keys: Sequence[Hashable]) -> Stems:
    """Stems of rows.

    Args:
        rows: prompts as tokens.
        keys: rows with the same key may share a stem: they are of one family and the same is done to them.
    """
    members: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        members.setdefault(key, []).append(row)
    common = {key: min(common_length(rows[of[0]], rows[row][:-1]) for row in of) for key, of in members.items()}
    read = max(len(row) - common[key] for row, key in zip(rows, keys, strict=True))
    taken = [max(len(row) - read, 0) for row in rows]
    numbers = {key: number for number, key in enumerate(members)}
    return Stems(
        stems=tuple(of[0] for of in members.values()),
        lengths=tuple(max(taken[row] for row in of) for of in members.values()),
        of=tuple(numbers[key] for key in keys),
        taken=tuple(taken),
        read=read,
    )
