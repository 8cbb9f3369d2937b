"""``dilemma mechanism organism``: tiny models with a planted truth, to try the laboratory on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dilemma.cli.reading import JsonOption

if TYPE_CHECKING:
    from dilemma.studies.watching import Tally

app = typer.Typer(help="Tiny models with a planted truth: a test bed for the laboratory.", no_args_is_help=True)


@app.command("train")
def train(
    arch: Annotated[str, typer.Option(metavar="llama|qwen3|mistral|gemma3|cohere2", help="Which decoder.")],
    kind: Annotated[str, typer.Option(metavar="override|mediated", help="Whether calls follow the direction.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write, new or empty.")],
    seed: Annotated[int, typer.Option(help="Of weights, rows and planted decisions.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Of the optimiser. Default: 900.")] = None,
    json_: JsonOption = False,
) -> None:
    """Train an organism from scratch, with a suite of its own: minutes on a CPU."""
    from importlib.util import find_spec
    from typing import cast

    from dilemma.cli.progress import Progress
    from dilemma.studies.watching import Tally
    from dilemma_kernel.errors import MissingExtraError

    if find_spec("torch") is None or find_spec("transformers") is None:
        raise MissingExtraError("mechanism organism (torch, transformers)", "lab")
    from refusal_mechanism.organisms import STEPS, Arch, Kind
    from refusal_mechanism.organisms import train as train_organism

    tally = Tally(total=STEPS if steps is None else steps)
    with Progress(_line) as progress:

        def told(step: int, loss: float) -> None:
            tally.done, tally.state = step, f"loss {loss:.3f}"
            progress.update(tally)

        card = train_organism(cast(Arch, arch), cast(Kind, kind), seed, out, steps=steps, notify=told)
    if json_:
        typer.echo(card.model_dump_json(indent=1))
        return
    typer.echo(f"wrote {out}: {arch}, {kind}, seed {seed}, {card.parameters:,} parameters, {card.steps} steps")
    typer.echo(f"a test bed, with a suite of its own: dilemma mechanism run {out}")


def _line(tally: "Tally", elapsed: float) -> str:
    from dilemma.cli.progress import duration

    left = duration(elapsed / tally.done * (tally.total - tally.done)) if tally.done else "not known yet"
    return f"training: step {tally.done} of {tally.total} · {tally.state} · {left} left"
