"""Folders of exports other than jsonl: made whole, and replaced only where they are an export of the same study."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from dilemma.studies.exporting.card import hashes
from dilemma.studies.exporting.writing import Chosen
from dilemma_kernel.errors import InputError
from trajectories.export import CARD
from trajectories.replacing import replacing


@contextmanager
def export_folder(out: Path, chosen: Chosen, columns: dict[str, str]) -> Iterator[Path]:
    """A folder that the caller fills; then it gets its card, and takes the place of ``out``.

    Raises:
        InputError: ``out`` holds something else, or cannot be written.
    """
    with replacing(out, lambda place: _check(place, chosen)) as folder:
        folder.mkdir()
        yield folder
        (folder / CARD).write_text(chosen.card(hashes(folder), columns), encoding="utf-8")


def _check(out: Path, chosen: Chosen) -> None:
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file, and the format {chosen.made.form} is a folder: choose another name")
    if out.is_dir() and any(out.iterdir()) and not _is_export_of(out, chosen):
        raise InputError(
            f"{out} holds something else than this export of {chosen.record.name!r}: choose another folder"
        )


def _is_export_of(out: Path, chosen: Chosen) -> bool:
    """Whether the card says so, and names every file that is there."""
    try:
        head = yaml.safe_load((out / CARD).read_text(encoding="utf-8").split("---\n")[1])
        said = (head["study"], head["format"])
        known = {CARD, *head["sha256"]}
    except (OSError, ValueError, KeyError, IndexError, TypeError, yaml.YAMLError):
        return False
    there = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    return said == (chosen.record.name, chosen.made.form) and there <= known
