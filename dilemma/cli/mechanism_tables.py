"""A run of the laboratory on a terminal."""

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from dilemma.cli.safe import visible
from dilemma.cli.tables import print_json, wide_console
from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.mechanism.shown import shown_tables
from dilemma.studies.mechanism.texts import Shown


def print_mechanism_report(report: MechanismReport, *, as_json: bool) -> None:
    """Findings first, then every table."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = wide_console()
    console.print(
        Text(visible(f"{report.model} · {report.layers} layers, width {report.width}, {report.dtype}"), "bold")
    )
    console.print(Text(visible(f"suite {report.suite} ({report.suite_hash}) · study {report.study}")))
    for text in report.findings:
        console.print(Text(f"· {visible(text)}"), soft_wrap=False)
    for shown in shown_tables(report):
        console.print(_table(shown))
        for note in shown.notes:
            console.print(Text(visible(note), "dim"))


def _table(shown: Shown) -> Table:
    table = Table(title=shown.title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for number, name in enumerate(shown.columns):
        table.add_column(name, overflow="fold", justify="left" if number < shown.words else "right")
    for row in shown.rows:
        table.add_row(*(visible(cell) for cell in row))
    return table
