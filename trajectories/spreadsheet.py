"""``--format csv``: a row an episode, for a spreadsheet.

A text cell that a spreadsheet would read as a formula begins with an apostrophe.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from dilemma_kernel.errors import InputError
from dilemma_kernel.records import FACTORS, Judgement, Measured, Trajectory
from trajectories.choosing import EVERYTHING, Choice, chosen
from trajectories.export import settings
from trajectories.jsontext import plain
from trajectories.replacing import replacing
from trajectories.rows import count_faults, count_invalid_turns, outcome_text
from trajectories.store import Store

_LABELS = ("label", "executed_label", "refusal", "tool_verdict")
"""Vocabularies with a column; the judgements are those of the rules."""

COLUMNS = (
    "study",
    "episode_id",
    "attempt",
    "instrument",
    "case",
    "scenario",
    "scenario_id",
    "family",
    "domain",
    "agent",
    "environment",
    *FACTORS,
    "repeat",
    "seed",
    "ended",
    "truncated",
    "label",
    "label_missing",
    "executed_label",
    "executed_label_missing",
    "arm",
    "system",
    "refusal",
    "refusal_missing",
    "tool_verdict",
    "tool_verdict_missing",
    "turns",
    "faults",
    "invalid_turns",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "origin",
    "error",
)
"""``label_missing`` says why there is no label: ``unmeasured: declined``, ``crashed: …``; empty where there is one."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters of what a spreadsheet takes for a formula."""


async def export_csv(store: Store, study: str, out: Path, choice: Choice = EVERYTHING) -> Path:
    """Write the latest attempt at every episode of a study into the file ``out``, whole or not at all.

    Args:
        store: where it is.
        study: its name.
        out: a file that does not exist, or an earlier export of this study, which is replaced.
        choice: what is taken of it.

    Returns:
        ``out``.

    Raises:
        StudyError: there is no such study.
        InputError: ``out`` holds something else, or cannot be written.
    """
    await store.read(lambda connection: _write(connection, study, out, choice))
    return out


def _write(connection: Connection, study: str, out: Path, choice: Choice) -> None:
    settings(connection, study)
    with (
        replacing(out, lambda place: _check_target(place, study)) as made,
        made.open("w", encoding="utf-8", newline="") as file,
    ):
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for trajectory, judgements in chosen(connection, study, choice):
            cells = episode_cells(trajectory, judgements)
            rows.writerow([neutral(cells.get(column)) for column in COLUMNS])


def _check_target(out: Path, study: str) -> None:
    if out.is_dir():
        raise InputError(f"{out} is a folder, and the format csv is a file: give a name such as {out / 'study.csv'}")
    if out.exists() and not _is_export_of(out, study):
        raise InputError(f"{out} holds something else than an export of {study!r}: choose another name")


def _is_export_of(path: Path, study: str) -> bool:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            header, first = next(rows, []), next(rows, None)
    except (OSError, ValueError, csv.Error):
        return False
    return tuple(header) == COLUMNS and (first is None or first[0] == neutral(study))


def episode_cells(trajectory: Trajectory, judgements: Iterable[Judgement]) -> Mapping[str, Any]:
    """Column -> value, of the columns that have one."""
    plain_fields = trajectory.model_dump(include=set(COLUMNS) - {"turns"})
    return {
        **plain_fields,
        **trajectory.cell.levels,
        "agent": trajectory.cell.agent,
        "environment": trajectory.cell.environment,
        "turns": len(trajectory.turns),
        "faults": count_faults(trajectory),
        "invalid_turns": count_invalid_turns(trajectory),
        "prompt_tokens": trajectory.usage.prompt_tokens,
        "completion_tokens": trajectory.usage.completion_tokens,
        **dict(_labels(judgements)),
    }


def _labels(judgements: Iterable[Judgement]) -> Iterator[tuple[str, str]]:
    """Columns of the rules' newest judgement in each vocabulary."""
    by_age = sorted((j for j in judgements if j.maker == "rules"), key=lambda j: (len(j.version), j.version))
    for judgement in by_age:
        if judgement.vocabulary in _LABELS:
            is_measured = isinstance(judgement.outcome, Measured)
            text = outcome_text(judgement)
            yield judgement.vocabulary, text if is_measured else ""
            yield f"{judgement.vocabulary}_missing", "" if is_measured else f"{judgement.outcome.kind}: {text}"


def neutral(value: Any) -> Any:
    """A cell's value; text never reads as a formula."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
