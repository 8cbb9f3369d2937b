"""``module:name``: an object of a person's own code."""

import importlib
import os
import sys
from typing import Any

from dilemma_kernel.errors import InputError


def load_object(reference: str) -> Any:
    """The object that ``module:name`` names; ``name`` may hold dots. The working folder is searched last.

    Raises:
        InputError: it cannot be had; the message says why in one line.
    """
    module, colon, name = reference.partition(":")
    if not colon or not module or not name:
        raise InputError(f"{reference!r} names no object: expected module:name")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f"there is no module {error.name!r}, which {reference} needs") from error
    except Exception as error:
        raise InputError(f"module {module!r} fails to import: {type(error).__name__}: {_line(error)}") from error
    for part in name.split("."):
        if not hasattr(found, part):
            raise InputError(f"{module!r} has no {name!r}")
        found = getattr(found, part)
    return found


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
