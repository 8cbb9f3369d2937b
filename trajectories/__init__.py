"""The store: studies, episodes, judgements and the call log, in one SQLite file; and their export.

Nothing here labels anything. Importing this package loads no database library; using one of its names does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trajectories.export import export_jsonl
    from trajectories.spreadsheet import export_csv
    from trajectories.store import Store, open_store
    from trajectories.views import EpisodeSummary, Served, Spent, StoredCall, StudySummary

_HOMES = {
    "EpisodeSummary": "views",
    "Served": "views",
    "Spent": "views",
    "Store": "store",
    "StoredCall": "views",
    "StudySummary": "views",
    "export_csv": "spreadsheet",
    "export_jsonl": "export",
    "open_store": "store",
}

__all__ = [
    "EpisodeSummary",
    "Served",
    "Spent",
    "Store",
    "StoredCall",
    "StudySummary",
    "export_csv",
    "export_jsonl",
    "open_store",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
