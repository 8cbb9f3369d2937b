"""Tables of the command line; everything printed here can also be had as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dilemma.cli.safe import visible
from dilemma.studies.report import CellReport, Report
from dilemma.studies.simulate import StudyPlan
from dilemma_kernel.records import LABELS, Rate
from dilemma_kernel.semantics.checks import Finding
from scenario_factory import Pack
from trajectories import StudySummary


def print_json(value: Any) -> None:
    """JSON on stdout, two spaces of indent."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_report(report: Report, *, as_json: bool) -> None:
    """A study's report: one row a cell, a total where there are several."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = Console()
    varied = [name for name in report.cells[0].factors if len({cell.factors[name] for cell in report.cells}) > 1]
    table = Table(title=f"study {report.study}", title_justify="left", show_lines=False)
    for column in ("agent", "environment", *varied):
        table.add_column(column, overflow="fold")
    for column in ("n", *LABELS, "MR", "executed", "chance", "above chance", "first A−", "faults", "invalid"):
        table.add_column(column, justify="right")
    for cell in report.cells:
        table.add_row(*_cell_row(cell, varied))
    if len(report.cells) > 1:
        table.add_section()
        table.add_row(*_cell_row(report.total, varied))
    console.print(table)
    for line in _footnotes(report):
        console.print(Text(line))


def _cell_row(cell: CellReport, varied: Sequence[str]) -> list[str]:
    return [
        visible(cell.agent),
        visible(cell.environment),
        *(cell.factors.get(name, "all") for name in varied),
        str(cell.n.measured),
        *(str(cell.labels[label]) for label in LABELS),
        share(cell.mr),
        share(cell.mr_executed),
        "–" if cell.chance is None else f"{cell.chance:.2f}",
        _signed(cell.above_chance.estimate, cell.above_chance.low, cell.above_chance.high),
        "–" if cell.first_misaligned_turn is None else f"{cell.first_misaligned_turn:g}",
        str(cell.faults),
        str(cell.invalid_turns),
    ]


def share(rate: Rate) -> str:
    """``0.42 [0.30, 0.55]``; a dash for what does not exist."""
    return "–" if rate.estimate is None else f"{rate.estimate:.2f}{_interval(rate.low, rate.high)}"


def _signed(estimate: float | None, low: float | None, high: float | None) -> str:
    return "–" if estimate is None else f"{estimate:+.2f}{_interval(low, high, '+.2f')}"


def _interval(low: float | None, high: float | None, form: str = ".2f") -> str:
    return "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"


def _footnotes(report: Report) -> list[str]:
    """What the columns mean, which interval, and what is missing."""
    total = report.total
    lines = [
        "MR = (strategic + direct) / labelled, over attempted actions; executed: over actions that took effect.",
        "chance: MR of a uniformly random mover on the same scenarios; above chance: MR − chance, by "
        + ("families." if total.mr.unit == "family" else "cores."),
    ]
    methods = {cell.mr.method: cell for cell in report.cells}
    lines += [f"interval ({', '.join(_who(c) for c in report.cells if c.mr.method == m)}): 95 %, {m}" for m in methods]
    lines += [f"{_who(cell)}: {_missing(cell)}" for cell in report.cells if _missing(cell)]
    return lines


def _who(cell: CellReport) -> str:
    return visible(cell.agent if cell.environment in {"rules", cell.agent} else f"{cell.agent} in {cell.environment}")


def _missing(cell: CellReport) -> str:
    missing = [f"{n} {kind}" for kind in ("declined", "unmeasured", "crashed") if (n := getattr(cell.n, kind))]
    low, high = cell.mr_bounds
    if not missing or low is None or high is None:
        return ""
    return f"{', '.join(missing)} without a label; MR lies between {low:.2f} and {high:.2f} whatever they were"


def print_plan(plan: StudyPlan, *, as_json: bool) -> None:
    """What a dry run found."""
    if as_json:
        print_json(
            {
                "cells": [cell.model_dump(mode="json") for cell in plan.cells],
                "scenarios": [s.name for s in plan.scenarios],
                "episodes": plan.episodes,
                "turns": plan.turns,
                "calls_at_most": plan.calls_at_most,
            }
        )
        return
    print(f"cells     {len(plan.cells)}")
    for cell in plan.cells:
        levels = ", ".join(f"{name}={level}" for name, level in cell.levels.items())
        print(f"          {visible(cell.agent)} in {visible(cell.environment)}: {levels}")
    print(f"scenarios {len(plan.scenarios)}")
    print(f"episodes  {plan.episodes:,} of at most {plan.turns} turns")
    print(f"calls     {plan.calls_at_most:,} at most")


def print_studies(studies: Sequence[StudySummary], *, as_json: bool) -> None:
    """The studies of a store."""
    if as_json:
        print_json([summary.model_dump(mode="json") for summary in studies])
        return
    table = Table()
    for column in ("study", "instrument", "agents", "episodes", "crashed"):
        table.add_column(column, overflow="fold")
    for summary in studies:
        table.add_row(
            visible(summary.name),
            summary.instrument,
            visible(", ".join(summary.agents)),
            str(summary.episodes),
            str(summary.crashed),
        )
    Console().print(table)


def print_scenarios(pack: Pack, *, as_json: bool) -> None:
    """The scenarios of a pack."""
    if as_json:
        rows = [
            {
                "name": s.name,
                "title": s.title,
                "domain": s.core.domain,
                "pressure": s.core.pressure,
                "core_id": s.core_id,
                "scenario_id": s.scenario_id,
            }
            for s in pack.scenarios
        ]
        print_json({"pack": pack.name, "hash": pack.hash, "licence": pack.licence, "scenarios": rows})
        return
    table = Table(title=f"pack {pack.name} · {pack.licence} · hash {pack.hash}", title_justify="left")
    for column in ("name", "domain", "pressure", "title"):
        table.add_column(column, overflow="fold")
    for scenario in pack.scenarios:
        table.add_row(scenario.name, scenario.core.domain, scenario.core.pressure, visible(scenario.title))
    Console().print(table)


def print_findings(findings: Mapping[str, Sequence[Finding]], *, as_json: bool) -> None:
    """What the checks found, scenario by scenario."""
    if as_json:
        print_json({name: [_finding(f) for f in found] for name, found in findings.items()})
        return
    for name, found in findings.items():
        print(f"{name}: {'passes' if not found else f'{len(found)} findings'}")
        for finding in found:
            print(f"  {finding.check}: {visible(finding.path)}: {visible(finding.message)}")


def _finding(finding: Finding) -> dict[str, str]:
    return {"check": finding.check, "path": finding.path, "message": finding.message}
