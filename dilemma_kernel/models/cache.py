"""The call log as a cache: a reply is asked for once, and stored before it is used."""

import asyncio

from dilemma_kernel.errors import KeyRefused, ModelError, ModelForbidden
from dilemma_kernel.models.counters import Counters
from dilemma_kernel.models.keys import call_key
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import CallLog, ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest, Timing

_Outcome = ChatReply | Exception | None
"""What a flight brought: a reply, an error, or nothing because it was cancelled."""


class Cached(Wrapper):
    """A model behind a call log. Equal requests in flight are one call, and what is used is what is stored.

    A key that is refused is a ``KeyRefused`` from here on, which stops a study; a ``ModelForbidden`` would be a crash.

    Args:
        model: the model to ask.
        log: where replies are kept; ``put`` returns once committed.
        study: scope of the keys.
        counters: what happens to the calls.
        reuse: name and log of another study, whose reply to an equal request is taken before the model is asked.
    """

    def __init__(
        self,
        model: ChatModel,
        log: CallLog,
        study: str,
        counters: Counters,
        reuse: tuple[str, CallLog] | None = None,
    ) -> None:
        super().__init__(model)
        self.counters = counters
        self._log = log
        self._study = study
        self._reuse = reuse
        self._flights: dict[str, asyncio.Future[_Outcome]] = {}

    async def complete(self, request: ChatRequest) -> ChatReply:
        key = call_key(self._study, self.identity, request)
        while flight := self._flights.get(key):
            self.counters.joined += 1
            outcome = await asyncio.shield(flight)
            if outcome is not None:
                return _landed(outcome)
        return await self._fly(key, request)

    async def _fly(self, key: str, request: ChatRequest) -> ChatReply:
        flight: asyncio.Future[_Outcome] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        outcome: _Outcome = None
        try:
            outcome = await self._ask(key, request)
        except Exception as error:
            outcome = error
        finally:
            del self._flights[key]
            flight.set_result(outcome)
        return _landed(outcome)

    async def _ask(self, key: str, request: ChatRequest) -> ChatReply:
        stored = await self._log.get(key)
        if stored is not None:
            self.counters.hits += 1
            return stored
        there = await self._reused(request)
        if there is not None:
            there = await self._log.put(key, request, there, self.name)
            self.counters.reused += 1
            return there
        try:
            reply = await self._model.complete(request)
        except ModelError as error:
            await self._log.lost(error.attempts)
            if isinstance(error, ModelForbidden):
                raise _refused(error) from None
            raise
        stored = await self._log.put(key, request, reply, self.name)
        self.counters.calls += 1
        self.counters.cost += reply.cost or 0.0
        self.counters.unpriced += reply.cost is None
        return stored

    async def _reused(self, request: ChatRequest) -> ChatReply | None:
        """The other study's reply, for which nothing was sent here."""
        if self._reuse is None:
            return None
        study, log = self._reuse
        found = await log.get(call_key(study, self.identity, request))
        return found and found.model_copy(update={"timing": Timing(latency_s=0.0, attempts=0)})


def _refused(error: ModelForbidden) -> KeyRefused:
    """What stops a study, for every other call would meet the same."""
    where = f"set {error.variable} to a key that it takes" if error.variable else "give it a key that it takes"
    return KeyRefused(f"the provider refuses the key of {error}: {where}")


def _landed(outcome: ChatReply | Exception) -> ChatReply:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
