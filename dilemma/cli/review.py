"""``dilemma review``: read a study in a browser, and label its episodes."""

from pathlib import Path
from typing import Annotated

import typer

from dilemma.cli.reading import StoreOption


def command(
    study: Annotated[str | None, typer.Argument(help="Default: the list of studies.")] = None,
    store: StoreOption = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: the store's own, the same each time.")] = 0,
    host: Annotated[
        str, typer.Option(help="Another address than this machine's own asks for DILEMMA_REVIEW_PASSWORD.")
    ] = "127.0.0.1",
    sheet: Annotated[
        Path | None, typer.Option(metavar="F.csv", help="A queue: the sheet that 'annotate sheet' wrote.")
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Begin in blind mode; a sheet does so too.")] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Print the link, and open no browser.")] = False,
) -> None:
    """Read a study in a browser, and label its episodes."""
    import asyncio

    from dilemma.settings import review_password
    from dilemma.studies.study import store_url
    from dilemma_kernel.errors import MissingExtraError

    try:
        from dilemma.review.serving import Serving, serve
    except ModuleNotFoundError as error:
        raise MissingExtraError("dilemma review", "review") from error
    wanted = Serving(
        url=store_url(store),
        study=study,
        host=host,
        port=port,
        password=review_password(),
        sheet=sheet,
        blind=blind,
        browse=not no_open,
        notify=typer.echo,
    )
    asyncio.run(serve(wanted))
