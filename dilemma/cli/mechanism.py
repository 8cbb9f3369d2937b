"""``dilemma mechanism``: directions, interventions and sweeps on one open-weight model."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dilemma.cli import mechanism_organism
from dilemma.cli.reading import JsonOption, StoreOption

if TYPE_CHECKING:
    from dilemma.studies.mechanism.run import Memory, What
    from dilemma.studies.watching import Tally

app = typer.Typer(help="Does a direction in the residual stream carry the refusal?", no_args_is_help=True)
app.add_typer(mechanism_organism.app, name="organism")

ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="hf/smollm2, hf/FOLDER, or a folder.")]
SuiteOption = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Default: an organism's own, else the shipped one.")
]
StudyOption = Annotated[
    str | None, typer.Option(metavar="TRANSFER_STUDY", help="Of this model. Default: run the suite on it first.")
]
RuleOption = Annotated[str | None, typer.Option(metavar="arditi|norm|auc", help="Chooses the layer. Default: arditi.")]
SampleOption = Annotated[int | None, typer.Option(help="Pairs of intents, 3 or more. Default: all.")]
SystemsOption = Annotated[str | None, typer.Option(metavar="CONDITION,…", help="Default: all.")]
SeedOption = Annotated[int | None, typer.Option(help="Of the split, the sample, the controls. Default: 0.")]
MaxTokensOption = Annotated[int | None, typer.Option(help="Most tokens in a reply. Default: the study's, or 128.")]
OutOption = Annotated[Path | None, typer.Option(metavar="DIR", help="Default: mechanism-MODEL.")]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with the run in DIR.")]
DtypeOption = Annotated[
    str | None, typer.Option(metavar="float32|bfloat16|float16|float64", help="Default: the checkpoint's.")
]
BatchOption = Annotated[int | None, typer.Option(min=1, help="Tokens in a batch at most. Default: found.")]
DeviceMapOption = Annotated[str | None, typer.Option(metavar="auto", help="Spread a model over the cards there are.")]
CoefficientsOption = Annotated[
    str | None, typer.Option(metavar="C,…", help="Of the sweep: numbers, or multiples of the natural magnitude (2x).")
]


@app.command("run")
def run(
    model: ModelArgument,
    suite: SuiteOption = None,
    study: StudyOption = None,
    tables: Annotated[str | None, typer.Option(metavar="3,4,…", help="Of 3 to 9 and gated. Default: all.")] = None,
    rule: RuleOption = None,
    sample: SampleOption = None,
    systems: SystemsOption = None,
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    coefficients: CoefficientsOption = None,
    random_directions: Annotated[int | None, typer.Option(min=0, help="Controls. Default: 20.")] = None,
    kl_prompts: Annotated[int | None, typer.Option(min=1, help="Of each kind, for KL. Default: 240.")] = None,
    most_lost: Annotated[float | None, typer.Option(help="Benign calls a gate may act on. Default: 0.1.")] = None,
    store: StoreOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    dtype: DtypeOption = None,
    device_map: DeviceMapOption = None,
    max_batch_tokens: BatchOption = None,
    json_: JsonOption = False,
) -> None:
    """Make every table and picture, and store them in DIR."""
    _make(
        "run", out, resume, {"device_map": device_map, "max_batch_tokens": max_batch_tokens}, json_,
        model=model, suite=suite, study=study, store=store, tables=tables, rule=rule, sample=sample, systems=systems,
        seed=seed, max_tokens=max_tokens, coefficients=coefficients, random_directions=random_directions,
        kl_prompts=kl_prompts, most_lost=most_lost, dtype=dtype,
    )  # fmt: skip


@app.command("directions")
def directions(
    model: ModelArgument,
    suite: SuiteOption = None,
    study: StudyOption = None,
    rule: RuleOption = None,
    sample: SampleOption = None,
    systems: SystemsOption = None,
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    store: StoreOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    dtype: DtypeOption = None,
    device_map: DeviceMapOption = None,
    max_batch_tokens: BatchOption = None,
    json_: JsonOption = False,
) -> None:
    """Extract the directions, let every rule choose a layer, and save them; tables 5 and 6."""
    _make(
        "directions", out, resume, {"device_map": device_map, "max_batch_tokens": max_batch_tokens}, json_,
        model=model, suite=suite, study=study, store=store, tables="5,6", rule=rule, sample=sample, systems=systems,
        seed=seed, max_tokens=max_tokens, dtype=dtype,
    )  # fmt: skip


@app.command("sweep")
def sweep(
    model: ModelArgument,
    coefficients: CoefficientsOption = None,
    suite: SuiteOption = None,
    study: StudyOption = None,
    rule: RuleOption = None,
    sample: SampleOption = None,
    systems: SystemsOption = None,
    seed: SeedOption = None,
    max_tokens: MaxTokensOption = None,
    store: StoreOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    dtype: DtypeOption = None,
    device_map: DeviceMapOption = None,
    max_batch_tokens: BatchOption = None,
    json_: JsonOption = False,
) -> None:
    """Steer by each coefficient: table 9."""
    _make(
        "sweep", out, resume, {"device_map": device_map, "max_batch_tokens": max_batch_tokens}, json_,
        model=model, suite=suite, study=study, store=store, tables="9", rule=rule, sample=sample, systems=systems,
        seed=seed, max_tokens=max_tokens, coefficients=coefficients, dtype=dtype,
    )  # fmt: skip


@app.command("report")
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run's folder.")],
    compare: Annotated[str | None, typer.Option(metavar="published", help="Lay the paper's figures beside.")] = None,
    what: Annotated[
        str | None, typer.Option(metavar="run|directions|sweep", help="Whose results. Default: the first there are.")
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Write DIR/report.html, one self-contained page.")] = False,
    json_: JsonOption = False,
) -> None:
    """Print a run's tables, or write them as a page: report-sweep.html with --what sweep, and the like."""
    _demand_lab()
    from dilemma.cli.mechanism_tables import print_mechanism_report
    from dilemma.studies.mechanism.run import saved_report
    from dilemma_kernel.errors import InputError
    from refusal_mechanism.published import published_mechanism

    if compare not in (None, "published"):
        raise InputError(f"--compare {compare}: there is published")
    found = saved_report(folder, what)
    if compare:
        found = found.model_copy(update={"published": published_mechanism()})
    if html:
        from dilemma.review import write_mechanism_page

        page = "report.html" if what in (None, "run") else f"report-{what}.html"
        for written in write_mechanism_page(found, folder / page):
            typer.echo(f"wrote {written}")
        return
    print_mechanism_report(found, as_json=json_)


