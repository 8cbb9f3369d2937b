"""What a study may spend, reserved before each attempt."""

import asyncio
from collections.abc import Awaitable, Callable

from dilemma_kernel.errors import BudgetExhausted, InputError, ModelError, ModelTimeout
from dilemma_kernel.models.prices import Prices, prices_of
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest


class Budget:
    """Money and calls, shared by every model of a study.

    Money is reserved by an estimate, rather too high, and set right by the reply's cost; while the reservations of
    others are in the way, a call waits for them. Once a call would pass the budget, no other is let through.

    Args:
        usd: US dollars at most; None for no bound.
        calls: attempts at most; None for no bound.
        spent_usd: dollars already spent, such as before a resume.
        spent_calls: attempts already made.
        sending: is told of each attempt before it is made, and returns once that will outlive this process.
    """

    def __init__(
        self,
        usd: float | None = None,
        calls: int | None = None,
        *,
        spent_usd: float = 0.0,
        spent_calls: int = 0,
        sending: Callable[[int], Awaitable[None]] | None = None,
    ) -> None:
        self.usd = usd
        self.calls = calls
        self.spent_usd = spent_usd
        """US dollars spent, where costs are known."""
        self.spent_calls = spent_calls
        """Attempts made."""
        self.reserved_usd = 0.0
        """US dollars held for attempts in flight."""
        self._sending = sending
        self._passed: str | None = None
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def exhausted(self) -> bool:
        """Whether a call was turned away."""
        return self._passed is not None

    async def reserve(self, usd: float) -> None:
        """Makes room for one attempt that costs ``usd`` at most.

        Raises:
            BudgetExhausted: it would pass the budget, now or before.
        """
        while self._passed is None:
            if self.calls is not None and self.spent_calls >= self.calls:
                self._pass(f"{self.calls} calls")
            elif self.usd is None or self.spent_usd + self.reserved_usd + usd <= self.usd:
                self.spent_calls += 1
                self.reserved_usd += usd
                await self._count(usd)
                return
            elif self.spent_usd + usd > self.usd or not self.reserved_usd:
                self._pass(f"${self.usd:g}, of which ${self.spent_usd:g} are spent")
            else:
                turn = asyncio.get_running_loop().create_future()
                self._waiting.append(turn)
                await turn
        raise BudgetExhausted(f"the next call would pass the budget of {self._passed}; resume with a larger one")

    async def _count(self, reserved_usd: float) -> None:
        if self._sending is None:
            return
        try:
            await self._sending(1)
        except BaseException:
            self.settle(reserved_usd, 0.0)
            raise

    def settle(self, reserved_usd: float, usd: float) -> None:
        """An attempt for which ``reserved_usd`` were reserved has cost ``usd``."""
        self.reserved_usd -= reserved_usd
        self.spent_usd += usd
        self._wake()

    def _pass(self, what: str) -> None:
        self._passed = what
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


class Budgeted(Wrapper):
    """A model whose every attempt is paid from a budget.

    Raises:
        InputError: the budget is in dollars and the model's price is not known.
    """

    def __init__(self, model: ChatModel, budget: Budget) -> None:
        super().__init__(model)
        self._budget = budget
        self._prices: Prices | None = prices_of(model)
        if budget.usd is not None and self._prices is None:
            raise InputError(
                f"a budget in dollars needs the price of {model.name}: give input_price and output_price in the "
                f"table [models] of dilemma.toml, or bound the number of calls instead"
            )

    async def complete(self, request: ChatRequest) -> ChatReply:
        most = self._prices.most(request) if self._prices and self._budget.usd is not None else 0.0
        await self._budget.reserve(most)
        cost = most  # what was sent and not answered may be billed all the same
        try:
            reply = await self._model.complete(request)
            cost = most if reply.cost is None else reply.cost
        except ModelTimeout:
            raise
        except ModelError:
            cost = 0.0
            raise
        finally:
            self._budget.settle(most, cost)
        return reply
