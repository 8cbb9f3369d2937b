"""``dilemma scenarios``: list, show, check."""

import sys
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
    from dilemma.studies.packs import check_pack

    findings = check_pack(path)
    print_findings(findings, as_json=json_)
    if any(findings.values()):
        sys.exit(2)
