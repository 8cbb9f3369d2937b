"""``dilemma scenarios``: list, show, check, lineage, graph."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="List, show and check scenarios.", no_args_is_help=True, rich_markup_mode=None)

PackArgument = Annotated[str, typer.Argument(metavar="PACK|PATH")]


@app.command("list")
def list_(pack: PackArgument = "starter", json_: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the scenarios of a pack."""
    from dilemma.cli.tables import print_scenarios
    from dilemma.studies.packs import read_pack

    print_scenarios(read_pack(pack), as_json=json_)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A scenario's name, or the path of its file.")],
    pack: Annotated[str, typer.Option(metavar="PACK|PATH")] = "starter",
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="FACTOR=LEVEL")] = None,
) -> None:
    """Print a scenario as the agent meets it, and what only its maker knows."""
    from dilemma.cli.scenario_page import print_scenario
    from dilemma.studies.options import all_levels, parse_set
    from dilemma.studies.packs import find_scenario

    print_scenario(find_scenario(name, pack), all_levels(parse_set(set_ or [])))


@app.command()
def check(path: PackArgument = "starter", json_: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Check a scenario or a pack: the machine-checked closure of what a dilemma is."""
    from dilemma.cli.tables import print_findings
    from dilemma.studies.cues import cues_of
    from dilemma.studies.packs import check_pack

    findings = check_pack(path)
    print_findings(findings, cues_of(path), as_json=json_)
    if any(findings.values()):
        sys.exit(2)


@app.command()
def lineage(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="A generated scenario's name or id.")],
    store: Annotated[str | None, typer.Option(metavar="URL", help="Default: sqlite:///dilemma.db.")] = None,
    out: Annotated[Path | None, typer.Option(help="Draw the rounds as SVG instead.")] = None,
) -> None:
    """Show the rounds that a generated scenario went through, as a diff."""
    from dilemma.cli.safe import visible
    from dilemma.studies.lineage import lineage_of, write_lineage_picture
    from scenario_factory.lineage import lineage_lines

    attempts = lineage_of(scenario, store)
    if out is not None:
        write_lineage_picture(attempts, out)
        typer.echo(f"wrote {out}")
        return
    for line in lineage_lines(attempts):
        print(visible(line))


@app.command()
def graph(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="A scenario's name, or the path of its file.")],
    out: Annotated[Path, typer.Option(help="An SVG file.")],
    pack: Annotated[str, typer.Option(metavar="PACK|PATH")] = "starter",
) -> None:
    """Draw the action graph of a scenario."""
    from dilemma.studies.lineage import write_action_graph

    write_action_graph(scenario, pack, out)
    typer.echo(f"wrote {out}")
