"""The wrappers around a model, applied once and in one order."""

from dilemma_kernel.models.cache import Cached
from dilemma_kernel.ports import CallLog, ChatModel


def wrapped(model: ChatModel, log: CallLog, *, study: str) -> ChatModel:
    """``model`` behind everything that a study needs: cache → … → adapter.

    Args:
        model: the adapter.
        log: the study's call log. A reply is committed there before it is returned.
        study: scope of the keys.
    """
    return Cached(model, log, study)
