"""``dilemma replay`` and ``dilemma fork``."""

import sys
from typing import Annotated

import typer

from dilemma.cli.reading import JsonOption, StoreOption


def replay(
    episodes: Annotated[list[str], typer.Argument(metavar="EPISODE...", help="Ids, or the start of one each.")],
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Run stored episodes again from the call log, with no call made; each must come out the same."""
    from dilemma.cli.tables import print_json
    from dilemma.studies.replay import replay as run

    found = run(episodes, store)
    if json_:
        print_json([one.model_dump(mode="json") for one in found])
    else:
        for one in found:
            said = "equal" if one.equal else f"differs at {', '.join(one.differs)}"
            print(f"{one.episode_id}: {said} ({one.replies} replies from the log, no call made)")
    if not all(one.equal for one in found):
        sys.exit(1)


def fork(
    episode: Annotated[str, typer.Argument(help="An episode's id, or the start of one.")],
    at_turn: Annotated[int, typer.Option(metavar="K", help="The last turn that is kept.")],
    agent: Annotated[str | None, typer.Option(metavar="MODEL", help="Who goes on. Default: the same agent.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="FACTOR=LEVEL", help="Change a factor. Repeatable.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(help="Stop before this many requests are passed.")] = None,
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Go on from the state after turn K of a stored episode. Forks never enter rates."""
    from dilemma.cli.transcript import print_transcript
    from dilemma.studies.fork import fork as run
    from dilemma.studies.options import parse_set

    made = run(episode, store, at_turn=at_turn, agent=agent, levels=parse_set(set_ or []), max_calls=max_calls)
    print_transcript(made, as_json=json_)
