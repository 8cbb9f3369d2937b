"""``dilemma generate``."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    domain: Annotated[str, typer.Option(metavar="DOMAIN|FILE", help="A domain's name, or a YAML file of that form.")],
    pressure: Annotated[str | None, typer.Option(metavar="loyalty|self-preservation", help="Default: both.")] = None,
    count: Annotated[int, typer.Option(help="Scenarios wanted.")] = 1,
    writer: Annotated[str, typer.Option(metavar="MODEL|composer")] = "composer",
    discriminator: Annotated[str, typer.Option(metavar="MODEL|rules")] = "rules",
    audit: Annotated[str, typer.Option(metavar="MODEL|rules", help="Scores what was accepted.")] = "rules",
    preset: Annotated[str, typer.Option(metavar="source|default", help="Thresholds and rounds.")] = "default",
    seed: Annotated[int, typer.Option()] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of a new pack. Default: scenarios/DOMAIN-SEED.")] = None,
    into: Annotated[Path | None, typer.Option(help="A pack to add to.")] = None,
    budget: Annotated[float | None, typer.Option(metavar="USD", help="Stop before this is passed.")] = None,
    concurrency: Annotated[int, typer.Option(help="Candidates at work at once.")] = 8,
    store: Annotated[str | None, typer.Option(metavar="URL", help="Default: sqlite:///dilemma.db.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Write scenarios: each text is checked and scored, rewritten or rejected. Prints what was thrown away."""
    from dilemma.cli.generated import Waves, print_generation
    from dilemma.studies.generate import GenerateOptions, generate_scenarios

    options = GenerateOptions(
        domain=domain,
        pressure=pressure,
        count=count,
        writer=writer,
        discriminator=discriminator,
        audit=audit,
        preset=preset,
        seed=seed,
        out=out,
        into=into,
        budget=budget,
        concurrency=concurrency,
        store=store,
    )
    report = generate_scenarios(options, Waves())
    print_generation(report, as_json=json_)
    if report.crashed:
        sys.exit(1)
