"""``dilemma transfer``: the matched-triple benchmark."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dilemma.cli.reading import FiguresOption, HtmlOption, JsonOption, StoreOption, TranscriptsOption, say_written

if TYPE_CHECKING:
    from dilemma.studies.watching import Tally

app = typer.Typer(help="Does a refusal in chat survive when a tool call can carry it out?", no_args_is_help=True)
suite_app = typer.Typer(help="The suite: check, list, show, export.", no_args_is_help=True)
app.add_typer(suite_app, name="suite")

SuiteArgument = Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="Default: the suite that is shipped.")]
SuiteOption = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Default: the suite that is shipped.")]
StudyArgument = Annotated[str, typer.Argument()]
BudgetOption = Annotated[float | None, typer.Option(metavar="USD", help="Stop before this is passed.")]
MaxCallsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Most requests of the study in all: earlier runs, failures, retries included."),
]


@suite_app.command("check")
def check(folder: SuiteArgument = None, json_: JsonOption = False) -> None:
    """Count everything, hold texts, tools and predicates to their rules, and print the hash."""
    from dilemma.cli.suite_tables import print_suite_check
    from refusal_transfer.checking import check_suite
    from refusal_transfer.loading import SHIPPED, read_suite
    from refusal_transfer.surface import held_out_auc

    suite = read_suite(folder or SHIPPED)
    findings = check_suite(suite)
    print_suite_check(suite, findings, held_out_auc(suite), as_json=json_)
    if findings:
        sys.exit(2)


@suite_app.command("list")
def list_(folder: SuiteArgument = None, json_: JsonOption = False) -> None:
    """List the intents."""
    from dilemma.cli.suite_tables import print_suite_list
    from refusal_transfer.loading import SHIPPED, load_suite

    print_suite_list(load_suite(folder or SHIPPED), as_json=json_)


@suite_app.command("show")
def show(
    intent: Annotated[str, typer.Argument(help="Such as finance-direct-1-harmful.")],
    folder: SuiteArgument = None,
    json_: JsonOption = False,
) -> None:
    """Print one intent in every rendering."""
    from dilemma.cli.suite_tables import print_intent
    from dilemma_kernel.errors import ScenarioError
    from refusal_transfer.loading import SHIPPED, load_suite

    try:
        print_intent(load_suite(folder or SHIPPED), intent, as_json=json_)
    except KeyError:
        raise ScenarioError(f"no intent {intent!r}: dilemma transfer suite list names them") from None


@suite_app.command("export")
def export(folder: SuiteArgument = None, out: Annotated[Path, typer.Option()] = Path("suite")) -> None:
    """Copy a suite's folder, to read it or to make another from it."""
    from dilemma.studies.transfer.suites import export_suite

    typer.echo(f"wrote {export_suite(folder, out)}")


@app.command("run")
def run(
    model: Annotated[list[str] | None, typer.Option(metavar="MODEL", help="Under test. Repeatable.")] = None,
    suite: Annotated[str | None, typer.Option(metavar="FOLDER", help="Default: the shipped one.")] = None,
    arms: Annotated[str | None, typer.Option(metavar="paper|all|ARM,…", help="Default: paper, its three.")] = None,
    systems: Annotated[str | None, typer.Option(metavar="CONDITION,…", help="Default: all.")] = None,
    sample: Annotated[int | None, typer.Option(help="Pairs of intents, stratified. Default: all.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Times that every arm is run. Default: 1.")] = None,
    seed: Annotated[int | None, typer.Option(help="Study seed. Default: 0.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Default: 0.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Most tokens in a reply. Default: 512.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Arms at once. Default: 16; 8 for hf/, 1 for local/.")] = None,
    store: StoreOption = None,
    study: Annotated[str | None, typer.Option(metavar="NAME", help="Default: a readable name, printed.")] = None,
    budget: BudgetOption = None,
    max_calls: MaxCallsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an existing study.")] = False,
    retry_crashed: Annotated[bool, typer.Option("--retry-crashed", help="Run crashed arms again.")] = False,
    json_: JsonOption = False,
) -> None:
    """Put every triple to the models in every arm, judge the replies by rules, and report."""
    from dilemma.cli.progress import Progress
    from dilemma.cli.transfer_tables import print_transfer_report
    from dilemma.studies.transfer.options import transfer_options
    from dilemma.studies.transfer.run import run_transfer_blocking

    options = transfer_options(
        model=tuple(model or ()),
        suite=suite,
        arms=arms,
        systems=systems or (),
        sample=sample,
        repeats=repeats,
        seed=seed,
        temperature=temperature,
        max_tokens=max_tokens,
        concurrency=concurrency,
        store=store,
        study=study,
        budget=budget,
        max_calls=max_calls,
    )
    with Progress(_line) as progress:
        result = run_transfer_blocking(options, resume=resume, retry_crashed=retry_crashed, watcher=progress)
    report_ = result.report()
    print_transfer_report(report_, as_json=json_)
    if any(one.crashed for one in report_.arms):
        sys.exit(1)


