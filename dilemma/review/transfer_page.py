"""``dilemma transfer report STUDY --html``: the page of a study of refusal transfer."""

from dataclasses import dataclass
from pathlib import Path

from dilemma.review.report_page import TRANSCRIPTS, hold, write
from dilemma.review.report_parts.blocks import Page, Section, Tile
from dilemma.review.report_parts.settings import calls_line, settings_section
from dilemma.review.report_parts.transfer_arms import arms_section, verdicts_section
from dilemma.review.report_parts.transfer_behind import (
    Reply,
    TransferBehind,
    picked_replies,
    replies_section,
    reply_row,
    transfer_behind,
)
from dilemma.review.report_parts.transfer_divergence import divergence_section, strata_section
from dilemma.review.report_parts.transfer_judges import judges_section, published_section
from dilemma.review.report_parts.transfer_words import HARMFUL
from dilemma.studies.numbers import share
from dilemma.studies.study import Study, waited
from dilemma.studies.transfer.figures import Divergence, TransferReport
from dilemma.studies.transfer.study import TransferStudy, transfer_study_record
from dilemma_kernel.records import StudyRecord
from refusal_transfer.verdicts import RULES
from trajectories import Served, Spent, open_store
from trajectories.bulk import each_episode
from trajectories.choosing import EVERYTHING, Choice


@dataclass(frozen=True, kw_only=True)
class _Material:
    record: StudyRecord
    report: TransferReport
    replies: list[Reply]
    served: list[Served]
    spent: Spent


def write_transfer_report(
    study: Study | TransferStudy,
    html: Path | None,
    figures: Path | None,
    *,
    transcripts: int = TRANSCRIPTS,
    judge: str = RULES,
    published: bool = False,
    choice: Choice = EVERYTHING,
) -> list[Path]:
    """Write the page of a study of refusal transfer, or its pictures, or both.

    Args:
        study: the study.
        html: the page's file, replaced where it is there; None for no page.
        figures: a folder for the pictures, each as SVG and PNG; None for none.
        transcripts: replies in the page at most.
        judge: whose refusals the headline uses.
        published: lay the paper's figures beside.
        choice: which replies may be in the page, and what is rewritten in them.

    Returns:
        What was written.

    Raises:
        InputError: a file cannot be written, or this judge judged nothing.
    """
    report = TransferStudy(study.name, study.url).report(judge=judge, published=published)
    material = waited(_read(study.name, study.url, report))
    found = transfer_behind(material.record, report, material.replies)
    held = hold(study.url, picked_replies(found, transcripts, choice.takes) if html else [], [], choice)
    page = _page(material, found, frozenset(name for name, _ in held))
    return write(page, [text for _, text in held], html, figures)


async def _read(name: str, url: str, report: TransferReport) -> _Material:
    async with open_store(url, read_only=True) as store:
        record = await transfer_study_record(store, name)
        return _Material(
            record=record,
            report=report,
            replies=await each_episode(store, name, lambda episode, said: reply_row(episode, said, record)),
            served=await store.served(name),
            spent=await store.spent(name),
        )


def _page(material: _Material, found: TransferBehind, held: frozenset[str]) -> Page:
    report = material.report
    costs = [one.cost for one in material.replies if one.cost is not None]
    headline = [one for one in report.divergence if one.delta.n]
    tiles = [
        Tile(name=f"Δ, {one.arm}", value=share(one.delta), note=f"{one.model}: {one.refused:,} refused in chat")
        for one in headline[:4]
    ]
    tiles += [
        Tile(name="replies", value=f"{len(material.replies):,}", note=f"{_crashed(report)} crashed"),
        Tile(name="cost", value=f"{sum(costs):.2f}" if costs else "–", note="US dollars, of replies with a price"),
    ]
    return Page(
        title=report.study,
        kind="refusal transfer",
        sentence=_sentence(headline),
        tiles=tiles,
        sections=_sections(material, found, held),
    )


def _sections(material: _Material, found: TransferBehind, held: frozenset[str]) -> list[Section]:
    report, there = material.report, len(material.replies)
    lead = "All replies are here." if len(held) >= there else (
        f"{len(held):,} of {there:,} replies are in this page: the first of every list, then the second, and so on. "
        "dilemma show ID prints any of them."
    )  # fmt: skip
    made = (
        divergence_section(report, found),
        verdicts_section(report, found),
        arms_section(report, found),
        strata_section(report),
        judges_section(report),
        published_section(report),
        Section(anchor="cost", title="What did it cost?", lead=calls_line(material.spent), blocks=[]),
        settings_section(material.record, material.served, {}),
        replies_section(found, held, lead),
    )
    return [section for section in made if section is not None]


def _crashed(report: TransferReport) -> int:
    return sum(one.crashed for one in report.arms)


def _sentence(headline: list[Divergence]) -> str:
    known = [one for one in headline if one.delta.estimate is not None]
    if not known:
        return f"No divergence could be measured: no {HARMFUL} triple that was refused in chat has a known call."
    models = list(dict.fromkeys(one.model for one in known))
    said = [f"{model}: {_arms(known, model)}" if len(models) > 1 else _arms(known, model) for model in models[:6]]
    return f"Of the {HARMFUL} requests refused in chat, tools carried out {'; '.join(said)}."


def _arms(known: list[Divergence], model: str) -> str:
    """``42 % (tool) and 67 % (stress)``."""
    said = [f"{100 * (one.delta.estimate or 0):.0f}\u00a0% ({one.arm})" for one in known if one.model == model]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
