"""Concurrent questions answered together: whatever waits is taken as soon as the one who answers is free."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")


class Gatherer(Generic[Q, A]):
    """Gathers questions into batches, with no timer.

    Args:
        answer: answers a batch, in order; runs on ``thread``. What it raises is raised to all who asked in it.
        thread: one worker.
        most: questions in a batch at most.
    """

    def __init__(self, answer: Callable[[Sequence[Q]], Sequence[A]], thread: Executor, most: int) -> None:
        self._answer = answer
        self._thread = thread
        self._most = most
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._task: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> A:
        """The answer to ``question``."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[A] = loop.create_future()
        self._waiting.append((question, future))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        await asyncio.sleep(0)  # those who ask in the same breath come along
        while waiting := [(question, future) for question, future in self._waiting if not future.done()]:
            taken, self._waiting = waiting[: self._most], waiting[self._most :]
            await self._settle(taken)
            await asyncio.sleep(0)
        self._waiting = []

    async def _settle(self, taken: Sequence[tuple[Q, "asyncio.Future[A]"]]) -> None:
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.run_in_executor(self._thread, self._answer, [question for question, _ in taken])
        except Exception as error:
            for _, future in taken:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), answer in zip(taken, answers, strict=True):
            if not future.done():
                future.set_result(answer)
