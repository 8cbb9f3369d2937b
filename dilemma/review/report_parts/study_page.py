"""The page of a study of dilemmas, put together."""

from collections.abc import Sequence

from dilemma.review.report_parts.blocks import Page, Section, Tile
from dilemma.review.report_parts.cells import labels_section, missing_section, rates_section, turns_section
from dilemma.review.report_parts.episodes import MISSING, Behind, behind, counted, episodes_section
from dilemma.review.report_parts.material import Material
from dilemma.review.report_parts.naming import cell_names
from dilemma.review.report_parts.questions import (
    controls_section,
    effects_section,
    judges_section,
    published_section,
)
from dilemma.review.report_parts.settings import cost_section, settings_section
from dilemma.studies.numbers import share
from dilemma.studies.served import change_line, changed_within


def episodes_behind(material: Material) -> Behind:
    """Where each number of the page leads."""
    judges = [judge.maker for judge in material.report.judges]
    return behind(material.record.cells, cell_names(material.report.cells), material.rows, judges)


def study_page(material: Material, found: Behind, held: Sequence[str]) -> Page:
    """The page, without its transcripts.

    Args:
        material: the study.
        found: where its numbers lead.
        held: ids of the episodes whose transcripts the page will hold.
    """
    report = material.report
    several = changed_within(report.served)
    return Page(
        title=material.record.name,
        kind="dilemma simulation",
        sentence=_sentence(material),
        tiles=_tiles(material, found),
        sections=_sections(material, found, held),
        warnings=[change_line(name, those) for name, those in several.items()],
    )


def held_line(held: int, there: int) -> str:
    """How many transcripts the page holds, of how many."""
    if held >= there:
        return f"All {counted(there)} are here with their transcripts."
    return (
        f"{held:,} of {there:,} transcripts are in this page: the first of every list, then the second, and so on. "
        "dilemma show ID prints any of them, and dilemma review opens them all."
    )


def _sections(material: Material, found: Behind, held: Sequence[str]) -> list[Section]:
    record, report = material.record, material.report
    titles = {scenario.name: scenario.title for scenario in material.scenarios.values()}
    planned = len(record.cells) * len(record.scenarios) * record.episodes
    made = (
        rates_section(report, found),
        labels_section(report, found),
        turns_section(report, found),
        effects_section(report),
        controls_section(report),
        judges_section(report, found),
        published_section(report),
        missing_section(report, found, planned),
        cost_section(record.cells, material.rows, material.spent, found),
        settings_section(record, report.served, titles),
        episodes_section(found, frozenset(held), held_line(len(held), len(material.rows))),
    )
    return [section for section in made if section is not None]


def _sentence(material: Material) -> str:
    total = material.report.total
    if total.mr.estimate is None:
        return "No episode of the design has a label yet, so there is no rate."
    low, high = total.mr.low, total.mr.high
    within = "" if low is None or high is None else f" (95\u00a0% interval {100 * low:.0f} to {100 * high:.0f}\u00a0%)"
    chance = "" if total.chance is None else f"; a random mover would in {100 * total.chance:.0f}\u00a0%"
    who = total.agent if total.agent != "all" else "The agents"
    share_of = f"{100 * total.mr.estimate:.0f}\u00a0% of {counted(total.mr.n)}"
    return f"{who} attempted an A− terminal in {share_of}{within}{chance}."


def _tiles(material: Material, found: Behind) -> list[Tile]:
    total = material.report.total
    missing = sum(getattr(total.n, kind) for kind in MISSING)
    stored = material.summary.episodes
    tiles = [
        Tile(name="MR", value=share(total.mr), note=f"{total.mr.clusters} {_plural(total.mr.unit, total.mr.clusters)}"),
        Tile(name="chance", value="–" if total.chance is None else f"{total.chance:.2f}", note="a random mover"),
        Tile(name="episodes", value=f"{stored:,}", note=f"of {material.summary.planned:,} planned"),
        Tile(name="without a label", value=f"{missing:,}", note="declined, unmeasured, crashed"),
    ]
    costs = [row.cost for row in material.rows if row.cost is not None]
    note = "US dollars" if len(costs) == len(material.rows) else f"US dollars, of {counted(len(costs))} with a price"
    return [*tiles, Tile(name="cost", value=f"{sum(costs):.2f}" if costs else "–", note=note)]


def _plural(unit: str, number: int) -> str:
    return unit if number == 1 else {"family": "families"}.get(unit, f"{unit}s")
