"""Commands that read a store: ``report``, ``show``, ``export``, ``studies``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

StoreOption = Annotated[str | None, typer.Option(metavar="URL", help="Default: sqlite:///dilemma.db.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page there instead.")
]
FiguresOption = Annotated[
    Path | None, typer.Option("--figures", metavar="FOLDER", help="Write each picture there as SVG and PNG.")
]
TranscriptsOption = Annotated[int, typer.Option("--transcripts", min=0, help="Transcripts in the page at most.")]


def report(
    study: Annotated[str, typer.Argument()],
    store: StoreOption = None,
    compare: Annotated[
        str | None, typer.Option(metavar="published", help="Lay the published cells beside ours.")
    ] = None,
    sheet_from: Annotated[
        str | None, typer.Option(metavar="STUDY", help="Correct judges by the sheet of this other study.")
    ] = None,
    html: HtmlOption = None,
    figures: FiguresOption = None,
    transcripts: TranscriptsOption = 200,
    json_: JsonOption = False,
) -> None:
    """Print a study's report, or write it as a page."""
    from dilemma.cli.tables import print_report
    from dilemma.studies.study import instrument_of, open_study
    from dilemma_kernel.errors import InputError

    if compare not in (None, "published"):
        raise InputError(f"--compare {compare}: there is only 'published'")
    opened = open_study(study, store)
    is_transfer = instrument_of(opened) == "transfer"
    if html or figures:
        from dilemma.review import write_report, write_transfer_report

        shared: dict[str, Any] = {"published": compare is not None, "transcripts": transcripts}
        if is_transfer:
            say_written(write_transfer_report(opened, html, figures, **shared))
        else:
            say_written(write_report(opened, html, figures, sheet_from=sheet_from, **shared))
        return
    if is_transfer:
        from dilemma.cli.transfer_tables import print_transfer_report
        from dilemma.studies.transfer.study import TransferStudy

        transfer = TransferStudy(opened.name, opened.url).report(published=compare is not None)
        print_transfer_report(transfer, as_json=json_)
        return
    found = opened.report(sheet_from=sheet_from, published=compare is not None)
    print_report(found, as_json=json_)


def say_written(paths: Iterable[Path]) -> None:
    """A line for each file."""
    for path in paths:
        typer.echo(f"wrote {path}")


def show(
    episode: Annotated[str, typer.Argument(help="An episode's id, or the start of one.")],
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Print an episode as a transcript."""
    from dilemma.cli.transcript import print_transcript
    from dilemma.studies.study import read_episode

    stored = read_episode(episode, store)
    if stored.scenario is None:
        from dilemma.cli.transfer_tables import print_arm

        print_arm(stored, as_json=json_)
        return
    print_transcript(stored, as_json=json_)


def export(
    study: Annotated[str, typer.Argument()],
    format_: Annotated[str, typer.Option("--format", metavar="jsonl|csv|parquet|inspect|html")] = "jsonl",
    out: Annotated[Path | None, typer.Option(help="A folder; for csv and html a file.")] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE,…", help="Such as label=strategic,direct. Repeatable: all must hold."),
    ] = None,
    redact: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="Regular expression to take out. Repeatable.")
    ] = None,
    licence: Annotated[str | None, typer.Option(metavar="SPDX", help="Default: that of the pack.")] = None,
    store: StoreOption = None,
) -> None:
    """Write a study to files that other tools open, with a data card. Keys and secrets are taken out always."""
    if format_ == "html":
        from dilemma.review import export_page

        say_written(export_page(study, store, out, only=only or (), redact=redact or (), licence=licence))
        return
    from dilemma.studies.exporting import export_study

    written = export_study(study, store, format_, out, only=only or (), redact=redact or (), licence=licence)
    typer.echo(f"wrote {written}")


def import_(
    folder: Annotated[Path, typer.Argument(help="An export of the format jsonl.")],
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Read an export back into a store. The same export again changes nothing."""
    from dilemma.cli.tables import print_json
    from dilemma.studies.exporting import import_folder

    found = import_folder(folder, store)
    if json_:
        print_json(found.model_dump(mode="json"))
        return
    typer.echo(f"study {found.study}: {found.episodes:,} episodes, {found.judgements:,} judgements")


def studies(store: StoreOption = None, json_: JsonOption = False) -> None:
    """List the studies of a store."""
    from dilemma.cli.tables import print_studies
    from dilemma.studies.study import list_studies

    print_studies(list_studies(store), as_json=json_)
