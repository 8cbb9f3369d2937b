"""The wrappers around a model, applied once and in one order."""

from random import Random

from dilemma_kernel.models.budget import Budget, Budgeted
from dilemma_kernel.models.cache import Cached
from dilemma_kernel.models.counters import Counters
from dilemma_kernel.models.fitness import Fitted
from dilemma_kernel.models.limiter import Limited, Limiter
from dilemma_kernel.models.retry import Retried, RetryPolicy
from dilemma_kernel.ports import CallLog, ChatModel


def wrapped(
    model: ChatModel,
    log: CallLog,
    *,
    study: str,
    budget: Budget | None = None,
    limiter: Limiter | None = None,
    retry: RetryPolicy | None = None,
    jitter_seed: int = 0,
    reuse: tuple[str, CallLog] | None = None,
) -> Cached:
    """``model`` behind everything that a study needs: cache → retry → budget → rate limit →
    hygiene → adapter.

    Args:
        model: the adapter.
        log: the study's call log. A reply is committed there before it is returned.
        study: scope of the keys.
        budget: what the study may spend, shared by its models; None for no bound.
        limiter: requests in flight; one for each model, shared by those who use the same.
        retry: when to ask again.
        jitter_seed: seed of the jitter of waits, which moves no result.
        reuse: name and call log of another study, whose replies to equal requests are taken.

    Returns:
        The wrapped model, with its ``counters``.

    Raises:
        InputError: the budget is in dollars and the model's price is not known.
    """
    limiter = limiter or Limiter()
    counters = Counters(limiter)
    inner: ChatModel = Limited(Fitted(model), limiter)
    if budget is not None:
        inner = Budgeted(inner, budget)
    inner = Retried(inner, retry or RetryPolicy(), counters, Random(jitter_seed))
    return Cached(inner, log, study, counters, reuse)
