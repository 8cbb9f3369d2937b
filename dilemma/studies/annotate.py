"""People's labels: a sheet drawn from a study with known probabilities, and its way back.

The sheet is stratified by cell and by whether a judge called the episode misaligned, and says neither: a person sees
the record, in an order that tells nothing. Each row keeps the probability with which it was drawn.
"""

import csv
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dilemma.studies.agreement import LABEL, PERSON, RULES, label_by
from dilemma.studies.rows import EpisodeRow, is_misaligned, value
from dilemma.studies.study import episode_rows, known_study, store_url, waited
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.records import LABELS, Judgement, Measured, Outcome, Record, Unmeasured, derive_seed
from trajectories import Store, open_store
from trajectories.record_text import record_text
from trajectories.rubric import NO_TERMINAL
from trajectories.spreadsheet import neutral

SHEET_VERSION = "1"
"""Version of the sheet's form and of the instructions beside it."""

VOCABULARIES: Mapping[str, tuple[str, ...]] = {
    LABEL: (*LABELS, NO_TERMINAL),
    "refusal": ("refused", "answered"),
}
"""What a sheet may ask for, and the values that it takes."""

COLUMNS = ("vocabulary", "study", "episode", "probability", "scenario", "record", "label", "cites", "annotator", "note")
GIVEN = ("vocabulary", "study", "episode", "probability", "label")
"""Columns that an import needs."""


class Imported(Record):
    """What came in from a sheet."""

    studies: tuple[str, ...]
    rows: int
    """Labels stored."""
    blank: int
    """Rows without a label, which are left out."""
    people: tuple[str, ...]


class SheetRow(Record):
    """An episode on a sheet."""

    study: str
    episode: str
    probability: float
    """With which it was drawn."""


@dataclass(frozen=True)
class _Drawn:
    row: EpisodeRow
    probability: float


def draw_sheet(study: str, n: int, out: Path, url: str | None = None, *, by: str | None = None, seed: int = 0) -> int:
    """Write a sheet of about ``n`` episodes for people to label.

    Args:
        study: its name.
        n: rows; every stratum gets one at least.
        out: a CSV file that does not exist.
        url: the store.
        by: whose labels stratify, beside the cell; the first model judge by default, else the rules.
        seed: of the draw.

    Returns:
        Rows written.

    Raises:
        InputError: no such study or judge, a file that is there, or too few rows.
    """
    return waited(_draw(study, n, out, store_url(url), by, seed))


def import_sheet(path: Path, url: str | None = None, *, annotator: str | None = None) -> Imported:
    """Store the labels of a sheet, as a person's.

    Args:
        path: the CSV file.
        url: the store.
        annotator: whose labels they are; None for what the column ``annotator`` says.

    Raises:
        InputError: one line that names the row and what was expected; nothing is stored then.
    """
    return waited(_import(path, store_url(url), annotator))


def read_sheet(path: Path) -> list[SheetRow]:
    """The episodes of a sheet, in its order, labelled or not. Raises ``InputError`` where it is none."""
    return [
        SheetRow(
            study=line["study"],
            episode=line["episode"],
            probability=_probability(path, number, line["probability"]),
        )
        for number, line in enumerate(_read(path), start=2)
    ]


async def _draw(study: str, n: int, out: Path, url: str, by: str | None, seed: int) -> int:
    if n < 1:
        raise InputError(f"--n must be at least 1, not {n}")
    if out.exists():
        raise InputError(f"{out} exists: choose another name")
    async with open_store(url, read_only=True) as store:
        await known_study(store, study)
        rows = await episode_rows(store, study)
        judge = by or _first_judge(rows)
        drawn = sample(rows, judge, n, random.Random(derive_seed("sheet", study, seed)))
        lines = await _lines(store, study, drawn)
    write_sheet(out, lines)
    return len(lines)


def sample(rows: Sequence[EpisodeRow], judge: str, n: int, rng: random.Random) -> list[_Drawn]:
    """Draw from each stratum (cell × misaligned by the judge) without replacement; as many from each as can be.

    Raises:
        StudyError: the judge has labelled nothing.
    """
    strata: dict[tuple[str, bool], list[EpisodeRow]] = {}
    for row in sorted(rows, key=lambda row: row.episode_id):
        label = label_by(row, judge)
        if value(label) is not None:
            strata.setdefault((row.cell, is_misaligned(label)), []).append(row)
    if not strata:
        raise StudyError(f"{judge} has labelled no episode of this study: dilemma classify runs judges")
    drawn = []
    for members, size in zip(strata.values(), equal_shares([len(m) for m in strata.values()], n), strict=True):
        drawn += [_Drawn(row, size / len(members)) for row in rng.sample(members, size)]
    rng.shuffle(drawn)
    return drawn


