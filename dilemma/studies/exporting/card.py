"""The data card that comes with an export: what is in it, how it was made, under which licence, with its canary."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import yaml

from dilemma_kernel.errors import DilemmaError, InputError
from dilemma_kernel.records import Judgement, Record, StudyRecord, Trajectory, content_hash
from refusal_transfer.loading import SHIPPED as SHIPPED_SUITE
from refusal_transfer.loading import read_suite
from scenario_factory import load_pack
from trajectories.export import CARD

EXPORT_VERSION = "1"
"""Version of the forms of exports."""

UNKNOWN = "not known: that of the scenarios' source"

CLOCKS = "timing.jsonl"
"""The file in which equal studies may differ."""

FILES: Mapping[str, str] = {
    "study.json": "the study's settings",
    "scenarios.jsonl": "a scenario a line, by name",
    "trajectories.jsonl": "a trajectory a line, by case, cell and repeat",
    "judgements.jsonl": "what rules, models and people say of them, a judgement a line",
    "earlier_attempts.jsonl": "attempts that crashed and were run again",
    CLOCKS: "latencies, waits and provider ids, a line a reply; alone may differ between equal runs",
    "episodes.parquet": "a row an episode",
    "turns.parquet": "a row a turn",
    "judgements.parquet": "a row a judgement",
}


@dataclass(frozen=True, kw_only=True)
class Made:
    """How an export was made."""

    study: StudyRecord
    form: str
    episodes: int
    """That it has."""
    of: int
    """That the study has."""
    only: Sequence[str]
    redacted: int
    """Patterns of a person's that were taken out. The patterns themselves would tell what is no longer there."""
    licence: str | None = None
    """Given by a person; None for that of the pack."""


def canary(study: StudyRecord) -> str:
    """A text that marks this study's data in training data; it follows from the settings alone."""
    return f"dilemma-export canary {content_hash(['export', study.name, study.pack_hash, study.seed], 32)}"


