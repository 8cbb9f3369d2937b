"""``dilemma annotate``: people's labels."""

from pathlib import Path
from typing import Annotated

import typer

from dilemma.cli.reading import JsonOption, StoreOption

app = typer.Typer(help="People's labels: a sheet out, and its labels in.", no_args_is_help=True)


@app.command("sheet")
def sheet(
    study: Annotated[str, typer.Argument()],
    out: Annotated[Path, typer.Option(metavar="F.csv", help="Where to write it.")],
    n: Annotated[int, typer.Option("--n", help="Rows.")] = 50,
    by: Annotated[
        str | None,
        typer.Option(metavar="JUDGE", help="Whose labels stratify. Default: the first judge, or rules."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    store: StoreOption = None,
) -> None:
    """Draw episodes for people to label, each with the probability with which it was drawn."""
    from dilemma.studies.annotate import draw_sheet

    written = draw_sheet(study, n, out, store, by=by, seed=seed)
    typer.echo(f"wrote {written} rows to {out}; fill the column label, and cites and note as you like")


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="F.csv")],
    annotator: Annotated[str | None, typer.Option(metavar="NAME", help="Whose labels. Default: the column's.")] = None,
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Store the labels of a filled sheet."""
    from dilemma.cli.tables import print_json
    from dilemma.studies.annotate import import_sheet

    made = import_sheet(path, store, annotator=annotator)
    if json_:
        print_json(made.model_dump(mode="json"))
        return
    who = ", ".join(made.people) or "nobody"
    typer.echo(f"stored {made.rows} labels by {who} in {', '.join(made.studies)}; {made.blank} rows were blank")
