"""What is left of a study's budget."""

from dilemma_kernel.models.budget import Budget
from trajectories import Store


async def study_budget(store: Store, study: str, usd: float | None, max_calls: int | None) -> Budget | None:
    """The budget of a study, what it spent in earlier runs included; None for no bound.

    Every request is counted in the store before it is sent, so that those in flight when a run is killed are counted
    too. Without a bound only those are that were answered or given up.

    Args:
        store: open for writing.
        study: the study's name, the scope of its call log.
        usd: US dollars that it may spend in all; None for no bound.
        max_calls: requests that it may send in all, likewise.
    """
    if usd is None and max_calls is None:
        return None
    spent, log = await store.spent(study), store.call_log(study)
    log.counts_ahead = True
    return Budget(usd, max_calls, spent_usd=spent.cost, spent_calls=spent.attempts, sending=log.sending)
