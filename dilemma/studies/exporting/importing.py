"""``dilemma import FOLDER``: a jsonl export back into a store."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from dilemma.studies.exporting.card import check_files
from dilemma.studies.study import store_url, waited
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import JsonObject, Judgement, Record, Scenario, StudyRecord, Trajectory
from trajectories import open_store
from trajectories.jsontext import parse

R = TypeVar("R", bound=Record)

MOST_LINE = 256 * 2**20
"""Bytes of a line at most; a longer one is no record of ours."""


class ImportedStudy(Record):
    """What came in."""

    study: str
    scenarios: int
    episodes: int
    """Attempts that were run again are counted too."""
    judgements: int


def import_folder(folder: Path, url: str | None) -> ImportedStudy:
    """Read an export of the format jsonl into a store, which is made where it is missing.

    The same export again changes nothing. Latencies and provider ids (``timing.jsonl``) are not read: they belong
    to calls, which an export has not.

    Args:
        folder: the export.
        url: the store.

    Raises:
        InputError: the folder is no such export, or not the whole one that its data card names; one line that names
            the file and the line. Nothing is stored where the card shows it.
        StudyError: the store has a study of this name with other settings.
    """
    return waited(_import(folder, store_url(url)))


async def _import(folder: Path, url: str) -> ImportedStudy:
    check_files(folder)
    study = _study(folder / "study.json")
    scenarios = [_record(Scenario, value, where) for value, where in _lines(folder / "scenarios.jsonl")]
    said: dict[str, list[Judgement]] = {}
    for value, where in _lines(folder / "judgements.jsonl"):
        judgement = _record(Judgement, value, where)
        said.setdefault(judgement.subject, []).append(judgement)
    counted = sum(map(len, said.values()))
    episodes = 0
    async with open_store(url) as store:
        await store.save_study(study, scenarios)
        for value, where in _lines(folder / "earlier_attempts.jsonl"):
            earlier = _checked(_record(Trajectory, value.get("trajectory"), where), study, where)
            judgements = [_record(Judgement, one, where) for one in value.get("judgements", ())]
            await store.save(earlier, judgements)
            episodes, counted = episodes + 1, counted + len(judgements)
        for value, where in _lines(folder / "trajectories.jsonl"):
            trajectory = _checked(_record(Trajectory, value, where), study, where)
            await store.save(trajectory, said.pop(trajectory.episode_id, []))
            episodes += 1
    if said:
        raise InputError(f"{folder / 'judgements.jsonl'}: episode {next(iter(said))!r} is not among the trajectories")
    return ImportedStudy(study=study.name, scenarios=len(scenarios), episodes=episodes, judgements=counted)


def _study(path: Path) -> StudyRecord:
    try:
        value = parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path.parent} holds no study.json: give the folder of a jsonl export") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {_short(error)}") from None
    return _record(StudyRecord, value, str(path))


def _checked(trajectory: Trajectory, study: StudyRecord, where: str) -> Trajectory:
    if trajectory.study != study.name:
        raise InputError(f"{where}: it belongs to study {trajectory.study!r}, not to {study.name!r}")
    return trajectory


def _lines(path: Path) -> Iterator[tuple[JsonObject, str]]:
    """Objects, and where each stands."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MOST_LINE):
                number += 1
                where = f"{path}, line {number}"
                if len(line) == MOST_LINE:
                    raise InputError(f"{where}: it is longer than {MOST_LINE:,} bytes")
                yield _object(line, where), where
    except OSError as error:
        raise InputError(f"{path} cannot be read: {_short(error)}") from None


def _object(line: bytes, where: str) -> JsonObject:
    try:
        value: Any = parse(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {_short(error)}") from None
    if not isinstance(value, dict):
        raise InputError(f"{where}: a line holds an object, and this is {type(value).__name__}")
    return value


def _record(kind: type[R], value: Any, where: str) -> R:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{where}: not a {kind.__name__}: {place}: {first['msg']}") from None


def _short(error: Exception) -> str:
    return json.dumps(str(error))[1:200].rstrip('"')
