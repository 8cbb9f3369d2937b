"""Studies whose model kills their process at an ask of its choice, and what must hold once they have gone on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from command_line import SERVER

from dilemma.studies.exporting import export_study
from trajectories import open_store

Mortal = Callable[[Path, int], None]
"""Runs the study ``s`` in ``folder``/d.db, or goes on with it; its model writes the context of each ask to
``folder``/asked.txt and dies at the ask of that number, never at 0."""


def start(study: Mortal, folder: Path, dies_at: int = 0) -> int | None:
    """Run ``study`` in a process of its own, to its end or its death; the exit code."""
    process = SERVER.Process(target=study, args=(folder, dies_at))
    process.start()
    process.join(120)
    return process.exitcode


def exported(folder: Path) -> dict[str, bytes]:
    """The bytes that two equal studies share."""
    out = folder / "out"
    export_study("s", f"sqlite:///{folder}/d.db", "jsonl", out)
    return {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.name != "timing.jsonl"}


def dies_and_goes_on(study: Mortal, dies_at: int, folder: Path, unkilled: Path, concurrency: int) -> None:
    """Assert that a study killed at an ask resumes to the bytes of ``unkilled``, asking for no stored reply again."""
    assert start(study, folder, dies_at) == -9
    stored = asyncio.run(_stored_contexts(folder))
    before = (folder / "asked.txt").read_text().splitlines()
    assert len(before) == dies_at
    assert start(study, folder) == 0
    again = (folder / "asked.txt").read_text().splitlines()[dies_at:]
    assert not stored & set(again), "a stored reply was asked for again"
    assert len(before) - len(stored) <= concurrency, "more was lost than the replies in flight"
    assert exported(folder) == exported(unkilled)


async def _stored_contexts(folder: Path) -> set[str]:
    async with open_store(f"sqlite:///{folder}/d.db", read_only=True) as store:
        return {call.request.context.model_dump_json() async for call in store.calls("s") if call.request.context}
