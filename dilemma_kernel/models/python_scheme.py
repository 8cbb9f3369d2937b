"""``python:module:factory``: a model of a person's own, ours in shape or LangChain's."""

import sys
from typing import Any

from dilemma_kernel.errors import InputError, UnknownModelError
from dilemma_kernel.models.config import ModelConfig, ModelEntry
from dilemma_kernel.models.loading import load_object
from dilemma_kernel.models.timed import Timed
from dilemma_kernel.ports import ChatModel


def python_model(name: str, reference: str, entry: ModelEntry, config: ModelConfig) -> ChatModel:
    """The model that ``reference`` makes or is.

    Args:
        name: the name it was asked for by.
        reference: ``module:factory``: something that returns a model when called without arguments, or a model.
        entry: the timeout; for LangChain models overrides and prices too.
        config: the default timeout.

    Raises:
        UnknownModelError: it cannot be had, or is no model.
    """
    try:
        made = load_object(reference)
    except InputError as error:
        raise UnknownModelError(f"{name}: {error}") from error
    if not (_is_chat_model(made) or _is_langchain(made)):
        made = _called(name, made)
    if _is_langchain(made):
        from dilemma_kernel.models.langchain import LangChain  # noqa: PLC0415

        return LangChain(name, made, entry, config)
    if not _is_chat_model(made):
        raise UnknownModelError(
            f"{name} gave a {type(made).__name__}: expected a ChatModel, a LangChain chat model, or a factory of one"
        )
    return Timed(made, entry.timeout_s or config.timeout_s)


def _called(name: str, factory: Any) -> Any:
    if not callable(factory):
        return factory
    try:
        return factory()
    except Exception as error:
        words = " ".join(str(error).split())[:300]
        raise UnknownModelError(f"{name} fails when called: {type(error).__name__}: {words}") from error


def _is_chat_model(made: object) -> bool:
    return not isinstance(made, type) and isinstance(made, ChatModel)


def _is_langchain(made: object) -> bool:
    """Whether it is a LangChain chat model. One cannot be made without its module, so that is not imported here."""
    module = sys.modules.get("langchain_core.language_models.chat_models")
    return module is not None and isinstance(made, module.BaseChatModel)
