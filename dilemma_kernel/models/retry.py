"""Asking again: a bounded number of times, only where it may help, and never all at once."""

import asyncio
from dataclasses import dataclass
from random import Random

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from dilemma_kernel.errors import ModelError, ModelTimeout, RateLimited
from dilemma_kernel.models.counters import Counters
from dilemma_kernel.models.limiter import waited
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest


@dataclass(frozen=True)
class RetryPolicy:
    """When to ask again. With its defaults a model that only answers 429 is given up after some two minutes."""

    attempts: int = 8
    """Most requests sent for one reply."""
    timeouts: int = 3
    """Most of them that may end without an answer in time."""
    first_wait_s: float = 1.0
    """Longest wait before the second request; it doubles from one to the next."""
    longest_wait_s: float = 60.0
    """No wait is longer, whatever a server asks for."""

    def wait_s(self, error: BaseException | None, attempt: int, random: Random) -> float:
        """Seconds to wait after ``attempt`` (from 1) failed.

        A server's own wish comes first, with some jitter on top; else it is exponential, half of it jitter.
        """
        asked = getattr(error, "retry_after", None)
        if asked is not None:
            return float(min(asked, self.longest_wait_s)) + random.random() * min(self.first_wait_s, 1.0)
        longest = min(self.longest_wait_s, self.first_wait_s * 2.0 ** (attempt - 1))
        return longest * (0.5 + random.random() / 2)


NO_RETRY = RetryPolicy(attempts=1)


class Retried(Wrapper):
    """A model that is asked again.

    Args:
        model: the model.
        policy: when.
        counters: where retries and waiting are counted.
        random: draws the jitter; it moves clocks and no result.
    """

    def __init__(self, model: ChatModel, policy: RetryPolicy, counters: Counters, random: Random) -> None:
        super().__init__(model)
        self._policy = policy
        self._counters = counters
        self._random = random

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            return await self._attempt(request)
        except ModelError as error:
            failure = error
        return await self._again(request, failure)

    async def _attempt(self, request: ChatRequest) -> ChatReply:
        try:
            reply = await self._model.complete(request)
        except ModelError as error:
            self._counters.attempts += 1
            self._counters.rate_limited += isinstance(error, RateLimited)
            raise
        self._counters.attempts += 1
        if reply.timing is not None:
            self._counters.waited_s += reply.timing.waited_s
        return reply

    async def _again(self, request: ChatRequest, failure: ModelError) -> ChatReply:
        """What follows a first failure, which stands for the first attempt."""
        first, met, slept = [failure], [failure], 0.0

        async def attempt() -> ChatReply:
            if first:
                raise first.pop()
            try:
                return await self._attempt(request)
            except ModelError as error:
                met.append(error)
                raise

        async def sleep(seconds: float) -> None:
            nonlocal slept
            slept += seconds
            self._counters.retries += 1
            self._counters.waited_s += seconds
            await asyncio.sleep(seconds)

        retrying = AsyncRetrying(
            sleep=sleep,
            stop=lambda call: self._given_up(met),
            wait=self._wait_s,
            retry=retry_if_exception(lambda error: isinstance(error, ModelError) and error.retryable),
            reraise=True,
        )
        try:
            reply: ChatReply = await retrying(attempt)
        except ModelError as error:
            self._counters.failures += 1
            error.attempts = len(met)
            raise
        return waited(reply, slept, attempts=len(met) + 1)

    def _given_up(self, met: list[ModelError]) -> bool:
        timeouts = sum(isinstance(error, ModelTimeout) for error in met)
        return len(met) >= self._policy.attempts or timeouts >= self._policy.timeouts

    def _wait_s(self, call: RetryCallState) -> float:
        error = call.outcome.exception() if call.outcome else None
        return self._policy.wait_s(error, call.attempt_number, self._random)
