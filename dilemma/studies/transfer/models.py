"""The models of a study: found by name or given, then put behind its call log and budget."""

from collections.abc import Iterable, Sequence
from typing import Any

from dilemma_kernel.errors import InputError
from dilemma_kernel.models.budget import Budget, Budgeted
from dilemma_kernel.models.calling import wrapped
from dilemma_kernel.models.config import ModelConfig
from dilemma_kernel.models.registry import ScriptedFactory, resolve
from dilemma_kernel.ports import ChatModel
from trajectories import Store

WIDTHS = {"local/": 1, "hf/": 8}
"""Requests at once for models in this process: one keeps llama.cpp's prefix warm, eight make a batch."""
REMOTE_WIDTH = 16


class Models:
    """Models by name.

    Args:
        config: aliases, keys, prices.
        scripted: scripted models by name, beside those of the registry.
        given: objects that are models, which are used under their own names.
    """

    def __init__(
        self, config: ModelConfig, scripted: dict[str, ScriptedFactory], given: Sequence[ChatModel] = ()
    ) -> None:
        self._config = config
        self._scripted = scripted
        self._found: dict[str, ChatModel] = {model.name: model for model in given}
        self._wrapped: dict[str, ChatModel] = {}

    def resolve(self, names: Iterable[str]) -> None:
        """Find every model, once. Raises ``InputError`` where one cannot be had."""
        for name in names:
            if name not in self._found:
                self._found[name] = resolve(name, self._config, scripted=self._scripted)

    def check_budget(self, usd: float | None) -> None:
        """Refuse a budget in dollars where a price is not known; raises ``InputError``."""
        for model in self._found.values() if usd is not None else ():
            Budgeted(model, Budget(usd))

    def identities(self) -> dict[str, str]:
        """Model's name -> what stands behind it, for the study's record. Holds no key."""
        return {name: model.identity for name, model in self._found.items()}

    def wrap(self, store: Store, study: str, budget: Budget | None) -> None:
        """Put every model behind the call log. Raises ``InputError`` where a price is needed and not known."""
        log = store.call_log(study)
        self._wrapped = {name: wrapped(model, log, study=study, budget=budget) for name, model in self._found.items()}

    def __getitem__(self, name: str) -> ChatModel:
        return self._wrapped[name]

    def width(self, name: str) -> int:
        """Requests at once."""
        target = self._config.entry(name).model or name
        return next((width for scheme, width in WIDTHS.items() if target.startswith(scheme)), REMOTE_WIDTH)

    async def aclose(self) -> None:
        """Release every model."""
        for model in self._wrapped.values() or self._found.values():
            await model.aclose()


def model_names(given: Any) -> tuple[tuple[str, ...], tuple[ChatModel, ...]]:
    """Names of what a caller gave, one or several, and the objects among it.

    Raises:
        InputError: something is neither a name nor a model.
    """
    many = given if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    for one in many:
        if not isinstance(one, (str, ChatModel)):
            raise InputError(f"{type(one).__name__} is neither a name nor a ChatModel")
    objects = tuple(one for one in many if not isinstance(one, str))
    return tuple(one if isinstance(one, str) else one.name for one in many), objects