def _demand_lab() -> None:
    """Raises ``MissingExtraError`` where the laboratory is not installed."""
    from importlib.util import find_spec

    from dilemma_kernel.errors import MissingExtraError

    with suppress(ModuleNotFoundError):
        if all(
            find_spec(name) for name in ("torch", "transformers", "safetensors", "jaxtyping", "altair", "vl_convert")
        ):
            return
    raise MissingExtraError("dilemma mechanism", "lab")


def _make(what: "What", out: Path | None, resume: bool, memory: "Memory", as_json: bool, **said: Any) -> None:
    """Run with the options that were said, and print the report."""
    _demand_lab()
    from dilemma.cli.mechanism_tables import print_mechanism_report
    from dilemma.cli.progress import Progress
    from dilemma.studies.mechanism.options import mechanism_options
    from dilemma.studies.mechanism.run import run_with_pictures

    options = mechanism_options(**said)
    with Progress(_Line()) as progress:
        found = run_with_pictures(options, out, resume=resume, watcher=progress, what=what, **memory)
    print_mechanism_report(found, as_json=as_json)


class _Line:
    """Progress in words: table, condition, rows, and the time left for these rows."""

    def __init__(self) -> None:
        self._tally: Tally | None = None
        self._since = (0.0, 0)

    def __call__(self, tally: "Tally", elapsed: float) -> str:
        from dilemma.cli.progress import duration

        if tally is not self._tally:
            self._tally, self._since = tally, (elapsed, tally.done)
        spent, done = elapsed - self._since[0], tally.done - self._since[1]
        left = f"{duration((tally.total - tally.done) * spent / done)} left" if done > 0 else "time left not known yet"
        return f"{tally.state or 'the suite'} · {tally.done}/{tally.total} rows · {left}"
