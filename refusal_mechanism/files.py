"""Arrays on disk as safetensors, written whole or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from dilemma_kernel.errors import InputError


def save_arrays(path: Path, arrays: Mapping[str, NDArray[np.generic]], about: Mapping[str, str] | None = None) -> None:
    """Write arrays and what is said of them; after it returns they survive the death of the process.

    Raises:
        InputError: the place cannot be written.
    """
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata=dict(about or {}))
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from error


def load_arrays(path: Path) -> dict[str, NDArray[np.generic]] | None:
    """The arrays in ``path``; None where there is no such file, or it is none of ours."""
    try:
        found: dict[str, NDArray[np.generic]] = load_file(path)
    except (FileNotFoundError, SafetensorError):
        return None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    return found
