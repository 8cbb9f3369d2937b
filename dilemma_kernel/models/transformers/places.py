"""Where the weights and the tokenizer of an ``hf/`` name lie. Nothing is loaded and nothing downloaded here."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dilemma_kernel.errors import InputError, UnknownModelError
from dilemma_kernel.models.llamacpp import PACKAGED, file_fingerprint, find_gguf, local_path

DTYPES = ("auto", "float32", "bfloat16", "float16", "float64")
"""What weights may be loaded as; ``auto`` keeps the checkpoint's."""


def known_dtype(name: str) -> str:
    """``name`` as it is; raises ``InputError`` where there is no such dtype of weights."""
    if name not in DTYPES:
        raise InputError(f"there is no dtype {name!r}; there are {', '.join(DTYPES)}")
    return name


@dataclass(frozen=True)
class Place:
    """A folder, a GGUF file in a folder, or a name in the hub's local cache."""

    folder: str
    gguf: str | None = None
    """Name of the GGUF file in ``folder``."""

    @property
    def options(self) -> dict[str, Any]:
        """What ``from_pretrained`` is told beside the folder."""
        return {"local_files_only": True, **({} if self.gguf is None else {"gguf_file": self.gguf})}

    @property
    def fingerprint(self) -> str:
        """Different for different weights: of the GGUF, or of every file of weights and settings in the folder."""
        folder = Path(self.folder)
        if self.gguf is not None:
            return file_fingerprint(folder / self.gguf)
        files = sorted(path for path in folder.iterdir() if path.suffix in _SHAPING) if folder.is_dir() else []
        return "+".join(file_fingerprint(path) for path in files[:_MOST_FILES])


_SHAPING = {".json", ".jinja", ".safetensors", ".bin", ".model"}
_MOST_FILES = 64


def find_place(rest: str) -> Place:
    """What ``hf/rest`` names.

    Raises:
        UnknownModelError: it looks like a path and there is nothing, or a GGUF file is none.
    """
    path = local_path(rest)
    if rest in PACKAGED or path.suffix == ".gguf":
        file = find_gguf(rest)
        return Place(str(file.parent), file.name)
    if path.is_dir():
        return Place(str(path))
    if path.is_absolute() or rest.startswith((".", "~")) or rest.count("/") != 1:
        known = ", ".join(f"hf/{name}" for name in PACKAGED)
        raise UnknownModelError(f"there is no model folder {rest}: give hf/FOLDER, hf/FILE.gguf, or {known}")
    return Place(rest)
