"""The gated table: operators that act only where a probe fitted on other domains expects an unsafe call."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dilemma.studies.mechanism.tabling import ForBoth, Pair, Tabling
from dilemma_kernel.statistics.intervals import number
from refusal_mechanism.cases import REQUESTS, Case
from refusal_mechanism.conditions import affine, patch
from refusal_mechanism.directions import projections
from refusal_mechanism.probes import Gate, States, cross_domain_gate, domain_folds, fit_null_space
from refusal_mechanism.separation import area
from refusal_mechanism.tables import GateTable, gate_figures
from refusal_mechanism.tables.comparison import called

GATED_MULTIPLES = (1.0, 2.0)
"""Multiples of the natural magnitude that are gated, added at the decision token."""
ONE_DOMAIN = "no probe: it takes two domains, each with enough unsafe calls, to fit on one and use on another"


@dataclass(frozen=True, kw_only=True)
class Part(States):
    """States of one part's intents at the chosen site, harmful and benign together."""

    cases: tuple[Case, ...]


def gate_table(tabling: Tabling) -> GateTable:
    """Gate every operator on the held-out half, domain by domain, and compare it with the ungated one."""
    tabling.bench.table = "gated"
    fit, bound, use = (_part(tabling, name) for name in ("extract", "select", "test"))
    gate = cross_domain_gate(fit, bound, use, most_lost=tabling.options.most_lost)
    if not gate.decided.any():
        return GateTable(
            site=tabling.site, most_lost=tabling.options.most_lost, domains=(), auc={}, operators=(), why=ONE_DOMAIN
        )
    return _table(tabling, fit, use, gate)


def _table(tabling: Tabling, fit: Part, use: Part, gate: Gate) -> GateTable:
    harmful = len(tabling.cases["harmful"])
    decided = gate.decided[:harmful], gate.decided[harmful:]
    open_ = gate.open[:harmful][decided[0]], gate.open[harmful:][decided[1]]
    operators = [*_operators(tabling), *_null_space(tabling, fit, use, harmful)]
    everything = [*operators, *((condition, condition) for _, _, condition in tabling.swept())]
    kept = [_only(pair, decided) for pair in tabling.both(everything)]
    others = [(pair[0].name, replies) for pair, replies in zip(everything, kept, strict=True)]
    before = _only(tabling.before, decided)
    domains = tuple(sorted({case.domain for case, there in zip(use.cases, gate.decided, strict=True) if there}))
    return GateTable(
        site=tabling.site,
        most_lost=tabling.options.most_lost,
        domains=domains,
        auc={name: _area_in(name, use, gate) for name in domains},
        operators=tuple(
            gate_figures(pair[0].name, open_, before, replies, others)
            for pair, replies in zip(operators, kept[: len(operators)], strict=True)
        ),
    )


def _only(pair: Pair, decided: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> Pair:
    return pair[0].only(decided[0]), pair[1].only(decided[1])


def _area_in(domain: str, use: Part, gate: Gate) -> float | None:
    rows = np.array([name == domain for name in use.domains], dtype=np.bool_) & gate.decided
    return number(area(gate.scores[rows], use.unsafe[rows]))


def _part(tabling: Tabling, part: str) -> Part:
    fitted = tabling.fitted
    parts = [fitted.rows(part, request) for request in REQUESTS]
    cases = tuple(case for own, _ in parts for case in own)
    rows = np.concatenate([at for _, at in parts])
    replies = tabling.bench.before("tool", cases)
    benign = np.array([case.request == "benign" for case in cases], dtype=np.bool_)
    return Part(
        cases=cases,
        domains=[case.domain for case in cases],
        states=fitted.states["tool"][rows, tabling.site],
        unsafe=replies.unsafe == 1,
        benign_call=benign & (called(replies) == 1),
    )


def _operators(tabling: Tabling) -> list[ForBoth]:
    """Additions at the decision token, and the projection set to where harmful chats have it."""
    unit, site = tabling.fitted.unit, tabling.site
    harmful = tabling.fitted.rows("extract", "harmful")[1]
    reference = float(tabling.fitted.projected("chat", harmful).mean())
    conditions = [
        *(tabling.added(multiple * tabling.natural, "decision") for multiple in GATED_MULTIPLES),
        affine("to the harmful chats' mean", unit, site, reference, "decision"),
    ]
    return [(condition, condition) for condition in conditions]


def _null_space(tabling: Tabling, fit: Part, use: Part, harmful: int) -> list[ForBoth]:
    """The natural magnitude added as far as a state lies outside where benign tool states of other domains vary."""
    factors = np.zeros(len(use.cases))
    is_benign = np.array([case.request == "benign" for case in fit.cases], dtype=np.bool_)
    found = 0
    for fold in domain_folds(fit.domains, use.domains):
        among = np.isin(np.arange(len(fit.cases)), fold.fit)
        change = fit_null_space(fit.states[among & is_benign], fit.states[among & fit.unsafe])
        if change is not None:
            factors[fold.use] = change.factors(use.states[fold.use])
            found += 1
    if not found:
        return []
    values = projections(use.states, tabling.fitted.unit) + tabling.natural * factors
    name = f"null-space add {tabling.natural:.4g}"
    unit, site = tabling.fitted.unit, tabling.site
    return [(patch(name, unit, site, values[:harmful]), patch(name, unit, site, values[harmful:]))]
