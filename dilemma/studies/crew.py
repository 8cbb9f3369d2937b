"""Several processes for one study. They run its episodes; this process alone writes, and holds the budget.

Each member reads the store by itself, and sends what is to be stored here; a row is acknowledged once it is committed,
as in a single process. Equal requests arise within one episode alone (a key holds case, cell, repeat and turn), and an
episode runs in one process, so that single-flight holds. A member that dies takes the study down, resumable.
"""

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from dilemma.studies.channel import Channel
from dilemma.studies.traffic import Traffic, together
from dilemma_kernel.errors import BudgetExhausted, DilemmaError
from dilemma_kernel.models.budget import Budget
from dilemma_kernel.models.config import ModelConfig
from dilemma_kernel.records import Judgement
from trajectories import Store

_MEMBER: Final = "from dilemma.studies.crew_member import main; main()"


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What a member is told once."""

    url: str
    study: str
    attempts: Mapping[str, int]
    """Its share: episode_id -> the attempt to make."""
    concurrency: int | None
    usd: float | None
    """Of the budget; None for no bound in dollars."""
    has_budget: bool
    reuse: str | None
    models: ModelConfig
    environ: Mapping[str, str] = field(repr=False)
    """Where keys are read from. It travels through the pipe and is kept nowhere."""


class Crew:
    """Processes that run episodes.

    Args:
        size: how many.
        url: the store, which each reads by itself.
        models: aliases, overrides and the environment.
    """

    def __init__(self, size: int, url: str, models: ModelConfig) -> None:
        self._size = size
        self._url = url
        self._models = models
        self._traffic: dict[int, Mapping[str, Traffic]] = {}

    def traffic(self) -> dict[str, Traffic]:
        """What each model was asked so far, over all processes."""
        return together(self._traffic.values())

    async def run(
        self,
        store: Store,
        study: str,
        attempts: Mapping[str, int],
        concurrency: int | None,
        budget: Budget | None,
        reuse: str | None,
        ended: Callable[[Judgement], None],
    ) -> None:
        """Run the episodes of ``attempts``.

        Args:
            store: takes what is to be stored.
            study: name of the study, which is stored with its scenarios.
            attempts: episode_id -> the attempt to make.
            concurrency: episodes at once, over all processes.
            budget: what the study may spend, over all processes.
            reuse: another study, whose replies to equal requests are taken.
            ended: is told the label of each episode once it is stored.

        Raises:
            BudgetExhausted: the next call would pass the budget.
            DilemmaError: a process failed or died; what was stored stays.
        """
        ids = list(attempts)
        each = None if concurrency is None else max(1, round(concurrency / self._size))
        stopped: list[BudgetExhausted] = []
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(min(self._size, len(ids))):
                    share = {episode: attempts[episode] for episode in ids[number :: self._size]}
                    orders = Orders(
                        url=self._url,
                        study=study,
                        attempts=share,
                        concurrency=each,
                        usd=budget.usd if budget else None,
                        has_budget=budget is not None,
                        reuse=reuse,
                        models=self._models,
                        environ=self._models.environ,
                    )
                    member = _Member(number, store, budget, ended, self._traffic, stopped)
                    group.create_task(member.run(orders))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if stopped:
            raise stopped[0]


@dataclass(kw_only=False)
class _Member:
    """This process's side of one member."""

    number: int
    store: Store
    budget: Budget | None
    ended: Callable[[Judgement], None]
    traffic: dict[int, Mapping[str, Traffic]]
    stopped: list[BudgetExhausted]

    async def run(self, orders: Orders) -> None:
        """Start it, serve it until it is done, and leave nothing of it behind."""
        command = [sys.executable, "-c", _MEMBER]
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        assert process.stdout is not None
        assert process.stdin is not None
        channel = Channel(process.stdout, process.stdin)
        try:
            await channel.tell(sys.path, pickle.dumps(orders))
            await self._serve(channel)
        finally:
            await _end(process)

    async def _serve(self, channel: Channel) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                if failure := await self._listen(channel, group):
                    raise failure
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _listen(self, channel: Channel, group: asyncio.TaskGroup) -> DilemmaError | None:
        """Do what the member asks for until it is done; returns what it failed with."""
        while (message := await channel.receive()) is not None:
            match message:
                case ("ask", number, *question):
                    group.create_task(self._answer(channel, number, *question))
                case ("settle", reserved, usd):
                    assert self.budget is not None
                    self.budget.settle(reserved, usd)
                case ("ended", label):
                    self.ended(label)
                case ("traffic", counts):
                    self.traffic[self.number] = counts
                case ("done",):
                    return None
                case ("stopped", error):
                    self.stopped.append(error)
                    return None
                case ("failed", DilemmaError() as failure):
                    return failure
        return DilemmaError("a process of this study died; what was stored stays, and --resume goes on")

    async def _answer(self, channel: Channel, number: int, kind: str, what: Any) -> None:
        found: Any = None
        try:
            if kind == "rows":
                found = await self.store.add_rows(what)
            else:
                assert self.budget is not None
                await self.budget.reserve(what)
        except DilemmaError as error:
            found = error
        await channel.tell("answer", number, found)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a member, if it has not ended yet, and close its pipes: to the end, though another's failure cancels this."""
    assert process.stdin is not None
    process.stdin.close()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)  # asyncio's own kill collects the exit code that it then waits for
    ending = asyncio.ensure_future(process.communicate())
    cancelled: asyncio.CancelledError | None = None
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError as error:
            cancelled = error
    process._transport.close()  # type: ignore[attr-defined]  # by itself it closes later, perhaps after the loop has
    if cancelled is not None:
        raise cancelled