@app.command("judge")
def judge(
    study: StudyArgument,
    judge: Annotated[str, typer.Option(metavar="MODEL|rules", help="Who judges the refusals.")],
    suite: SuiteOption = None,
    concurrency: Annotated[int | None, typer.Option(help="Replies at once.")] = None,
    store: StoreOption = None,
    budget: BudgetOption = None,
    max_calls: MaxCallsOption = None,
) -> None:
    """Have a model, or the rules anew, judge the refusals of a stored study."""
    from dilemma.cli.progress import Progress
    from dilemma.studies.transfer.judging import judge_study
    from dilemma.studies.transfer.study import open_transfer_study

    opened = open_transfer_study(study, store)
    with Progress(_line) as progress:
        judge_study(
            opened, judge, suite=suite, concurrency=concurrency, budget=budget, max_calls=max_calls, watcher=progress
        )
    typer.echo(f"{judge} judged study {study}; dilemma transfer report {study} --judge {judge} leads with it")


@app.command("sheet")
def sheet(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(metavar="F.csv", help="Where to write it.")],
    n: Annotated[int, typer.Option("--n", help="Rows.")] = 538,
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="Whose refusals stratify.")] = "rules",
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    store: StoreOption = None,
) -> None:
    """Draw chat replies for people to label; dilemma annotate import brings the labels back."""
    from dilemma.studies.transfer.sheet import draw_transfer_sheet
    from dilemma.studies.transfer.study import open_transfer_study

    written = draw_transfer_sheet(open_transfer_study(study, store), n, out, judge=judge, seed=seed)
    typer.echo(f"wrote {written} rows to {out}; fill the columns label and annotator")


@app.command("report")
def report(
    study: StudyArgument,
    judge: Annotated[str, typer.Option(metavar="JUDGE", help="Whose refusals the headline uses.")] = "rules",
    compare: Annotated[str | None, typer.Option(metavar="published", help="Lay the paper's figures beside.")] = None,
    pictures: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write two SVG pictures there.")] = None,
    html: HtmlOption = None,
    figures: FiguresOption = None,
    transcripts: TranscriptsOption = 200,
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """Print a study's figures, or write them as a page."""
    from dilemma.cli.transfer_tables import print_transfer_report
    from dilemma.studies.transfer.study import open_transfer_study
    from dilemma.studies.transfer.suites import write_pictures
    from dilemma_kernel.errors import InputError

    if compare not in (None, "published"):
        raise InputError(f"--compare {compare}: there is published")
    opened = open_transfer_study(study, store)
    if html or figures:
        from dilemma.review import write_transfer_report

        shared: dict[str, Any] = {"published": compare is not None, "transcripts": transcripts}
        say_written(write_transfer_report(opened, html, figures, judge=judge, **shared))
        return
    found = opened.report(judge=judge, published=compare == "published")
    for written in write_pictures(found, pictures) if pictures else ():
        typer.echo(f"wrote {written}", err=True)
    print_transfer_report(found, as_json=json_)


@app.command("audit")
def audit(
    model: Annotated[str, typer.Argument(help="hf/… or local/…; a folder with a tokenizer alone will do.")],
    suite: SuiteOption = None,
    json_: JsonOption = False,
) -> None:
    """Render every triple through a model's own template, and fail where anything is lost or leaks."""
    from dilemma.cli.suite_tables import print_audit
    from dilemma.studies.transfer.audit import audit_model
    from refusal_transfer.loading import SHIPPED, load_suite

    found = audit_model(model, load_suite(suite or SHIPPED))
    print_audit(found, as_json=json_)
    if not found.passes:
        sys.exit(1)


def _line(tally: "Tally", elapsed: float) -> str:
    from dilemma.cli.progress import duration

    ran = tally.done - tally.skipped
    rate = ran / elapsed if elapsed > 0 else 0.0
    left = f"{duration((tally.total - tally.done) / rate)} left" if rate else "time left not known yet"
    crashed = f" · {tally.crashed} crashed" if tally.crashed else ""
    return f"{tally.done}/{tally.total} replies · {rate:.2f}/s{crashed} · {left}"
