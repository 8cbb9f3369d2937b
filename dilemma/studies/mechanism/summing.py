"""From a prepared bench to the report: the tables asked for, and what they say in words."""

import numpy as np

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.findings import findings
from dilemma.studies.mechanism.fitting import Fitted
from dilemma.studies.mechanism.gates import gate_table
from dilemma.studies.mechanism.handing import Handed
from dilemma.studies.mechanism.options import MechanismOptions
from dilemma.studies.mechanism.results import (
    DirectionFacts,
    MechanismReport,
    ProjectionPoint,
    SiteAreas,
    SplitCounts,
)
from dilemma.studies.mechanism.tabling import Tabling, kl_of_layers
from dilemma.studies.mechanism.transferring import Transferred
from dilemma_kernel.statistics.clusters import group
from refusal_mechanism.cases import REQUESTS
from refusal_mechanism.directions import REQUEST, projections
from refusal_mechanism.separation import auc
from refusal_mechanism.tables.suppression import known_auc
from refusal_mechanism.verdict import mechanism_verdict

PARTS = ("extract", "select", "test")


def build_report(
    bench: Bench, fitted: Fitted, handed: Handed, done: Transferred, options: MechanismOptions
) -> MechanismReport:
    """Make every table that was asked for. Without a site, those that need none are made, and the report says so."""
    report = MechanismReport(
        model=options.name,
        weights=bench.model,
        dtype=str(bench.lab.dtype).removeprefix("torch."),
        layers=bench.lab.layers,
        width=bench.lab.width,
        suite=f"{done.suite.manifest.name} {done.suite.manifest.version}",
        suite_hash=done.suite.hash,
        study=done.study,
        seed=options.seed,
        max_tokens=done.max_tokens,
        test_bed=done.test_bed,
        left_out=handed.left_out,
        split=tuple(_counts(fitted, part) for part in PARTS),
        directions=tuple(
            DirectionFacts(name=one.name, positives=one.positives, negatives=one.negatives, why=one.why)
            for one in fitted.directions.values()
        ),
        refusal_tokens=tuple(bench.lab.loaded.decode([token]) for token in fitted.tokens),
        selection=fitted.selection,
        rule=options.rule,
        rule_used=fitted.rule_used,
        site=fitted.site,
        natural=None,
        divergence=done.divergence,
        areas=_areas(bench, fitted),
    )
    tabling = Tabling(bench=bench, fitted=fitted, options=options, site=fitted.site or 0)
    report = report.model_copy(update={"unmodified": tabling.unmodified()})
    if "6" in options.tables:
        report = report.model_copy(update={"kl": kl_of_layers(bench, fitted, options, tabling.controls)})
    if fitted.site is not None:  # without one, nothing that needs one is asked of the tabling
        report = _at_site(report, tabling)
    report = report.model_copy(update={"verdict": mechanism_verdict(report.suppression, report.patching)})
    return report.model_copy(update={"findings": findings(report, own_tokens=fitted.own_tokens)})


def _at_site(report: MechanismReport, tabling: Tabling) -> MechanismReport:
    made = {
        "3": ("suppression", tabling.suppression),
        "4": ("patching", tabling.patching),
        "5": ("cosines", tabling.cosines),
        "7": ("addition", tabling.addition),
        "8": ("calls", tabling.calls),
        "9": ("sweep", tabling.sweep),
        "gated": ("gating", lambda: gate_table(tabling)),
    }
    update = {field: make() for name, (field, make) in made.items() if name in tabling.options.tables}
    return report.model_copy(update={"natural": tabling.natural, "projections": _points(tabling), **update})


def _counts(fitted: Fitted, part: str) -> SplitCounts:
    rows = {request: fitted.rows(part, request)[0] for request in REQUESTS}
    return SplitCounts(
        part=part,
        intents=len({case.intent for own in rows.values() for case in own}),
        harmful=len(rows["harmful"]),
        benign=len(rows["benign"]),
    )


def _areas(bench: Bench, fitted: Fitted) -> tuple[SiteAreas, ...]:
    direction = fitted.directions[REQUEST]
    (harmful, at), (benign, beside) = (fitted.rows("test", request) for request in REQUESTS)
    chat = projections(fitted.states["chat"][np.concatenate([at, beside])], direction.unit)
    tool = projections(fitted.states["tool"][at], direction.unit)
    both = group([case.intent for case in (*harmful, *benign)])
    is_harmful = np.arange(len(harmful) + len(benign)) < len(harmful)
    unsafe = bench.before("tool", harmful)
    return tuple(
        SiteAreas(
            site=site,
            request=auc(chat[:, site], is_harmful, both),
            unsafe=known_auc(-tool[:, site], unsafe.unsafe, unsafe.intents),
        )
        for site in range(bench.lab.layers + 1)
        if direction.usable[site]
    )


def _points(tabling: Tabling) -> tuple[ProjectionPoint, ...]:
    found = []
    for request in REQUESTS:
        cases, rows = tabling.cases[request], tabling.rows[request]
        chat, tool = (tabling.fitted.projected(mode, rows) for mode in ("chat", "tool"))
        for at, case in enumerate(cases):
            found.append(
                ProjectionPoint(
                    case=case.key,
                    request=request,
                    chat=float(chat[at]),
                    tool=float(tool[at]),
                    refused=tabling.bench.unmodified[case.key, "chat"].refused,
                    call=tabling.bench.unmodified[case.key, "tool"].call,
                )
            )
    return tuple(found)
