"""The transfer study behind a run: the one that was named, or the suite run on the model first, by the lab itself."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dilemma.settings import read_settings
from dilemma.studies.mechanism.handing import whole_cases
from dilemma.studies.mechanism.options import LEAST_PAIRS, MechanismOptions
from dilemma.studies.study import store_url, waited
from dilemma.studies.transfer.figures import Divergence, TransferReport
from dilemma.studies.transfer.judging import judge_study
from dilemma.studies.transfer.observed import Observed, StoredArm, observe
from dilemma.studies.transfer.options import TransferOptions, transfer_options
from dilemma.studies.transfer.plan import transfer_record
from dilemma.studies.transfer.report import build_transfer_report
from dilemma.studies.transfer.run import run_transfer
from dilemma.studies.transfer.study import TransferStudy, transfer_study_record
from dilemma.studies.watching import Watcher
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.models.config import ModelEntry
from dilemma_kernel.models.transformers import Generated, Row, Transformers
from dilemma_kernel.records import StudyRecord
from dilemma_kernel.semantics.refusal import REFUSAL_VERSION
from refusal_mechanism.interventions import UNMODIFIED
from refusal_mechanism.lab import Lab
from refusal_mechanism.organisms.card import FILE as CARD
from refusal_mechanism.organisms.card import SUITE, read_card
from refusal_transfer.degenerate import DEGENERATE_VERSION
from refusal_transfer.loading import SHIPPED, load_suite
from refusal_transfer.suite import Suite
from refusal_transfer.verdicts import RULES
from trajectories import Store, open_store
from trajectories.bulk import whole_episodes

STUDY = "transfer"
"""Name of a run's own transfer study, in a store in its folder."""
DEFAULT_MAX_TOKENS = 128
AT_ONCE = 64
"""Arms that are asked for together; the lab bounds the memory."""


@dataclass(frozen=True, kw_only=True)
class Transferred:
    """What refusal transfer knows of the model."""

    suite: Suite
    study: str
    observed: tuple[Observed, ...]
    """Of this model: harmful and benign."""
    divergence: tuple[Divergence, ...]
    """Overall, and by system condition."""
    max_tokens: int
    cut: frozenset[str] = frozenset()
    """Cases whose chat the token limit cut, at the first repeat that has a reply."""
    test_bed: str = ""
    """What an organism's card says of it; empty for any other model."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A suite that loads, with a study that fits it or room for one: nothing was stored and no model opened."""

    suite: Suite
    stored: Transferred | None
    """The study that was named; None where the suite is to be run."""


def checked(options: MechanismOptions) -> Checked:
    """Everything that can be wrong about organism, suite and study, before a folder is made.

    Raises:
        ScenarioError: the organism's card has another form.
        InputError: the suite does not load, the sample is too large, or what there is is too little to split.
        StudyError: the study cannot serve.
    """
    _test_bed(options)
    suite = load_suite(suite_folder(options))
    if options.study is not None:
        url = store_url(options.store)
        if waited(_outdated(options.study, url)):
            raise StudyError(
                f"study {options.study!r} was judged by other rules than replies are now: dilemma transfer judge "
                f"{options.study} --judge rules judges it anew"
            )
        stored = waited(_stored(suite, options, options.study, url))
        _check_pairs(suite, whole_cases(stored.observed), f"study {options.study!r}")
        return Checked(suite=suite, stored=stored)
    _check_pairs(suite, transfer_record(_asked(options), suite, name=STUDY).cases, "the suite")
    return Checked(suite=suite, stored=None)


def _check_pairs(suite: Suite, cases: Iterable[str], where: str) -> None:
    """Raises ``InputError`` where there are too few pairs of intents to split in three."""
    pairs = {suite.triple(case).intent.pair for case in cases}
    if len(pairs) < LEAST_PAIRS:
        raise InputError(f"{where} has {len(pairs)} pairs of intents to use, and it takes {LEAST_PAIRS} to split them")


def transferred(lab: Lab, found: Checked, options: MechanismOptions, folder: Path, watcher: Watcher) -> Transferred:
    """The study that was named, or the run's own one, run or gone on with."""
    if found.stored is not None:
        return found.stored
    url = f"sqlite:///{(folder / 'transfer.db').resolve()}"
    watcher.note("running the suite on the model")
    asyncio.run(_run(lab, found.suite, options, url, watcher))  # in this thread, so that Ctrl-C ends it
    if waited(_outdated(STUDY, url)):
        watcher.note("the rules have changed since the suite was run: its replies are judged anew")
        judge_study(TransferStudy(STUDY, url), RULES, suite=suite_folder(options))
    return waited(_stored(found.suite, options, STUDY, url))


def suite_folder(options: MechanismOptions) -> Path:
    """The suite that was named, an organism's own, or the shipped one."""
    if options.suite is not None:
        return Path(options.suite)
    own = Path(options.name.removeprefix("hf/"))
    return own / SUITE if (own / CARD).is_file() and (own / SUITE).is_dir() else SHIPPED


def _asked(options: MechanismOptions, url: str | None = None) -> TransferOptions:
    return transfer_options(
        model=(options.name,),
        systems=options.systems,
        sample=options.sample,
        seed=options.seed,
        max_tokens=options.max_tokens or DEFAULT_MAX_TOKENS,
        concurrency=AT_ONCE,
        store=url,
        study=STUDY,
    )


