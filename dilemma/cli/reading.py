"""Commands that read a store: ``report``, ``show``, ``export``, ``studies``."""

from pathlib import Path
from typing import Annotated

import typer

StoreOption = Annotated[str | None, typer.Option(metavar="URL", help="Default: sqlite:///dilemma.db.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def report(
    study: Annotated[str, typer.Argument()],
    store: StoreOption = None,
    compare: Annotated[
        str | None, typer.Option(metavar="published", help="Lay the published cells beside ours.")
    ] = None,
    sheet_from: Annotated[
        str | None, typer.Option(metavar="STUDY", help="Correct judges by the sheet of this other study.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Print a study's report."""
    from dilemma.cli.tables import print_report
    from dilemma.studies.study import instrument_of, open_study
    from dilemma_kernel.errors import InputError

    if compare not in (None, "published"):
        raise InputError(f"--compare {compare}: there is only 'published'")
    opened = open_study(study, store)
    if instrument_of(opened) == "transfer":
        from dilemma.cli.transfer_tables import print_transfer_report
        from dilemma.studies.transfer.study import TransferStudy

        transfer = TransferStudy(opened.name, opened.url).report(published=compare is not None)
        print_transfer_report(transfer, as_json=json_)
        return
    found = opened.report(sheet_from=sheet_from, published=compare is not None)
    print_report(found, as_json=json_)


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
    format_: Annotated[str, typer.Option("--format", metavar="jsonl|csv")] = "jsonl",
    out: Annotated[Path | None, typer.Option(help="A folder for jsonl, a file for csv.")] = None,
    store: StoreOption = None,
) -> None:
    """Write a study's trajectories to files."""
    from dilemma.studies.study import export_study

    written = export_study(study, store, format_, out)
    typer.echo(f"wrote {written}")


def studies(store: StoreOption = None, json_: JsonOption = False) -> None:
    """List the studies of a store."""
    from dilemma.cli.tables import print_studies
    from dilemma.studies.study import list_studies

    print_studies(list_studies(store), as_json=json_)
