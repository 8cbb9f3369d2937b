"""The wrappers around a model, applied once and in one order."""

import asyncio
from random import Random

from dilemma_kernel.errors import ModelTimeout
from dilemma_kernel.models.budget import Budget, Budgeted
from dilemma_kernel.models.cache import Cached
from dilemma_kernel.models.counters import Counters
from dilemma_kernel.models.limiter import Limited, Limiter
from dilemma_kernel.models.retry import Retried, RetryPolicy
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import CallLog, ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest


def wrapped(
    model: ChatModel,
    log: CallLog,
    *,
    study: str,
    budget: Budget | None = None,
    limiter: Limiter | None = None,
    retry: RetryPolicy | None = None,
    timeout_s: float | None = None,
    jitter_seed: int = 0,
    reuse: tuple[str, CallLog] | None = None,
) -> Cached:
    """``model`` behind everything that a study needs: cache → retry → budget → rate limit → adapter.

    Args:
        model: the adapter.
        log: the study's call log. A reply is committed there before it is returned.
        study: scope of the keys.
        budget: what the study may spend, shared by its models; None for no bound.
        limiter: requests in flight; one for each model, shared by those who use the same.
        retry: when to ask again.
        timeout_s: seconds to wait for one answer, for adapters that have no timeout of their own.
        jitter_seed: seed of the jitter of waits, which moves no result.
        reuse: name and call log of another study, whose replies to equal requests are taken.

    Returns:
        The wrapped model, with its ``counters``.

    Raises:
        InputError: the budget is in dollars and the model's price is not known.
    """
    limiter = limiter or Limiter()
    counters = Counters(limiter)
    inner: ChatModel = Limited(model if timeout_s is None else Timed(model, timeout_s), limiter)
    if budget is not None:
        inner = Budgeted(inner, budget)
    inner = Retried(inner, retry or RetryPolicy(), counters, Random(jitter_seed))
    return Cached(inner, log, study, counters, reuse)


class Timed(Wrapper):
    """A model that is not waited for forever."""

    def __init__(self, model: ChatModel, timeout_s: float) -> None:
        super().__init__(model)
        self._timeout_s = timeout_s

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._model.complete(request)
        except TimeoutError:
            raise ModelTimeout(f"{self.name} did not answer within {self._timeout_s:g} s") from None
