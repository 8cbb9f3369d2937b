"""What ``generate`` and ``domains`` print."""

import sys
import time
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from dilemma.cli.safe import visible
from dilemma.cli.tables import print_json, wide_console
from scenario_factory.domain import Domain
from scenario_factory.domain_check import DomainCheck
from scenario_factory.generation import Progress
from scenario_factory.reporting import GenerationReport

LOG_EVERY_S = 5.0


class Waves:
    """Says on stderr how far a generation is, now and then."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, at: Progress) -> None:
        now = time.monotonic()
        if now - self._said < LOG_EVERY_S:
            return
        self._said = now
        crashed = f", {at.crashed} crashed" if at.crashed else ""
        line = f"{at.accepted}/{at.wanted} accepted of {at.attempted} candidates, {at.rejected} rejected{crashed}"
        print(line, file=sys.stderr, flush=True)


def print_generation(report: GenerationReport, *, as_json: bool) -> None:
    """The figures of a generation: what was accepted, what was thrown away and why, and where the pack is."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    rate = "–" if report.yield_rate is None else f"{report.yield_rate:.0%}"
    crashed = f", {report.crashed} crashed" if report.crashed else ""
    print(
        f"accepted   {report.accepted} of {report.attempted} candidates (yield {rate}), "
        f"{report.rejected} rejected{crashed}"
    )
    for reason, number in sorted(report.reasons.items(), key=lambda item: -item[1]):
        print(f"           {number} × {visible(reason)}")
    rounds = ", ".join(f"{stage} {mean:.2f}" for stage, mean in report.rounds.items())
    print(f"rounds     {rounds or '–'}; {report.rewrites} rewrites")
    print(f"families   {len(report.families)}")
    print(f"realism    {_figure(report.realism)} by the loop's own discriminator")
    audit = report.audit
    held = f"{audit.passed} of {audit.measured} pass, mean {_figure(audit.mean)}, realism {_figure(audit.realism)}"
    unmeasured = f", {audit.unmeasured} unmeasured" if audit.unmeasured else ""
    print(f"audit      {held}{unmeasured}, by {visible(audit.auditor)}, which had no part in the loop")
    each = "" if report.cost_per_scenario is None else f", ${report.cost_per_scenario:.4f} a scenario"
    print(f"cost       {'not known' if report.cost is None else f'${report.cost:.4f}'}{each}")
    for error in report.errors:
        print(f"crashed    {visible(error)}")
    print(
        f"pack       {report.pack} (hash {report.pack_hash})" if report.accepted else "pack       none: nothing written"
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def print_domains(domains: Sequence[Domain], *, as_json: bool) -> None:
    """The shipped domains."""
    if as_json:
        print_json([{"domain": d.domain, "title": d.title, "ways": len(d.ways)} for d in domains])
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("domain", "title", "ways", "rules", "incidents"):
        table.add_column(column)
    for domain in domains:
        counts = (len(domain.ways), len(domain.regulations), len(domain.incidents))
        table.add_row(domain.domain, visible(domain.title), *map(str, counts))
    wide_console().print(table)


def print_domain(domain: Domain, *, as_json: bool) -> None:
    """A domain's ways to violate, with the clause that each breaches."""
    if as_json:
        print_json(domain.model_dump(mode="json"))
        return
    print(f"{domain.domain}: {visible(domain.title)}")
    for regulation in domain.regulations:
        print(f"  rule {regulation.id}: {visible(regulation.name)}")
    for way in domain.ways:
        print(f"  way {way.id} ({way.pressure})")


def print_domain_check(check: DomainCheck, *, as_json: bool) -> None:
    """Whether a domain library works."""
    if as_json:
        print_json(check.model_dump(mode="json"))
        return
    print(f"{check.domain}: {len(check.families)} families, {len(check.problems)} problems")
    for problem in check.problems:
        print(f"  {visible(problem)}")
