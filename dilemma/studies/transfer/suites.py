"""Folders: a suite copied, pictures written."""

import shutil
from pathlib import Path

from dilemma.studies.transfer.figures import TransferReport
from dilemma.studies.transfer.pictures import divergence_picture, flow_picture
from dilemma_kernel.errors import InputError
from refusal_transfer.loading import SHIPPED, load_suite


def export_suite(folder: Path | None, out: Path) -> Path:
    """Copy a suite that passes its checks.

    Args:
        folder: the suite; None for the one that is shipped.
        out: a folder that does not exist.

    Raises:
        InputError: the suite does not load, or ``out`` is there or cannot be written.
    """
    source = folder or SHIPPED
    load_suite(source)
    if out.exists():
        raise InputError(f"{out} exists: choose another name")
    try:
        shutil.copytree(source, out, ignore=shutil.ignore_patterns("__pycache__", "__init__.py"))
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error}") from None
    return out


def write_pictures(report: TransferReport, folder: Path) -> tuple[Path, Path]:
    """Write ``divergence.svg`` and ``flow.svg``; raises ``InputError`` where that cannot be done."""
    drawn = {"divergence.svg": divergence_picture(report), "flow.svg": flow_picture(report)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in drawn.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from None
    return folder / "divergence.svg", folder / "flow.svg"