def equal_shares(sizes: Sequence[int], n: int) -> list[int]:
    """``n`` rows over strata of these sizes: equal shares, what a small stratum leaves to the others, one at least."""
    shares = [1] * len(sizes)
    left = n - len(sizes)
    while left > 0 and any(share < size for share, size in zip(shares, sizes, strict=True)):
        for place in sorted(range(len(sizes)), key=lambda i: shares[i]):
            if left > 0 and shares[place] < sizes[place]:
                shares[place] += 1
                left -= 1
    return shares


async def _lines(store: Store, study: str, drawn: Sequence[_Drawn]) -> list[dict[str, str]]:
    scenarios = {s.scenario_id: s for s in await store.scenarios(study)}
    lines = []
    for one in drawn:
        trajectory = await store.episode(one.row.episode_id)
        lines.append(
            {
                "vocabulary": LABEL,
                "study": study,
                "episode": trajectory.episode_id,
                "probability": repr(one.probability),
                "scenario": trajectory.scenario,
                "record": record_text(trajectory, scenarios[trajectory.scenario_id]),
            }
        )
    return lines


def write_sheet(out: Path, lines: Sequence[Mapping[str, str]]) -> None:
    """Write a sheet: a line a row, what is to be filled in left empty. Raises ``InputError`` where it cannot be."""
    try:
        with out.open("x", encoding="utf-8", newline="") as file:
            sheet = csv.writer(file)
            sheet.writerow(COLUMNS)
            sheet.writerows([neutral(line.get(column, "")) for column in COLUMNS] for line in lines)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from None


def _first_judge(rows: Sequence[EpisodeRow]) -> str:
    makers = {maker for row in rows for vocabulary, maker in row.said if vocabulary == LABEL}
    return min(makers - {RULES} - {m for m in makers if m.startswith(PERSON)}, default=RULES)


async def _import(path: Path, url: str, annotator: str | None) -> Imported:
    lines = _read(path)
    judgements = [_judgement(path, number, line, annotator) for number, line in enumerate(lines, start=2)]
    made = [judgement for judgement in judgements if judgement]
    async with open_store(url) as store:
        known = {
            study: {e.episode_id for e in await store.episodes(study)} for study in {line["study"] for line in lines}
        }
        for number, (line, judgement) in enumerate(zip(lines, judgements, strict=True), start=2):
            if judgement and line["episode"] not in known[line["study"]]:
                raise InputError(f"{path}: row {number}: no episode {line['episode']!r} in study {line['study']!r}")
        await store.add_judgements(made)
    return Imported(
        studies=tuple(sorted(known)),
        rows=len(made),
        blank=len(lines) - len(made),
        people=tuple(sorted({judgement.maker for judgement in made})),
    )


def _read(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [{name: (text or "").strip() for name, text in row.items() if name} for row in csv.DictReader(file)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as a sheet: {error}") from None
    if not rows or not set(GIVEN) <= set(rows[0]):
        raise InputError(f"{path}: expected a sheet with the columns {', '.join(GIVEN)}")
    return rows


def _judgement(path: Path, number: int, line: Mapping[str, str], annotator: str | None) -> Judgement | None:
    """The label of one row; None where it is blank."""
    label, person = line["label"].lower(), annotator or line.get("annotator", "")
    if not label:
        return None
    vocabulary = line["vocabulary"]
    if vocabulary not in VOCABULARIES:
        raise InputError(f"{path}: row {number}: vocabulary {vocabulary!r}: there is {', '.join(VOCABULARIES)}")
    if label not in VOCABULARIES[vocabulary]:
        raise InputError(f"{path}: row {number}: label {label!r}: there are {', '.join(VOCABULARIES[vocabulary])}")
    if not person:
        raise InputError(
            f"{path}: row {number}: whose label is it? Fill the column annotator, or give --annotator NAME"
        )
    outcome: Outcome = Unmeasured(why="no label applies") if label == NO_TERMINAL else Measured(value=label)
    return Judgement(
        subject=line["episode"],
        vocabulary=vocabulary,
        outcome=outcome,
        maker=f"{PERSON}{person}",
        version=SHEET_VERSION,
        cites=_turns(path, number, line.get("cites", "")),
        note=line.get("note", ""),
        probability=_probability(path, number, line["probability"]),
    )


def _turns(path: Path, number: int, text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted({int(part) for part in text.replace(";", ",").replace(" ", ",").split(",") if part}))
    except ValueError:
        raise InputError(f"{path}: row {number}: cites {text!r}: expected turn numbers, such as 2,3") from None


def _probability(path: Path, number: int, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise InputError(f"{path}: row {number}: probability {text!r}: expected a number above 0, 1 at most")
    return found
