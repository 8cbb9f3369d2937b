"""The wrappers: one call for equal requests, stored before use; bounded retries; budgets; an adaptive limit."""

import asyncio
import itertools
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_logs import MemoryLog, ask

from dilemma_kernel.errors import (
    BudgetExhausted,
    ContextOverflow,
    EmptyReply,
    InputError,
    KeyRefused,
    ModelForbidden,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
)
from dilemma_kernel.models import Budget, Limiter, Prices, RetryPolicy, ScriptedModel, wrapped
from dilemma_kernel.models.keys import call_key
from dilemma_kernel.models.timed import Timed
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest, Usage

FAST = RetryPolicy(attempts=4, timeouts=2, first_wait_s=0.001, longest_wait_s=0.01)


def failing(*script: Exception | str) -> ScriptedModel:
    """Raises or answers in this order; the last repeats."""
    steps = itertools.chain(script, itertools.repeat(script[-1]))

    def answer(request: ChatRequest) -> str:
        step = next(steps)
        if isinstance(step, Exception):
            raise step
        return step

    return ScriptedModel(answer)


class Gate:
    """A model that answers once it is opened."""

    def __init__(self, outcome: str | Exception = "late") -> None:
        self.open = asyncio.Event()
        self.entered = asyncio.Event()
        self.most = self.now = 0
        self._outcome = outcome
        self.model = ScriptedModel(self._answer)

    async def _answer(self, request: ChatRequest) -> str:
        self.now += 1
        self.most = max(self.most, self.now)
        self.entered.set()
        try:
            await self.open.wait()
        finally:
            self.now -= 1
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


# The call log as a cache


async def test_a_stored_reply_is_not_asked_for_again() -> None:
    log, model = MemoryLog(), ScriptedModel(lambda request: "reply")
    first = await wrapped(model, log, study="s").complete(ask())
    again = wrapped(model, log, study="s")
    assert await again.complete(ask()) == first
    assert model.calls == 1
    assert (again.counters.hits, again.counters.calls) == (1, 0)


async def test_another_study_and_another_repeat_sample_anew() -> None:
    log, model = MemoryLog(), ScriptedModel(lambda request: "reply")
    await wrapped(model, log, study="s").complete(ask())
    await wrapped(model, log, study="t").complete(ask())
    await wrapped(model, log, study="s").complete(ask(repeat=1))
    assert model.calls == 3


async def test_a_reply_is_stored_before_it_is_used() -> None:
    log = MemoryLog()
    await wrapped(ScriptedModel(lambda request: "reply"), log, study="s").complete(ask())
    log.events.append("used")
    assert log.events == ["stored reply", "used"]


async def test_a_reply_that_cannot_be_stored_is_not_used() -> None:
    class FullDisk(MemoryLog):
        async def put(self, *args: object) -> ChatReply:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await wrapped(ScriptedModel(lambda request: "reply"), FullDisk(), study="s").complete(ask())


async def test_what_is_used_is_what_is_stored() -> None:
    """Another process stored its reply to the same request first."""
    log = MemoryLog()

    async def late(request: ChatRequest) -> ChatReply:
        key = call_key("s", model.identity, request)
        await log.put(key, request, ChatReply(text="theirs"), model.name)
        return ChatReply(text="ours")

    model = ScriptedModel(lambda request: "unused")
    model.complete = late  # type: ignore[method-assign]
    assert (await wrapped(model, log, study="s").complete(ask())).text == "theirs"


async def test_equal_requests_in_flight_are_one_call_and_others_are_not() -> None:
    gate = Gate()
    model = wrapped(gate.model, MemoryLog(), study="s")
    tasks = [asyncio.create_task(model.complete(ask(repeat=i % 2))) for i in range(10)]
    await gate.entered.wait()
    gate.open.set()
    replies = await asyncio.gather(*tasks)
    assert gate.model.calls == 2
    assert {reply.text for reply in replies} == {"late"}
    assert model.counters.joined == 8


