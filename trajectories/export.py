"""``--format jsonl``: a study as a folder of JSON lines.

::

    PATH/study.json              its settings
    PATH/scenarios.jsonl         a Scenario a line, by name
    PATH/trajectories.jsonl      a Trajectory a line, its latest attempt, by case, cell and repeat
    PATH/judgements.jsonl        a Judgement a line, of those attempts, in their order
    PATH/earlier_attempts.jsonl  {"trajectory", "judgements"}: attempts that crashed and were run again
    PATH/timing.jsonl            latencies, waits, attempts and provider ids, a line a reply in the call log: its
                                 case, cell, repeat, turn, role, ask and model, and its ``Timing``
    PATH/README.md               the data card, where one is given

Every line reads as its record. Same study, same replies: same bytes in every file but ``timing.jsonl``, whatever
the order in which episodes ended and however often the study was killed and resumed.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Row, Select

from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.records import JsonObject, Timing, canonical_json
from trajectories import queries
from trajectories.choosing import AT_A_TIME, EVERYTHING, Choice, place_of
from trajectories.jsontext import parse
from trajectories.replacing import replacing
from trajectories.reproducible import reproducible
from trajectories.store import Store

LINES = ("scenarios", "trajectories", "judgements", "earlier_attempts", "timing")
"""Files of JSON lines, without their suffix."""

CARD = "README.md"
"""The data card's file, in a folder."""

_FILES = {"study.json", CARD, *(f"{name}.jsonl" for name in LINES)}


async def export_jsonl(
    store: Store, study: str, out: Path, choice: Choice = EVERYTHING, card: Callable[[Path], str] | None = None
) -> Path:
    """Write a study into the folder ``out``, whole or not at all.

    Args:
        store: where it is.
        study: its name.
        out: a folder that does not exist, is empty, or holds an earlier export of this study, which is replaced.
        choice: what is taken of it.
        card: makes the data card, given the folder with all other files in it; None for none.

    Returns:
        ``out``.

    Raises:
        StudyError: there is no such study.
        InputError: ``out`` holds something else, or cannot be written.
    """
    await store.read(lambda connection: _write(connection, study, out, choice, card))
    return out


def _write(connection: Connection, study: str, out: Path, choice: Choice, card: Callable[[Path], str] | None) -> None:
    record = choice.rewrite("study", parse(settings(connection, study)))
    with replacing(out, lambda place: _check_target(place, study)) as folder:
        folder.mkdir()
        pretty = json.dumps(record, sort_keys=True, ensure_ascii=False, indent=2)
        with _text_file(folder / "study.json") as file:
            file.write(f"{pretty}\n")
        with ExitStack() as files:
            by_name = {name: files.enter_context(_text_file(folder / f"{name}.jsonl")) for name in LINES}
            for name, value in _lines(connection, study, choice):
                by_name[name].write(f"{canonical_json(value)}\n")
        if card is not None:
            text = card(folder)
            with _text_file(folder / CARD) as file:
                file.write(text)


def _check_target(out: Path, study: str) -> None:
    if out.suffix in {".json", ".jsonl"}:
        raise InputError(f"the format jsonl is a folder of files: give {out.with_suffix('')} rather than {out}")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file, and the format jsonl is a folder: choose another name")
    if out.is_dir() and any(out.iterdir()) and not _is_export_of(out, study):
        raise InputError(f"{out} holds something else than an export of {study!r}: choose another folder")


def _is_export_of(folder: Path, study: str) -> bool:
    if not {path.name for path in folder.iterdir()} <= _FILES:
        return False
    try:
        settings = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(settings, dict) and settings.get("name") == study


def _text_file(path: Path) -> IO[str]:
    """A lone surrogate, which is no UTF-8, becomes the escape that JSON has for it."""
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _lines(connection: Connection, study: str, choice: Choice) -> Iterator[tuple[str, JsonObject]]:
    """File and object of every line, in order within each file."""
    places: set[tuple[Any, ...]] = set()
    for text in stream(connection, queries.scenarios_of(study)):
        yield "scenarios", choice.rewrite("scenario", parse(text))
    for trajectory in _trajectories(connection, study, choice):
        if choice.episodes is not None:
            places.add(place_of(trajectory))
        yield "trajectories", choice.rewrite("trajectory", trajectory)
    for text in stream(connection, queries.judgements_of(study, None)):
        judgement = parse(text)
        if choice.takes(judgement["subject"]):
            yield "judgements", choice.rewrite("judgement", judgement)
    for trajectory in _trajectories(connection, study, choice, latest=False):
        on_it = queries.judgements_on(trajectory["episode_id"], trajectory["attempt"])
        judgements = [choice.rewrite("judgement", parse(judgement)) for judgement in connection.scalars(on_it)]
        yield "earlier_attempts", {"trajectory": choice.rewrite("trajectory", trajectory), "judgements": judgements}
    for row in connection.execution_options(yield_per=AT_A_TIME).execute(queries.timing_of(study)):
        if choice.episodes is None or (row.case_id, row.cell, row.repeat) in places:
            yield "timing", choice.rewrite("timing", _timing_line(row))


def _trajectories(connection: Connection, study: str, choice: Choice, *, latest: bool = True) -> Iterator[JsonObject]:
    for text in stream(connection, queries.records_of(study, latest=latest)):
        trajectory = reproducible(parse(text))
        if choice.takes(trajectory["episode_id"]):
            yield trajectory


def _timing_line(row: Row[Any]) -> JsonObject:
    """Where a reply belongs, and how long it took; nothing is known of a reply without a timing."""
    place = {name: getattr(row, name) for name in ("cell", "repeat", "turn", "role", "ask", "model")}
    timing = dict.fromkeys(Timing.model_fields) if row.timing is None else parse(row.timing)
    return {"case": row.case_id, **place, **timing}


def settings(connection: Connection, study: str) -> str:
    """The JSON of a study's settings.

    Raises:
        StudyError: there is no such study.
    """
    record: str | None = connection.scalar(queries.one_study(study))
    if record is None:
        raise StudyError(f"no study {study!r} in this store: dilemma studies lists them")
    return record


def stream(connection: Connection, statement: Select[Any]) -> Iterator[str]:
    """The first column of a statement's rows, without holding them all."""
    return iter(connection.execution_options(yield_per=AT_A_TIME).scalars(statement))
