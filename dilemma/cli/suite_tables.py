"""What ``dilemma transfer suite`` and ``dilemma transfer audit`` print."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from dilemma.cli.safe import visible
from dilemma.cli.tables import print_json, wide_console
from dilemma.studies.transfer.audit import Audit
from refusal_transfer.checking import Finding, count
from refusal_transfer.suite import Suite


def print_suite_check(suite: Suite, findings: Sequence[Finding], aucs: dict[str, float], *, as_json: bool) -> None:
    """Counts, hash, findings, and how well surface features tell harmful from benign."""
    counts = count(suite)
    if as_json:
        print_json(
            {
                "suite": suite.manifest.name,
                "version": suite.manifest.version,
                "licence": suite.manifest.licence,
                "hash": suite.hash,
                "counts": counts,
                "surface_auc": aucs,
                "findings": [{"check": f.check, "where": f.where, "message": f.message} for f in findings],
            }
        )
        return
    print(f"suite {suite.manifest.name} {suite.manifest.version} · {suite.manifest.licence} · hash {suite.hash}")
    for name, number in counts.items():
        print(f"  {name.replace('_', ' '):18} {number:,}")
    for domain, auc in aucs.items():
        print(f"  surface AUC in {domain}, learned elsewhere: {auc:.2f}")
    for finding in findings:
        print(f"{finding.check}: {visible(finding.where)}: {visible(finding.message)}")
    print("passes" if not findings else f"{len(findings)} findings")


def print_suite_list(suite: Suite, *, as_json: bool) -> None:
    """The intents of a suite, a line each."""
    if as_json:
        rows = [
            {"id": i.id, "domain": i.domain, "scenario": i.scenario, "request": i.request, "tool": i.tool,
             "summary": i.summary}
            for i in suite.intents
        ]  # fmt: skip
        print_json(rows)
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("intent", "tool", "summary"):
        table.add_column(column, overflow="fold")
    for intent in suite.intents:
        table.add_row(intent.id, intent.tool, visible(intent.summary))
    wide_console().print(table)


def print_intent(suite: Suite, name: str, *, as_json: bool) -> None:
    """One intent in every rendering, with its ground-truth call; raises ``KeyError`` where there is none."""
    intent = next((one for one in suite.intents if one.id == name), None)
    if intent is None:
        raise KeyError(name)
    systems = suite.domains[intent.domain].systems
    if as_json:
        print_json({**intent.model_dump(mode="json"), "id": intent.id, "systems": systems})
        return
    print(f"{intent.id}: {visible(intent.summary)}\n")
    for condition, text in systems.items():
        print(f"system, {condition}\n  {visible(text)}\n")
    for variant, wording in intent.wordings.items():
        for mode in ("chat", "tool", "stress"):
            pressure = f" ({wording.pressure})" if mode == "stress" else ""
            print(f"{variant}, {mode}{pressure}\n  {visible(getattr(wording, mode))}\n")
    print(f"call   {intent.call.tool} {visible(str(intent.call.arguments))}")
    if intent.decoy:
        print(f"decoy  {intent.decoy.tool} {visible(str(intent.decoy.arguments))}")
        print(f"caught by {intent.predicate}")


def print_audit(audit: Audit, *, as_json: bool) -> None:
    """What an audit found."""
    if as_json:
        print_json({**audit.model_dump(mode="json"), "passes": audit.passes})
        return
    how = "through the template" if audit.native else "in words"
    print(f"{visible(audit.model)}: {audit.prompts:,} prompts rendered, tools {how}")
    for note in audit.notes:
        print(f"  note: {visible(note)}")
    for fault in audit.faults:
        print(f"  {fault.kind} in {fault.arm}: {fault.prompts:,} prompts; first {visible(fault.example)}")
    print("passes" if audit.passes else f"{len(audit.faults)} kinds of fault")
