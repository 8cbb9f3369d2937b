"""One process of a crew: it runs its share of a study's episodes, and sends what is to be stored to its parent."""

import asyncio
import ctypes
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from typing import Any

from dilemma.studies.channel import Channel
from dilemma.studies.crew import Orders
from dilemma.studies.participants import Participants
from dilemma.studies.plan import jobs, truth_of
from dilemma.studies.running import run_here
from dilemma_kernel.errors import BudgetExhausted, DilemmaError
from dilemma_kernel.models.budget import Budget
from dilemma_kernel.records import Judgement
from trajectories import open_store

_REPORTS_EVERY_S = 0.5
_PR_SET_PDEATHSIG = 1
"""From linux/prctl.h."""


class DistantBudget(Budget):
    """The parent's budget. Every reservation is asked for there."""

    def __init__(self, usd: float | None, channel: Channel) -> None:
        super().__init__(usd)
        self._channel = channel
        self._told: set[asyncio.Task[None]] = set()

    async def reserve(self, usd: float) -> None:
        await self._channel.ask("reserve", usd)

    def settle(self, reserved_usd: float, usd: float) -> None:
        task = asyncio.get_running_loop().create_task(self._channel.tell("settle", reserved_usd, usd))
        self._told.add(task)
        task.add_done_callback(self._told.discard)


def main() -> None:
    """Run until the share is done or the parent is gone. Standard output is the channel; prints go to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends this process
    _die_with_parent()
    speech = os.dup(1)
    os.dup2(2, 1)
    asyncio.run(_live(speech))


def _die_with_parent() -> None:
    """Linux kills this process with its parent; elsewhere it notices the end of its input, a moment later."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


async def _live(speech: int) -> None:
    channel = await _channel(speech)
    greeting = await channel.receive()
    if greeting is None:
        return
    sys.path[:] = greeting[0]
    work = asyncio.create_task(_work(pickle.loads(greeting[1]), channel))
    listening = asyncio.create_task(_listen(channel))
    await asyncio.wait({work, listening}, return_when=asyncio.FIRST_COMPLETED)
    if not work.done():
        os._exit(1)  # the parent is gone: nothing more can be stored
    listening.cancel()


async def _listen(channel: Channel) -> None:
    """Hand answers on, until the parent is gone."""
    while (message := await channel.receive()) is not None:
        channel.answered(message[1], message[2])


async def _work(orders: Orders, channel: Channel) -> None:
    try:
        await _run(orders, channel)
    except BudgetExhausted as error:
        await channel.tell("stopped", error)
    except DilemmaError as error:
        await channel.tell("failed", DilemmaError(str(error)) if _is_awkward(error) else error)
    except Exception as error:
        words = " ".join(str(error).split())[:300]
        await channel.tell("failed", DilemmaError(f"a process of this study failed: {type(error).__name__}: {words}"))
    else:
        await channel.tell("done")


async def _run(orders: Orders, channel: Channel) -> None:
    async def forward(rows: Sequence[Any]) -> bool:
        return bool(await channel.ask("rows", rows))

    models = orders.models.model_copy(update={"environ": orders.environ})
    async with open_store(orders.url, read_only=True, forward=forward) as store:
        record = await store.study(orders.study)
        assert record is not None
        scenarios = await store.scenarios(orders.study)
        participants = Participants()
        participants.resolve(record, models)
        participants.truth = truth_of(record, scenarios)
        budget = DistantBudget(orders.usd, channel) if orders.has_budget else None
        other = None if orders.reuse is None else (orders.reuse, store.call_log(orders.reuse))
        log = store.call_log(record.name)
        log.counts_ahead = orders.has_budget
        participants.wrap(log, record.name, budget, other)
        told: set[asyncio.Task[None]] = set()

        def ended(label: Judgement) -> None:
            told.add(asyncio.get_running_loop().create_task(channel.tell("ended", label)))

        reports = asyncio.create_task(_report(participants, channel))
        try:
            mine = [job for job in jobs(record, scenarios) if job.episode_id in orders.attempts]
            await run_here(store, record, mine, orders.attempts, participants, orders.concurrency, ended)
        finally:
            reports.cancel()
            await asyncio.gather(*told)
            await channel.tell("traffic", participants.traffic())
            await participants.aclose()


async def _report(participants: Participants, channel: Channel) -> None:
    while True:
        await asyncio.sleep(_REPORTS_EVERY_S)
        await channel.tell("traffic", participants.traffic())


async def _channel(speech: int) -> Channel:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", buffering=0))
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop), os.fdopen(speech, "wb", buffering=0)
    )
    return Channel(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


def _is_awkward(error: DilemmaError) -> bool:
    """Whether an error does not come through a pickle as it went."""
    try:
        return str(pickle.loads(pickle.dumps(error))) != str(error)
    except Exception:
        return True
