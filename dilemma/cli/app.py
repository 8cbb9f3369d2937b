"""The ``dilemma`` command and how it ends."""

import sys

import typer

from dilemma.cli import (
    annotate,
    classify,
    doctor,
    domains,
    generate,
    mechanism,
    reading,
    replay,
    review,
    scenarios,
    simulate,
    transfer,
)
from dilemma.cli.safe import visible
from dilemma_kernel.errors import BudgetExhausted, DilemmaError, InputError, StoreError

DONE, CRASHED_EPISODES, WRONG_INPUT, OUT_OF_BUDGET, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    help="Do a language model's aligned words become aligned acts?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("generate")(generate.command)
app.command("simulate")(simulate.command)
app.command("report")(reading.report)
app.command("show")(reading.show)
app.command("export")(reading.export)
app.command("import")(reading.import_)
app.command("studies")(reading.studies)
app.command("doctor")(doctor.command)
app.command("replay")(replay.replay)
app.command("fork")(replay.fork)
app.command("review")(review.command)
app.command("classify")(classify.command)
app.add_typer(annotate.app, name="annotate")
app.add_typer(domains.app, name="domains")
app.add_typer(scenarios.app, name="scenarios")
app.add_typer(transfer.app, name="transfer")
app.add_typer(mechanism.app, name="mechanism")


def main() -> None:
    """Run the command line; wrong input is one line on stderr and exit code 2, never a traceback."""
    try:
        app(standalone_mode=True)
    except (InputError, StoreError) as error:
        _say(error)
        sys.exit(WRONG_INPUT)
    except BudgetExhausted as error:
        _say(error)
        sys.exit(OUT_OF_BUDGET)
    except DilemmaError as error:
        _say(error)
        sys.exit(CRASHED_EPISODES)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(DONE)


def _say(error: Exception) -> None:
    line = visible(" ".join(str(error).split()))
    print(f"dilemma: {line}", file=sys.stderr)
