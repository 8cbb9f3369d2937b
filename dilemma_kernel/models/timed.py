"""A timeout for adapters that have none of their own."""

import asyncio

from dilemma_kernel.errors import ModelTimeout
from dilemma_kernel.models.wrapper import Wrapper
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import ChatReply, ChatRequest


class Timed(Wrapper):
    """A model that is not waited for forever. What it does meanwhile in a thread goes on; the wait alone ends."""

    def __init__(self, model: ChatModel, timeout_s: float) -> None:
        super().__init__(model)
        self._timeout_s = timeout_s

    async def complete(self, request: ChatRequest) -> ChatReply:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._model.complete(request)
        except TimeoutError:
            raise ModelTimeout(f"{self.name} did not answer within {self._timeout_s:g} s") from None
