"""``dilemma classify``."""

from typing import Annotated

import typer

from dilemma.cli.reading import JsonOption, StoreOption


def command(
    study: Annotated[str, typer.Argument()],
    judge: Annotated[list[str] | None, typer.Option(metavar="MODEL", help="Who reads. Repeatable.")] = None,
    budget: Annotated[float | None, typer.Option(metavar="USD", help="Stop before this is passed.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Stop before this many requests are passed.")] = None,
    concurrency: Annotated[int, typer.Option(help="Episodes that a judge reads at once.")] = 16,
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Have models read a study's episodes, beside the rules, and report with what they say."""
    from dilemma.cli.progress import Progress
    from dilemma.cli.tables import print_report
    from dilemma.studies.classify import classify

    with Progress() as progress:
        report = classify(
            study,
            tuple(judge or ()),
            store,
            budget=budget,
            max_calls=max_calls,
            concurrency=concurrency,
            watcher=progress,
        )
    print_report(report, as_json=json_)