async def test_an_error_reaches_all_who_joined_and_is_not_remembered() -> None:
    gate = Gate(ModelRejected("no"))
    model = wrapped(gate.model, MemoryLog(), study="s")
    tasks = [asyncio.create_task(model.complete(ask())) for _ in range(3)]
    await gate.entered.wait()
    gate.open.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ModelRejected] * 3
    assert gate.model.calls == 1
    with pytest.raises(ModelRejected):
        await model.complete(ask())
    assert gate.model.calls == 2


async def test_when_the_first_is_cancelled_those_who_joined_go_on() -> None:
    gate = Gate()
    model = wrapped(gate.model, MemoryLog(), study="s")
    first, second = (asyncio.create_task(model.complete(ask())) for _ in range(2))
    await gate.entered.wait()
    first.cancel()
    gate.open.set()
    assert (await second).text == "late"
    assert first.cancelled()
    assert gate.model.calls == 2
    assert model.counters.in_flight == 0


async def test_when_one_who_joined_is_cancelled_the_first_goes_on() -> None:
    gate = Gate()
    model = wrapped(gate.model, MemoryLog(), study="s")
    first, second = (asyncio.create_task(model.complete(ask())) for _ in range(2))
    await gate.entered.wait()
    second.cancel()
    await asyncio.sleep(0)
    gate.open.set()
    assert (await first).text == "late"
    assert gate.model.calls == 1


# Retry


@pytest.mark.parametrize("error", [ModelUnavailable("503"), RateLimited("429"), RateLimited("429", 0.001)])
async def test_what_may_pass_is_asked_again(error: Exception) -> None:
    inner = failing(error, error, "reply")
    model = wrapped(inner, MemoryLog(), study="s", retry=FAST)
    reply = await model.complete(ask())
    assert reply.text == "reply"
    assert inner.calls == 3
    assert reply.timing is not None
    assert reply.timing.attempts == 3
    assert reply.timing.waited_s > 0
    assert model.counters.retries == 2
    assert model.counters.attempts == 3
    assert model.counters.waited_s > 0


@pytest.mark.parametrize("error", [ModelRejected("400"), ContextOverflow("long"), EmptyReply("none"), KeyError("bug")])
async def test_what_will_not_pass_is_asked_once(error: Exception) -> None:
    inner = failing(error, "reply")
    with pytest.raises(type(error)):
        await wrapped(inner, MemoryLog(), study="s", retry=FAST).complete(ask())
    assert inner.calls == 1


@pytest.mark.parametrize(("variable", "says"), [("TEAM_KEY", "set TEAM_KEY to"), (None, "give it a key")])
async def test_a_key_that_is_refused_stops_whoever_asks(variable: str | None, says: str) -> None:
    error = ModelForbidden("gpt-x: no such key")
    error.variable = variable
    inner = failing(error, "reply")
    with pytest.raises(KeyRefused, match=f"the key of gpt-x: no such key: {says}") as refused:
        await wrapped(inner, MemoryLog(), study="s", retry=FAST).complete(ask())
    assert inner.calls == 1
    assert refused.value.__cause__ is None


async def test_requests_that_brought_no_reply_are_counted_by_the_log() -> None:
    log = MemoryLog()
    model = wrapped(failing(*[ModelUnavailable("503")] * 5, "reply"), log, study="s", retry=FAST)
    with pytest.raises(ModelUnavailable):
        await model.complete(ask())
    assert log.unanswered == 4
    await model.complete(ask())
    assert log.unanswered == 4, "a request that was answered in the end is counted with its reply"


@pytest.mark.parametrize(("error", "attempts"), [(ModelUnavailable("503"), 4), (ModelTimeout("late"), 2)])
async def test_retries_are_bounded(error: Exception, attempts: int) -> None:
    inner = failing(error)
    model = wrapped(inner, MemoryLog(), study="s", retry=FAST)
    with pytest.raises(type(error)):
        await model.complete(ask())
    assert inner.calls == attempts
    assert model.counters.failures == 1


