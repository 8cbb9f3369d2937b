"""``hf/…``: a Hugging Face model in this process, and the ``LoadedModel`` that adapter and laboratory share.

Offline always: a folder, a GGUF file, or a name that the hub's local cache holds.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma_kernel.models.transformers.adapter import Transformers
    from dilemma_kernel.models.transformers.batches import Batch, Generated, Interventions, Row
    from dilemma_kernel.models.transformers.loaded import LoadedModel
    from dilemma_kernel.models.transformers.places import Place, find_place, known_dtype
    from dilemma_kernel.models.transformers.rendering import Renderer, load_renderer
    from dilemma_kernel.models.transformers.replies import read_reply

_HOMES = {
    "Batch": "batches",
    "Generated": "batches",
    "Interventions": "batches",
    "LoadedModel": "loaded",
    "Place": "places",
    "Renderer": "rendering",
    "Row": "batches",
    "Transformers": "adapter",
    "find_place": "places",
    "known_dtype": "places",
    "load_renderer": "rendering",
    "read_reply": "replies",
}

__all__ = [
    "Batch",
    "Generated",
    "Interventions",
    "LoadedModel",
    "Place",
    "Renderer",
    "Row",
    "Transformers",
    "find_place",
    "known_dtype",
    "load_renderer",
    "read_reply",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
