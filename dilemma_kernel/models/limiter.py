"""How many requests may be on their way at once: fewer after a 429, slowly more while all goes well."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass

from dilemma_kernel.errors import RateLimited
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest, Timing

DEFAULT_MOST = 256
DEFAULT_LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True)
class Slot:
    """The right to send one request."""

    since: float
    """When it was given, in seconds of the monotonic clock."""
    waited_s: float


class Limiter:
    """Additive increase, multiplicative decrease (Chiu and Jain, 1989), over the requests in flight to one model.

    A 429 halves the limit, once for all requests that were sent under the same limit; each reply adds ``1 / limit``.
    A Retry-After also pauses new requests, but never for longer than ``longest_pause_s``: a server that asks for an
    hour is asked again before, one request at a time. First come, first served.

    Args:
        most: highest limit, and the first.
        longest_pause_s: longest pause in seconds.
    """

    def __init__(self, most: int = DEFAULT_MOST, *, longest_pause_s: float = DEFAULT_LONGEST_PAUSE_S) -> None:
        self.in_flight = 0
        """Requests on their way."""
        self._most = float(most)
        self._allowed = float(most)
        self._longest_pause_s = longest_pause_s
        self._resume_at = 0.0
        self._lowered_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """Requests that may be on their way at once."""
        return int(self._allowed)

    @property
    def paused_s(self) -> float:
        """Seconds until new requests may be sent; 0 when they may."""
        return max(0.0, self._resume_at - time.monotonic())

    async def acquire(self) -> Slot:
        """Waits until a request may be sent. Every slot must come back through ``release``."""
        asked = time.monotonic()
        if not self._waiting and self._free(asked):
            self.in_flight += 1
            return Slot(asked, 0.0)
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._wake_later()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot had just been given
                self.in_flight -= 1
                self._wake()
            raise
        now = time.monotonic()
        return Slot(now, now - asked)

    def release(self, slot: Slot, error: BaseException | None = None) -> None:
        """Gives ``slot`` back, with the error that its request met."""
        self.in_flight -= 1
        fresh = slot.since >= self._lowered_at
        if isinstance(error, RateLimited):
            now = time.monotonic()
            if fresh:
                self._allowed = max(1.0, min(self._allowed, self.in_flight + 1) / 2)
                self._lowered_at = now
            pause = min(error.retry_after or 0.0, self._longest_pause_s)
            self._resume_at = max(self._resume_at, now + pause)
            self._wake_later()
        elif error is None and fresh:
            self._allowed = min(self._most, self._allowed + 1 / self._allowed)
        self._wake()

    def _free(self, now: float) -> bool:
        return self.in_flight < self.limit and now >= self._resume_at

    def _wake(self) -> None:
        now = time.monotonic()
        while self._waiting and self._free(now):
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)

    def _wake_later(self) -> None:
        """Those who wait during a pause are woken at its end."""
        if self._waiting and self.paused_s:
            asyncio.get_running_loop().call_later(self.paused_s + 0.001, self._wake)


class Limited(Wrapper):
    """A model behind a limiter."""

    def __init__(self, model: ChatModel, limiter: Limiter) -> None:
        super().__init__(model)
        self._limiter = limiter

    async def complete(self, request: ChatRequest) -> ChatReply:
        slot = await self._limiter.acquire()
        try:
            reply = await self._model.complete(request)
        except BaseException as error:
            self._limiter.release(slot, error)
            raise
        self._limiter.release(slot)
        return waited(reply, slot.waited_s) if slot.waited_s else reply


def waited(reply: ChatReply, seconds: float, attempts: int = 1) -> ChatReply:
    """``reply`` with the waiting and the attempts that it took written into its timing."""
    timing = reply.timing or Timing(latency_s=0.0)
    changes = {"waited_s": timing.waited_s + seconds, "attempts": attempts}
    return reply.model_copy(update={"timing": timing.model_copy(update=changes)})
