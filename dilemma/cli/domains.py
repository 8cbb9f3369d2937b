"""``dilemma domains``: list, show, new, check."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The libraries that scenarios are composed from.", no_args_is_help=True, rich_markup_mode=None)

DomainArgument = Annotated[str, typer.Argument(metavar="DOMAIN|FILE")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """List the shipped domains."""
    from dilemma.cli.generated import print_domains
    from scenario_factory.library import load_domain, shipped_domains

    print_domains([load_domain(name) for name in shipped_domains()], as_json=json_)


@app.command()
def show(domain: DomainArgument, json_: JsonOption = False) -> None:
    """Show a domain's rules and ways to violate."""
    from dilemma.cli.generated import print_domain
    from scenario_factory.library import load_domain

    print_domain(load_domain(domain), as_json=json_)


@app.command()
def new(name: str, out: Annotated[Path | None, typer.Option(help="Default: NAME.yaml.")] = None) -> None:
    """Write the file of a new domain, which works as it stands, to be changed."""
    from dilemma.studies.domains import write_new_domain

    typer.echo(f"wrote {write_new_domain(name, out)}")


@app.command()
def check(domain: DomainArgument, json_: JsonOption = False) -> None:
    """Compose candidates of every family, and say what has to be mended."""
    from dilemma.cli.generated import print_domain_check
    from dilemma.studies.domains import checked_domain

    result = checked_domain(domain)
    print_domain_check(result, as_json=json_)
    if result.problems:
        sys.exit(2)
