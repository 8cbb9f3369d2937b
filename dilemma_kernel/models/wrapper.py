"""What every wrapper around a model has in common: all but ``complete``."""

from dilemma_kernel.models.prices import Prices, prices_of
from dilemma_kernel.ports import ChatModel
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest


class Wrapper:
    """Passes on everything but ``complete``, which each wrapper writes itself.

    Args:
        model: the model inside.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self.identity = model.identity
        self._model = model

    @property
    def capabilities(self) -> Capabilities:
        return self._model.capabilities

    @property
    def prices(self) -> Prices | None:
        return prices_of(self._model)

    async def aclose(self) -> None:
        await self._model.aclose()


class Renamed(Wrapper):
    """A model under the alias by which it was asked for. Its identity stays.

    Args:
        model: the model.
        name: the alias.
    """

    def __init__(self, model: ChatModel, name: str) -> None:
        super().__init__(model)
        self.name = name

    async def complete(self, request: ChatRequest) -> ChatReply:
        return await self._model.complete(request)
