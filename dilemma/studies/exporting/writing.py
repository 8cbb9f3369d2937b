"""``dilemma export``: which episodes, without what, in which form, with its data card."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from dilemma.settings import known_secrets
from dilemma.studies.exporting.card import Made, card, hashes, sha256
from dilemma.studies.exporting.columns import csv_columns
from dilemma.studies.exporting.placing import default_place
from dilemma.studies.exporting.redacting import Redactor, redactor
from dilemma.studies.exporting.selecting import parse_only
from dilemma.studies.study import known_study, store_url, waited
from dilemma_kernel.errors import InputError, MissingExtraError
from dilemma_kernel.records import StudyRecord
from trajectories import Store, export_csv, export_jsonl, open_store
from trajectories.bulk import each_episode
from trajectories.choosing import Choice

FORMATS = ("jsonl", "csv", "parquet", "inspect", "html")
FOLDERS = ("jsonl", "parquet", "inspect")
"""Formats that are a folder; the others are a file, with the card beside it."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """What an export takes."""

    record: StudyRecord
    choice: Choice
    redactor: Redactor
    made: Made

    def card(self, files: Mapping[str, str], columns: Mapping[str, str]) -> str:
        """Its data card."""
        return card(self.made, files, columns)


class Writer(Protocol):
    """Writes one format."""

    def __call__(self, store: Store, chosen: Chosen, out: Path, /) -> Coroutine[Any, Any, None]: ...


def export_study(
    name: str,
    url: str | None,
    form: str,
    out: Path | None,
    *,
    only: Sequence[str] = (),
    redact: Sequence[str] = (),
    licence: str | None = None,
) -> Path:
    """Write a study to ``out``, by default a folder or file named after the study.

    Args:
        name: the study's.
        url: its store.
        form: one of ``FORMATS`` but ``html``, which is a page and no study's business.
        out: where to; what is there is replaced if it is an export of this study.
        only: conditions that all hold of what is taken, such as ``label=strategic,direct``.
        redact: regular expressions of what is taken out; keys and secrets always are.
        licence: of the export, where it is not that of the pack.

    Returns:
        What was written.

    Raises:
        InputError: an unknown format, condition or pattern, or a place that cannot be written.
        StudyError: an unknown study.
    """
    if form not in FORMATS or form == "html":
        raise InputError(f"unknown format {form!r}; there are {', '.join(FORMATS)}")
    target = out or default_place(name, "" if form == "jsonl" else f".{form}")
    return waited(_export(name, store_url(url), form, target, only, redact, licence))


def choose(
    name: str, url: str, form: str, only: Sequence[str], redact: Sequence[str], licence: str | None = None
) -> Chosen:
    """What an export of these conditions and patterns takes. Arguments and errors as for ``export_study``."""

    async def work() -> Chosen:
        async with open_store(url, read_only=True) as store:
            return await _choose(store, name, form, only, redact, licence)

    return waited(work())


async def _export(
    name: str, url: str, form: str, out: Path, only: Sequence[str], redact: Sequence[str], licence: str | None
) -> Path:
    async with open_store(url, read_only=True) as store:
        chosen = await _choose(store, name, form, only, redact, licence)
        await _writer(form)(store, chosen, out)
        return out


async def _choose(
    store: Store, name: str, form: str, only: Sequence[str], redact: Sequence[str], licence: str | None
) -> Chosen:
    record = await known_study(store, name)
    selection = parse_only(only, record)
    levels = {cell.key: cell.levels for cell in record.cells}
    taken = await each_episode(
        store, name, lambda episode, said: (episode.episode_id, selection.holds(episode, said, levels))
    )
    ids = frozenset(episode_id for episode_id, holds in taken if holds)
    if only and not ids:
        raise InputError(f"nothing is left: no episode of study {name!r} has {' and '.join(only)}")
    scrub = redactor(redact, known_secrets(), await store.scenarios(name))
    return Chosen(
        record=record,
        choice=Choice(episodes=ids if only else None, rewrite=scrub.record),
        redactor=scrub,
        made=Made(
            study=record,
            form=form,
            episodes=len(ids),
            of=len(taken),
            only=tuple(only),
            redacted=len(redact),
            licence=licence,
        ),
    )


def _writer(form: str) -> Writer:
    writers: dict[str, Callable[[], Writer]] = {
        "jsonl": lambda: _jsonl,
        "csv": lambda: _csv,
        "parquet": lambda: _adapter("parquet", "write_parquet"),
        "inspect": lambda: _adapter("inspect_logs", "write_inspect"),
    }
    return writers[form]()


def _adapter(module: str, name: str) -> Writer:
    """A writer that is loaded only when it is used."""
    try:
        found: Writer = getattr(import_module(f"dilemma.studies.exporting.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name == "pyarrow":
            raise MissingExtraError("the format parquet", "review") from error
        raise
    return found


async def _jsonl(store: Store, chosen: Chosen, out: Path) -> None:
    await export_jsonl(store, chosen.record.name, out, chosen.choice, lambda folder: chosen.card(hashes(folder), {}))


async def _csv(store: Store, chosen: Chosen, out: Path) -> None:
    await export_csv(store, chosen.record.name, out, chosen.choice)
    write_card_beside(out, chosen, csv_columns())


def write_card_beside(out: Path, chosen: Chosen, columns: Mapping[str, str]) -> Path:
    """Write the card of a file beside it, as ``FILE.card.md``."""
    beside = out.with_name(f"{out.name}.card.md")
    try:
        beside.write_text(chosen.card({out.name: sha256(out)}, columns), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{beside} cannot be written: {error.strerror or error}") from error
    return beside
