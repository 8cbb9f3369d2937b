"""Exports that other tools open, each with a data card; and reading an export back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dilemma.studies.exporting.importing import import_folder
    from dilemma.studies.exporting.writing import FORMATS, export_study

_HOMES = {"FORMATS": "writing", "export_study": "writing", "import_folder": "importing"}

__all__ = ["FORMATS", "export_study", "import_folder"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
