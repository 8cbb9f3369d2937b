"""``dilemma simulate``."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    study_file: Annotated[Path | None, typer.Argument(metavar="[STUDY.yaml]", help="A study file.")] = None,
    agent: Annotated[list[str] | None, typer.Option(metavar="MODEL", help="The agent under test. Repeatable.")] = None,
    environment: Annotated[
        list[str] | None,
        typer.Option(
            metavar="rules|MODEL|python:MODULE:CLASS",
            help="Who plays the environment. Default: rules for a scripted agent, else the agent's own model.",
        ),
    ] = None,
    scenarios: Annotated[str | None, typer.Option(metavar="PACK|PATH", help="Default: starter.")] = None,
    domain: Annotated[list[str] | None, typer.Option(help="Only scenarios of this domain. Repeatable.")] = None,
    turns: Annotated[int | None, typer.Option(help="Turn budget. Default: 10.")] = None,
    episodes: Annotated[int | None, typer.Option(help="Episodes for each core and cell. Default: 1.")] = None,
    seed: Annotated[int | None, typer.Option(help="Study seed. Default: 0.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Episodes at once. Default: 16; 1 for local models.")] = None,
    store: Annotated[str | None, typer.Option(metavar="URL", help="Default: sqlite:///dilemma.db.")] = None,
    study: Annotated[str | None, typer.Option(metavar="NAME", help="Default: a readable name, printed.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FACTOR=LEVEL", help="Hold a factor off its baseline. Repeatable."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="FACTOR,FACTOR", help="Cross these factors with each other, all levels of each."),
    ] = None,
    one_at_a_time: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR,FACTOR", help="Change these factors one by one.")
    ] = None,
    design: Annotated[Path | None, typer.Option(metavar="CELLS.csv", help="A table of cells.")] = None,
    control: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONTROL",
            help="Add paired cells: order, names, no-dilemma, interface or comprehension. Repeatable.",
        ),
    ] = None,
    continue_: Annotated[bool, typer.Option("--continue", help="Go on after the first attempted A- terminal.")] = False,
    temperature: Annotated[float | None, typer.Option(help="Of the agent. Default: 1.0.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens in a reply of the agent. Default: 1024.")] = None,
    history: Annotated[int | None, typer.Option(help="Turns that the agent sees in full. Default: all.")] = None,
    budget: Annotated[float | None, typer.Option(metavar="USD", help="Stop before this is passed.")] = None,
    max_calls: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most requests of the study in all: earlier runs, failures, retries included."),
    ] = None,
    api_base: Annotated[str | None, typer.Option(metavar="URL", help="Endpoint of every model.")] = None,
    reuse: Annotated[
        str | None, typer.Option(metavar="STUDY", help="Take that study's replies to equal requests.")
    ] = None,
    processes: Annotated[int | None, typer.Option(help="Processes that run episodes. Default: 1.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an existing study.")] = False,
    retry_crashed: Annotated[
        bool, typer.Option("--retry-crashed", help="Run crashed episodes again; earlier attempts are kept.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print cells, episodes and calls at most, and stop.")
    ] = False,
    assume: Annotated[
        str | None, typer.Option(metavar="mr=.5,icc=.2,slope=.4", help="With --dry-run: the power of the design.")
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="STUDY", help="With --dry-run: take these from a stored study.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Run episodes between an agent and an environment, label them, and report the misalignment rate."""
    from dilemma.cli.progress import Progress
    from dilemma.cli.tables import print_plan, print_report
    from dilemma.studies.options import make_options, parse_set, read_study_file
    from dilemma.studies.planning import plan_study
    from dilemma.studies.simulate import run_blocking
    from dilemma_kernel.errors import DesignError

    said = make_options(
        agent=tuple(agent or ()),
        environment=tuple(environment or ()),
        scenarios=scenarios,
        domain=tuple(domain or ()),
        turns=turns,
        episodes=episodes,
        seed=seed,
        concurrency=concurrency,
        store=store,
        study=study,
        set=parse_set(set_ or []),
        vary=tuple(vary or ()),
        one_at_a_time=tuple(one_at_a_time or ()),
        design=design or (),
        control=tuple(control or ()),
        continue_=continue_ or None,
        temperature=temperature,
        max_tokens=max_tokens,
        history=history,
        budget=budget,
        max_calls=max_calls,
        api_base=api_base,
        reuse=reuse,
        processes=processes,
    )
    options = said.over(read_study_file(study_file) if study_file else make_options())
    if dry_run:
        print_plan(plan_study(options, assume=assume, from_study=from_), as_json=json_)
        return
    if assume or from_:
        raise DesignError("--assume and --from go with --dry-run")
    with Progress() as progress:
        result = run_blocking(options, resume=resume, retry_crashed=retry_crashed, watcher=progress)
    report = result.report()
    print_report(report, as_json=json_)
    if result.crashed():
        sys.exit(1)