def card(made: Made, files: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """The card as Markdown with a head in YAML, which tools read.

    Args:
        made: how the export was made.
        files: name -> SHA-256.
        columns: name -> meaning, where rows have columns of their own; empty for records.
    """
    return "\n".join(
        [
            "---",
            yaml.safe_dump(_head(made, files), sort_keys=False, allow_unicode=True).strip(),
            "---",
            "",
            *_body(made, files, columns),
            "",
        ]
    )


def hashes(folder: Path) -> dict[str, str]:
    """Name -> SHA-256 of every file of a folder, folders within it included, but of the one that may differ."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != CLOCKS)
    return {path.relative_to(folder).as_posix(): sha256(path) for path in paths}


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


def check_files(folder: Path) -> None:
    """Hold the files of a folder to its card, where it has one: a file that was cut off is told before it is read.

    Raises:
        InputError: a file is missing, or is another than the card names.
    """
    for name, digest in named_in(folder / CARD).items():
        path = folder / name
        if not path.is_file():
            raise InputError(f"{path} is missing, and the export's card names it: copy the whole folder")
        if sha256(path) != digest:
            raise InputError(
                f"{path} is not the file that {folder / CARD} names: it was cut off or changed; "
                f"copy it again, or remove {CARD} to read it as it is"
            )


def named_in(card: Path) -> dict[str, str]:
    """Name -> SHA-256, of the files that a card names; none where it is no card. Names that lead elsewhere are left."""
    try:
        found = yaml.safe_load(card.read_text(encoding="utf-8").split("---\n")[1])["sha256"]
        return {name: str(digest) for name, digest in found.items() if Path(str(name)).name == name}
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, yaml.YAMLError):
        return {}


def _head(made: Made, files: Mapping[str, str]) -> dict[str, object]:
    study, (licence, pack_canary) = made.study, _source(made.study)
    tables = [name for name in files if name.endswith(".parquet")]
    configs = [{"config_name": Path(name).stem, "data_files": name} for name in tables]
    return {
        "pretty_name": f"dilemma study {study.name}",
        "license": made.licence or licence or "other",
        **({"configs": configs} if configs else {}),
        "study": study.name,
        "instrument": study.instrument,
        "format": made.form,
        "export_version": EXPORT_VERSION,
        "canaries": [canary(study), *([pack_canary] if pack_canary else [])],
        "pack": study.pack,
        "pack_hash": study.pack_hash,
        "episodes": made.episodes,
        "of_episodes": made.of,
        "only": list(made.only),
        "redacted_patterns": made.redacted,
        "versions": {"dilemma-sim": version("dilemma-sim"), **study.versions},
        "sha256": dict(files),
    }


def _body(made: Made, files: Mapping[str, str], columns: Mapping[str, str]) -> Iterator[str]:
    study, (licence, _) = made.study, _source(made.study)
    what = "replies to matched triples" if study.instrument == "transfer" else "episodes of dilemmas"
    yield from (f"# {_inline(study.name)}", "", f"{made.episodes:,} {what}, exported by dilemma as `{made.form}`.")
    if made.only:
        yield from ("", f"Not the whole study: {made.episodes:,} of {made.of:,}, by {_code(made.only)}.")
    yield from (
        "",
        "Keys, tokens and private keys are taken out" + _also_redacted(made.redacted),
    )
    yield from (
        "",
        "## Licence",
        "",
        f"Scenarios: {made.licence or licence or UNKNOWN}. What models wrote is under their makers' terms.",
    )
    yield from (
        "",
        "## Canary",
        "",
        "Not for training. Documents with this text should be left out of training data:",
        "",
        f"    {canary(study)}",
    )
    yield from ("", "## How it was made", "")
    yield from (
        "| setting | value |",
        "|---|---|",
        *(f"| {name} | {_inline(text)} |" for name, text in _settings(study)),
    )
    yield from ("", "## Files", "", "| file | what | SHA-256 |", "|---|---|---|")
    yield from (f"| {_inline(name)} | {FILES.get(name, 'the export')} | `{digest}` |" for name, digest in files.items())
    yield from ("", "## Fields", "")
    if columns:
        yield from (
            "| column | meaning |",
            "|---|---|",
            *(f"| `{name}` | {_inline(text)} |" for name, text in columns.items()),
        )
    else:
        yield from _record_fields("Trajectory", Trajectory)
        yield from _record_fields("Judgement", Judgement)


def _also_redacted(patterns: int) -> str:
    if not patterns:
        return "."
    return f", and what {patterns} patterns match." if patterns > 1 else ", and what one pattern matches."


def _settings(study: StudyRecord) -> Iterator[tuple[str, str]]:
    yield "pack", f"{study.pack} ({study.pack_hash})"
    yield "cells", str(len(study.cells))
    yield "scenarios", str(len(study.scenarios))
    yield "episodes for each scenario and cell", str(study.episodes)
    yield "turns at most", str(study.turns)
    yield "seed", str(study.seed)
    yield from ((f"version of {_inline(name)}", text) for name, text in study.versions.items())


def _record_fields(name: str, kind: type[Record]) -> Iterator[str]:
    yield from (f"### {name}", "", "| field | meaning |", "|---|---|")
    yield from (f"| `{field}` | {_inline(info.description or '')} |" for field, info in kind.model_fields.items())
    yield ""


def _source(study: StudyRecord) -> tuple[str, str]:
    """Licence and canary of the pack or suite, where it is here and still the same."""
    try:
        if study.instrument == "transfer":
            suite = read_suite(SHIPPED_SUITE)
            return (suite.manifest.licence, "") if suite.hash == study.pack_hash else ("", "")
        pack = load_pack(study.pack)
    except (DilemmaError, OSError):
        return "", ""
    return (pack.licence, pack.canary) if pack.hash == study.pack_hash else ("", "")


def _code(texts: Sequence[str]) -> str:
    return ", ".join(f"`{_inline(text).replace('`', '')}`" for text in texts)


def _inline(text: str) -> str:
    """A text on one line of a table, with nothing that Markdown or HTML would obey."""
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())[:300]
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
