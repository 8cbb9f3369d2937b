"""``dilemma mechanism report DIR --html``: a run of the laboratory as one page that asks nothing of the network."""

from functools import partial
from pathlib import Path

from dilemma.review.report_page import write
from dilemma.review.report_parts.blocks import Block, Page, Picture, Section, Table, Tile
from dilemma.studies.mechanism.pictures import RunPicture, run_pictures
from dilemma.studies.mechanism.results import MechanismReport
from dilemma.studies.mechanism.shown import shown_tables
from dilemma.studies.mechanism.texts import Shown, rate_text
from dilemma.studies.numbers import NOTHING

SECTIONS = (
    ("model", "What does the model do as it is?", ("1-2", "unmodified", "split")),
    ("layer", "Which direction, at which layer?", ("rules", "candidates", "5", "6")),
    ("prediction", "Does the projection predict the call?", ("3", "3-edits")),
    ("mediation", "Does it mediate the call?", ("4", "4-flow")),
    ("edits", "What do addition and ablation do?", ("7", "8")),
    ("steering", "What does steering buy, and what does it cost?", ("9",)),
    ("gates", "Does a gate help?", ("gated",)),
    ("published", "What was published of other models?", ("published",)),
)
"""Anchor, question, and the tables that answer it."""
PICTURES = {
    "projections": "prediction",
    "auc-by-layer": "prediction",
    "kl-by-layer": "layer",
    "steering": "steering",
    "patching-flow": "mediation",
}
"""Picture -> the section that it stands in."""


def write_mechanism_page(report: MechanismReport, html: Path) -> list[Path]:
    """Write the page; raises ``InputError`` where it cannot be written."""
    return write(mechanism_page(report), (), html, None)


def mechanism_page(report: MechanismReport) -> Page:
    """The page of a run."""
    tables = {table.key: table for table in shown_tables(report)}
    pictures = {picture.name: picture for picture in run_pictures(report)}
    sections = [_section(anchor, title, keys, tables, pictures) for anchor, title, keys in SECTIONS]
    words = report.verdict.text if report.verdict else "Mediation or prediction: unmeasured."
    return Page(
        title=report.model,
        kind="refusal mechanism",
        sentence=words.split(". ")[0].rstrip(".") + ".",
        tiles=_tiles(report),
        sections=[
            Section(anchor="findings", title="What do the numbers say?", blocks=[_findings(report)]),
            *(section for section in sections if section.blocks),
        ],
        warnings=[report.test_bed] if report.test_bed else [],
    )


def _section(
    anchor: str, title: str, keys: tuple[str, ...], tables: dict[str, Shown], pictures: dict[str, RunPicture]
) -> Section:
    drawn: list[Block] = [
        Picture(name=name, title=pictures[name].title, draw=partial(pictures[name].draw))
        for name, place in PICTURES.items()
        if place == anchor and name in pictures
    ]
    return Section(anchor=anchor, title=title, blocks=[*drawn, *(_table(tables[key]) for key in keys if key in tables)])


def _table(shown: Shown) -> Table:
    return Table(columns=shown.columns, rows=shown.rows, words=shown.words, notes=(f"{shown.title}.", *shown.notes))


def _findings(report: MechanismReport) -> Table:
    """What was run, and under it what it says: notes may be as long as a finding."""
    facts = {
        "suite": report.suite,
        "study": report.study,
        "weights": f"{report.dtype}, {report.weights}",
        "rule": report.rule,
        "seed": str(report.seed),
        "most tokens": str(report.max_tokens),
    }
    return Table(columns=tuple(facts), rows=[list(facts.values())], words=4, notes=report.findings)


def _tiles(report: MechanismReport) -> list[Tile]:
    suppression, patching = report.suppression, report.patching
    area = suppression.low_predicts_unsafe.estimate if suppression else None
    best = patching.best_restored if patching else None
    return [
        Tile(name="verdict", value=report.verdict.kind if report.verdict else "unmeasured"),
        Tile(name="layer", value=NOTHING if report.site is None else str(report.site), note=f"of {report.layers}"),
        Tile(name="AUC for unsafe calls", value=NOTHING if area is None else f"{area:.2f}", note="by a low projection"),
        Tile(
            name="restored by patching",
            value=rate_text(patching.patch.restored) if patching else NOTHING,
            note="" if best is None else f"the best random direction {best:.2f}",
        ),
    ]