async def _run(lab: Lab, suite: Suite, options: MechanismOptions, url: str, watcher: Watcher) -> None:
    async with open_store(url) as store:
        begun = await store.study(STUDY) is not None
    model = _answering(lab, options)
    await run_transfer(_asked(options, url), resume=begun, watcher=watcher, given=(model,), suite=suite)


def _answering(lab: Lab, options: MechanismOptions) -> Transformers:
    """The model as the ``hf/`` adapter, over the same weights, its replies written by the lab."""

    def generate(rows: Sequence[Row]) -> list[Generated]:
        most = max(row.sampling.max_tokens for row in rows)
        return lab.generate([row.prompt for row in rows], [UNMODIFIED], max_new_tokens=most)[0]

    entry = _entry(options)
    extra = {**entry.extra, "batch": AT_ONCE, "dtype": options.dtype}
    return Transformers(
        options.name,
        options.name.removeprefix("hf/"),
        entry.model_copy(update={"extra": extra}),
        loaded=lab.loaded,
        generate=generate,
    )


def takes_tools(lab: Lab, options: MechanismOptions) -> bool:
    """Whether tools go through the model's template: as the settings have it, else as the template has it."""
    said = _entry(options).capabilities.tools
    return lab.loaded.renderer.takes_tools if said is None else said


def _entry(options: MechanismOptions) -> ModelEntry:
    return read_settings().models.entry(options.name)


async def _outdated(name: str, url: str) -> bool:
    """Whether some reply of a study has no judgement by the rules as they are: both sides must be judged alike."""
    async with open_store(url, read_only=True) as store:
        await transfer_study_record(store, name)
        said = [judgement for judgement in await store.judgements(name) if judgement.maker == RULES]
    now = {"refusal": REFUSAL_VERSION, "degenerate": DEGENERATE_VERSION}
    return any(
        {one.subject for one in said if one.vocabulary == vocabulary}
        - {one.subject for one in said if one.vocabulary == vocabulary and one.version == version}
        for vocabulary, version in now.items()
    )


async def _stored(suite: Suite, options: MechanismOptions, name: str, url: str) -> Transferred:
    async with open_store(url, read_only=True) as store:
        record = await transfer_study_record(store, name)
        model = _check(record, suite, options)
        stored = [
            StoredArm(episode_id=one.episode_id, cell=one.cell, case=one.case_id, repeat=one.repeat)
            for one in await store.episodes(name)
        ]
        everything = observe(record, stored, await store.judgements(name))
        cut = await _cut_chats(store, record, model, stored)
    own = {place: one for place, one in everything.items() if place[0] == model}
    report = build_transfer_report(record, own)
    return Transferred(
        suite=suite,
        study=name,
        observed=tuple(own.values()),
        divergence=_divergence(report),
        max_tokens=record.sampling.max_tokens,
        cut=cut,
        test_bed=_test_bed(options),
    )


async def _cut_chats(store: Store, record: StudyRecord, model: str, stored: Sequence[StoredArm]) -> frozenset[str]:
    """The model's chats that the token limit cut: rules judge no calls there, so replies are asked."""
    cells = {cell.key for cell in record.cells if cell.agent == model and cell.levels["arm"] == "chat"}
    chats = [one.episode_id for one in sorted(stored, key=lambda one: one.repeat) if one.cell in cells]
    first: dict[str, bool] = {}
    for trajectory, _ in await whole_episodes(store, chats):
        if trajectory.turns:
            first.setdefault(trajectory.case, trajectory.turns[0].asks[-1].reply.finish == "length")
    return frozenset(case for case, cut in first.items() if cut)


def _test_bed(options: MechanismOptions) -> str:
    """Raises ``ScenarioError`` where an organism's card has another form."""
    folder = Path(options.name.removeprefix("hf/"))
    return read_card(folder).note if (folder / CARD).is_file() else ""


def _divergence(report: TransferReport) -> tuple[Divergence, ...]:
    return (*report.divergence, *(one for one in report.strata if "system" in one.where))


def _check(record: StudyRecord, suite: Suite, options: MechanismOptions) -> str:
    """The model's name in the study; raises ``StudyError`` where the study cannot serve."""
    if record.pack_hash != suite.hash:
        raise StudyError(
            f"study {record.name!r} ran on suite {record.pack} with hash {record.pack_hash}, and this one has "
            f"{suite.hash}: name its folder with --suite"
        )
    agents = tuple(dict.fromkeys(cell.agent for cell in record.cells))
    there = next((name for name in agents if _same_model(name, options.name)), None)
    if there is None:
        raise StudyError(f"study {record.name!r} is not about {options.name}; it has {', '.join(agents)}")
    if record.sampling.temperature != 0:
        raise StudyError(
            f"study {record.name!r} was drawn at temperature {record.sampling.temperature}, and the lab compares "
            "greedy replies: run one at temperature 0"
        )
    if options.max_tokens not in (None, record.sampling.max_tokens):
        raise InputError(
            f"--max-tokens {options.max_tokens}: study {record.name!r} has {record.sampling.max_tokens}, and replies "
            "are compared with its own"
        )
    arms = {cell.levels["arm"] for cell in record.cells}
    if not {"chat", "tool"} <= arms:
        raise StudyError(f"study {record.name!r} lacks the arm chat or tool")
    return there


def _same_model(name: str, other: str) -> bool:
    """Whether two ``hf/`` names stand for one place."""
    first, second = name.removeprefix("hf/"), other.removeprefix("hf/")
    return first == second or (Path(first).exists() and Path(first).resolve() == Path(second).resolve())