@given(st.integers(1, 40), st.none() | st.floats(0, 1e9), st.integers())
def test_no_wait_is_longer_than_the_policy_allows(attempt: int, asked: float | None, seed: int) -> None:
    policy = RetryPolicy()
    wait = policy.wait_s(RateLimited("429", asked), attempt, Random(seed))
    assert 0 <= wait <= policy.longest_wait_s + 1
    if asked is not None:
        assert wait >= min(asked, policy.longest_wait_s)


async def test_an_adapter_without_a_timeout_is_given_one() -> None:
    gate = Gate()
    model = Timed(gate.model, 0.01)
    with pytest.raises(ModelTimeout, match="within"):
        await model.complete(ask())
    assert gate.now == 0


# Budget


async def test_calls_are_counted_by_attempt_and_bounded() -> None:
    inner = failing(ModelUnavailable("503"), "one", ModelUnavailable("503"), "never")
    budget = Budget(calls=3)
    model = wrapped(inner, MemoryLog(), study="s", retry=FAST, budget=budget)
    assert (await model.complete(ask("a"))).text == "one"
    with pytest.raises(BudgetExhausted, match="3 calls"):
        await model.complete(ask("b"))
    with pytest.raises(BudgetExhausted):
        await model.complete(ask("c"))
    assert inner.calls == 3 == budget.spent_calls
    assert budget.exhausted


async def test_what_the_log_holds_costs_nothing() -> None:
    log = MemoryLog()
    await wrapped(failing("reply"), log, study="s").complete(ask())
    model = wrapped(failing("other"), log, study="s", budget=Budget(calls=0))
    assert (await model.complete(ask())).text == "reply"
    with pytest.raises(BudgetExhausted):
        await model.complete(ask("new"))


def priced(answer: Callable[[], ChatReply]) -> ScriptedModel:
    return ScriptedModel(lambda request: answer(), prices=Prices(0.0, 0.01))


async def test_dollars_stop_at_the_call_that_could_pass_the_budget() -> None:
    inner = priced(lambda: ChatReply(usage=Usage(completion_tokens=10), cost=0.1))
    budget = Budget(usd=1.0)  # a reply of 32 tokens may cost 0.32
    model = wrapped(inner, MemoryLog(), study="s", budget=budget)
    for repeat in range(7):
        await model.complete(ask(repeat=repeat))
    with pytest.raises(BudgetExhausted, match=r"\$1"):
        await model.complete(ask(repeat=7))
    assert inner.calls == 7
    assert budget.spent_usd == pytest.approx(0.7)
    assert budget.reserved_usd == pytest.approx(0)


async def test_reservations_of_others_are_waited_for_rather_than_taken_for_spent() -> None:
    inner = priced(lambda: ChatReply(cost=0.01))
    budget = Budget(usd=1.0)
    model = wrapped(inner, MemoryLog(), study="s", budget=budget)
    await asyncio.gather(*(model.complete(ask(repeat=i)) for i in range(60)))
    assert inner.calls == 60
    assert not budget.exhausted


async def test_a_timeout_may_have_cost_and_a_refusal_to_serve_has_not() -> None:
    for error, spent in ((ModelTimeout("late"), 0.32), (RateLimited("429"), 0.0), (ModelRejected("400"), 0.0)):
        inner = ScriptedModel(failing(error)._fn, prices=Prices(0.0, 0.01))
        budget = Budget(usd=1.0)
        with pytest.raises(type(error)):
            await wrapped(inner, MemoryLog(), study="s", budget=budget, retry=RetryPolicy(attempts=1)).complete(ask())
        assert budget.spent_usd == pytest.approx(spent)


async def test_a_budget_resumes_from_what_was_spent() -> None:
    budget = Budget(calls=5, spent_calls=4)
    await budget.reserve(0.0)
    with pytest.raises(BudgetExhausted):
        await budget.reserve(0.0)


