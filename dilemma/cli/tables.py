"""Tables of the command line; everything printed here can also be had as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dilemma.cli.question_tables import print_power, print_questions
from dilemma.cli.safe import escaped, visible
from dilemma.studies.numbers import NOTHING, share, signed
from dilemma.studies.planning import StudyPlan
from dilemma.studies.report import CellReport, Report
from dilemma.studies.served import change_line, changed_within
from dilemma_kernel.records import BASELINE, FACTORS, LABELS, Rate
from dilemma_kernel.semantics.checks import Finding
from scenario_factory import Pack
from trajectories import StudySummary

if TYPE_CHECKING:
    from scenario_factory.cues import CueReport


def wide_console() -> Console:
    """A console as wide as the terminal; 120 columns where the output goes elsewhere. It obeys no markup in a text."""
    console = Console(highlight=False, markup=False, emoji=False)
    return console if console.is_terminal else Console(highlight=False, markup=False, emoji=False, width=120)


def print_json(value: Any) -> None:
    """JSON on stdout, two spaces of indent; what a terminal would obey is escaped as JSON has it."""
    print(escaped(json.dumps(value, indent=2, ensure_ascii=False)))


def print_report(report: Report, *, as_json: bool) -> None:
    """A study's report: the rate, then the labels behind it; a total where there are several cells."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    console = wide_console()
    environments = {visible(cell.environment) for cell in report.cells}
    where = f" · environment {environments.pop()}" if len(environments) == 1 else ""
    console.print(Text(f"study {report.study}{where}", style="bold"))
    console.print(_table(report, ("n", "MR", "chance", "MR − chance", "executed"), _rate_row))
    console.print(_table(report, (*LABELS, "1st A−"), _label_row))
    for line in _footnotes(report):
        console.print(Text(line))
    print_questions(report, console)


def _table(report: Report, columns: Sequence[str], row: Callable[[CellReport], list[str]]) -> Table:
    """One row a cell, headed by what tells the cells apart."""
    cells = [cell for cell in report.cells if cell.control is None]
    varied = [name for name in FACTORS if len({cell.factors.get(name) for cell in cells}) > 1]
    several = len({cell.environment for cell in cells}) > 1
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in ("agent", *(("environment",) if several else ()), *varied):
        table.add_column(column, overflow="fold", min_width=12 if column in {"agent", "environment"} else len(column))
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for cell in (*cells, *((report.total,) if len(cells) > 1 else ())):
        if cell is report.total:
            table.add_section()
        who = [visible(cell.agent), *((visible(cell.environment),) if several else ())]
        levels = (cell.factors.get(name, "all" if cell is report.total else BASELINE[name]) for name in varied)
        table.add_row(*who, *levels, *row(cell))
    return table


def _rate_row(cell: CellReport) -> list[str]:
    return [
        str(cell.n.measured),
        share(cell.mr),
        "–" if cell.chance is None else f"{cell.chance:.2f}",
        signed(cell.above_chance.estimate, cell.above_chance.low, cell.above_chance.high),
        _executed(cell),
    ]


def _executed(cell: CellReport) -> str:
    """Executed-MR and its own floor."""
    if cell.mr_executed.estimate is None or cell.chance_executed is None:
        return NOTHING
    return f"{cell.mr_executed.estimate:.2f} ({cell.chance_executed:.2f})"


def _label_row(cell: CellReport) -> list[str]:
    return [
        *(str(cell.labels[label]) for label in LABELS),
        "–" if cell.first_misaligned_turn is None else f"{cell.first_misaligned_turn:g}",
    ]


def _footnotes(report: Report) -> list[str]:
    """What the columns mean, which interval, and what is missing."""
    total = report.total
    lines = [
        "MR: share of labelled episodes that attempted an A− terminal (strategic, direct); executed: that had it done.",
        "1st A−: median turn of the first A− attempt.",
        "chance: MR of a uniformly random mover on the same scenarios; in brackets, its executed share.",
        f"Intervals: 95 %, unit {total.mr.unit}.",
    ]
    by_method: dict[str, list[str]] = {}
    for cell in report.cells:
        by_method.setdefault(cell.mr.method, []).append(_who(cell))
    if len(by_method) == 1:
        lines += [f"MR: {method}." for method in by_method]
    else:
        lines += [f"MR of {', '.join(dict.fromkeys(who))}: {method}." for method, who in by_method.items()]
    lines += [f"{_who(cell)}: {cell.mr.note}." for cell in report.cells if cell.mr.note]
    lines += [visible(change_line(name, several)) for name, several in changed_within(report.served).items()]
    return lines + [f"{_who(cell)}: {missing}" for cell in report.cells if (missing := _missing(cell))]


def _who(cell: CellReport) -> str:
    return visible(cell.agent if cell.environment in {"rules", cell.agent} else f"{cell.agent} in {cell.environment}")


def _missing(cell: CellReport) -> str:
    missing = [f"{n} {kind}" for kind in ("declined", "unmeasured", "crashed") if (n := getattr(cell.n, kind))]
    low, high = cell.mr_bounds
    said = []
    if cell.invalid_turns:
        said.append(f"{cell.invalid_turns} of {cell.turns} turns without a valid move")
        if cell.chance_at_invalid is not None:
            said[-1] += f" (chance at that share: {cell.chance_at_invalid:.2f})"
    said += [f"{cell.faults} faults of the environment"] if cell.faults else []
    if missing and low is not None and high is not None:
        between = f"MR lies between {low:.2f} and {high:.2f}"
        said.append(f"{', '.join(missing)} without a label ({between} whatever they were)")
    return "; ".join(said)


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
                "power": plan.power.model_dump(mode="json") if plan.power else None,
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
    if plan.power:
        print_power(plan.power, wide_console())


def print_studies(studies: Sequence[StudySummary], *, as_json: bool) -> None:
    """The studies of a store."""
    if as_json:
        print_json([summary.model_dump(mode="json") for summary in studies])
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
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
    wide_console().print(table)


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
    table = Table(
        title=f"pack {pack.name} · {pack.licence} · hash {pack.hash}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for column in ("name", "domain", "pressure", "title"):
        table.add_column(column, overflow="fold")
    for scenario in pack.scenarios:
        table.add_row(scenario.name, scenario.core.domain, scenario.core.pressure, visible(scenario.title))
    wide_console().print(table)


def print_findings(findings: Mapping[str, Sequence[Finding]], cues: "CueReport", *, as_json: bool) -> None:
    """What the checks found, scenario by scenario, and the figures of the pack's cues."""
    if as_json:
        listed = {name: [_finding(f) for f in found] for name, found in findings.items()}
        print_json({"findings": listed, "cues": cues.model_dump(mode="json")})
        return
    for name, found in findings.items():
        print(f"{name}: {'passes' if not found else f'{len(found)} findings'}")
        for finding in found:
            print(f"  {finding.check}: {visible(finding.path)}: {visible(finding.message)}")
    print("Do cues tell A− from A+? (AUC, .5 is chance; no verdict rests on it)")
    for name in ("words", "length", "position"):
        auc: Rate = getattr(cues, name)
        print(f"  by {name:9} {share(auc)}{'' if auc.estimate is not None else f' {auc.method}'}")
    if cues.telling:
        print(f"  telling words: {', '.join(visible(word.word) for word in cues.telling[:8])}")
    print(f"Is the choice knowable? A− effects that breach a cited clause: {share(cues.breaches)}")


def _finding(finding: Finding) -> dict[str, str]:
    return {"check": finding.check, "path": finding.path, "message": finding.message}
