"""A writer's stand-in where another process writes."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from dilemma_kernel.errors import StoreError
from trajectories.rows import Row

T = TypeVar("T")

Forward = Callable[[Sequence[tuple[str, Row]]], Awaitable[bool]]
"""Takes rows (table and row), and returns once they are committed elsewhere, all or none: whether all were new."""


class ForwardingWriter:
    """Hands rows on.

    Args:
        forward: where to.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    async def add(self, rows: Sequence[tuple[str, Row]]) -> bool:
        """Returns once they are committed: whether all of them were new."""
        return await self._forward(rows)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Raises ``StoreError``: work cannot be handed on."""
        raise StoreError("this process of the study adds rows alone; everything else is written by its parent")

    def close(self) -> None:
        """There is nothing to close."""