def test_a_budget_in_dollars_needs_a_price() -> None:
    unpriced = ScriptedModel(lambda request: "x", prices=None)
    with pytest.raises(InputError, match="price"):
        wrapped(unpriced, MemoryLog(), study="s", budget=Budget(usd=1.0))
    wrapped(unpriced, MemoryLog(), study="s", budget=Budget(calls=1))


# Rate limit


async def test_no_more_are_in_flight_than_the_limit() -> None:
    gate = Gate()
    model = wrapped(gate.model, MemoryLog(), study="s", limiter=Limiter(3))
    tasks = [asyncio.create_task(model.complete(ask(repeat=i))) for i in range(20)]
    await gate.entered.wait()
    await asyncio.sleep(0.01)
    assert model.counters.in_flight == 3
    gate.open.set()
    await asyncio.gather(*tasks)
    assert gate.most == 3
    assert model.counters.in_flight == 0


async def test_a_429_halves_the_limit_once_and_replies_raise_it_again() -> None:
    limiter = Limiter(16)
    slots = [await limiter.acquire() for _ in range(16)]
    for slot in slots:
        limiter.release(slot, RateLimited("429"))
    assert limiter.limit == 8
    for _ in range(200):
        limiter.release(await limiter.acquire())
    assert limiter.limit == 16


async def test_a_long_retry_after_pauses_and_never_freezes() -> None:
    limiter = Limiter(4, longest_pause_s=0.05)
    inner = failing(RateLimited("429", 3600.0), "reply")
    policy = RetryPolicy(attempts=3, first_wait_s=0.001, longest_wait_s=0.05)
    model = wrapped(inner, MemoryLog(), study="s", retry=policy, limiter=limiter)
    waiting = asyncio.create_task(model.complete(ask()))
    await asyncio.sleep(0.01)
    assert 0 < limiter.paused_s <= 0.05
    others = await asyncio.gather(*(model.complete(ask(repeat=i)) for i in range(1, 9)))
    assert all(other.timing is not None and other.timing.waited_s > 0 for other in others)
    assert (await waiting).text == "reply"


async def test_one_who_waits_and_is_cancelled_leaves_no_hole() -> None:
    limiter = Limiter(1)
    held = await limiter.acquire()
    first, second = asyncio.create_task(limiter.acquire()), asyncio.create_task(limiter.acquire())
    await asyncio.sleep(0)
    limiter.release(held)  # the slot is given to the first, which is cancelled before it runs
    first.cancel()
    limiter.release(await second)
    assert limiter.in_flight == 0
    assert (await limiter.acquire()).waited_s == 0


@given(st.lists(st.sampled_from([None, RateLimited("429"), ModelTimeout("late")]), max_size=60))
async def test_the_limit_stays_between_one_and_most(outcomes: list[Exception | None]) -> None:
    limiter = Limiter(5)
    for outcome in outcomes:
        limiter.release(await limiter.acquire(), outcome)
        assert 1 <= limiter.limit <= 5
        assert limiter.in_flight == 0


async def test_a_load_full_of_429_is_served_whole() -> None:
    """A server that serves four at once and turns the fifth away."""
    now = 0
    turned_away = 0

    async def answer(request: ChatRequest) -> str:
        nonlocal now, turned_away
        if now >= 4:
            turned_away += 1
            raise RateLimited("429")
        now += 1
        await asyncio.sleep(0.001)
        now -= 1
        return "reply"

    policy = RetryPolicy(attempts=20, first_wait_s=0.002, longest_wait_s=0.05)
    model: ChatModel = wrapped(ScriptedModel(answer), MemoryLog(), study="s", retry=policy, limiter=Limiter(64))
    replies = await asyncio.gather(*(model.complete(ask(repeat=i)) for i in range(100)))
    assert len(replies) == 100
    assert turned_away > 0
    assert model.counters.rate_limited == turned_away == model.counters.retries
    assert model.counters.limit < 64
