"""Gates are fitted on other domains than they are used on; null-space maps leave benign states alone."""

from typing import Any

import numpy as np
import pytest

from refusal_mechanism.probes import (
    Gate,
    States,
    cross_domain_gate,
    domain_folds,
    fit_null_space,
    fit_probe,
    threshold_for,
)


def test_folds_never_fit_where_they_are_used() -> None:
    fit, use = ["a", "b", "b", "c"], ["a", "c", "c", "d"]
    folds = domain_folds(fit, use)
    assert [fold.domain for fold in folds] == ["a", "c", "d"]
    for fold in folds:
        assert all(fit[i] != fold.domain for i in fold.fit)
        assert [use[i] for i in fold.use] == [fold.domain] * len(fold.use)


def test_one_domain_alone_cannot_be_gated() -> None:
    assert domain_folds(["a", "a"], ["a"]) == ()


def test_a_threshold_loses_no_more_than_its_bound() -> None:
    scores = np.arange(20.0)
    benign = scores < 10
    assert threshold_for(scores, benign, 0.2) == 7.0
    assert (scores[benign] > threshold_for(scores, benign, 0.2)).sum() == 2
    assert threshold_for(scores, benign, 0.0) == 9.0
    assert (scores > threshold_for(scores, benign, 1.0)).all()
    assert threshold_for(scores, np.zeros(20, dtype=bool), 0.1) == np.inf


@pytest.mark.parametrize("most_lost", [0.0, 0.05, 0.1, 0.33])
def test_the_bound_holds_with_ties(most_lost: float) -> None:
    scores = np.array([1.0, 1, 1, 2, 2, 3, 3, 3, 3, 5])
    lost = (scores > threshold_for(scores, np.ones(10, dtype=bool), most_lost)).mean()
    assert lost <= most_lost


def gated(states: Any, domains: list[str], unsafe: Any, *, most_lost: float) -> Gate:
    """A gate whose threshold is set, and which is used, on the rows that the probes are fitted on."""
    part = States(states=states, domains=domains, unsafe=unsafe, benign_call=~unsafe)
    return cross_domain_gate(part, part, part, most_lost=most_lost)


@pytest.mark.parametrize(("width", "count"), [(128, 384), (576, 288)])
def test_the_bound_on_benign_calls_holds_on_rows_that_no_probe_was_fitted_on(width: int, count: int) -> None:
    """Of one distribution, with a weak mark. Set on the rows it was fitted on, the gate opens on twice as many."""
    rng = np.random.default_rng(5)

    def part(rows: int) -> States:
        unsafe = rng.random(rows) < 0.4
        states = rng.normal(size=(rows, width))
        states[:, 0] += 2.0 * unsafe
        return States(states=states, domains=list("abcd") * (rows // 4), unsafe=unsafe, benign_call=~unsafe)

    fit, bound, use = part(count), part(count // 2), part(2000)
    lost = cross_domain_gate(fit, bound, use, most_lost=0.1).open[use.benign_call].mean()
    in_sample = cross_domain_gate(fit, fit, use, most_lost=0.1).open[use.benign_call].mean()
    assert lost < 0.15
    assert in_sample > 0.2


def test_a_gate_without_a_benign_call_to_be_bounded_by_stays_shut() -> None:
    rng = np.random.default_rng(1)
    unsafe = np.arange(80) % 2 == 0
    part = States(states=rng.normal(size=(80, 4)), domains=list("abcd") * 20, unsafe=unsafe, benign_call=~unsafe)
    none = States(states=part.states, domains=part.domains, unsafe=unsafe, benign_call=np.zeros(80, dtype=bool))
    gate = cross_domain_gate(part, none, part, most_lost=0.1)
    assert gate.decided.all()
    assert not gate.open.any()


def test_a_gate_that_generalises_opens_on_unsafe_rows_of_the_unseen_domain() -> None:
    rng = np.random.default_rng(0)
    domains = np.array(list("abcd") * 30)
    unsafe = rng.random(120) < 0.5
    states = rng.normal(size=(120, 8))
    states[:, 2] += 6.0 * unsafe
    gate = gated(states, domains.tolist(), unsafe, most_lost=0.05)
    assert gate.decided.all()
    assert gate.open[unsafe].mean() > 0.95
    assert gate.open[~unsafe].mean() < 0.1


def test_a_mark_that_only_one_domain_has_opens_nothing_there() -> None:
    """Domain b marks unsafe rows by a component that tells nothing elsewhere: a probe fitted on b would find it."""
    rng = np.random.default_rng(1)
    domains = np.array(["a"] * 60 + ["b"] * 60)
    unsafe = rng.random(120) < 0.5
    states = rng.normal(size=(120, 4))
    states[:60, 0] += 8.0 * unsafe[:60]
    states[60:, 1] += 8.0 * unsafe[60:]
    gate = gated(states, domains.tolist(), unsafe, most_lost=0.05)
    in_b = domains == "b"
    assert abs(gate.open[unsafe & in_b].mean() - gate.open[~unsafe & in_b].mean()) < 0.35
    own = fit_probe(states[in_b], unsafe[in_b])
    assert own is not None
    assert ((own.scores(states[in_b]) > 0) == unsafe[in_b]).mean() > 0.95


def test_too_few_of_a_kind_give_no_probe_and_a_closed_gate() -> None:
    states = np.random.default_rng(0).normal(size=(12, 3))
    unsafe = np.arange(12) < 2
    assert fit_probe(states, unsafe) is None
    gate = gated(states, list("ab") * 6, unsafe, most_lost=0.1)
    assert not gate.open.any()
    assert not gate.decided.any()


def test_a_null_space_map_leaves_benign_states_and_moves_harmful_ones() -> None:
    rng = np.random.default_rng(2)
    basis = np.linalg.qr(rng.normal(size=(16, 16)))[0]
    benign = rng.normal(size=(200, 4)) @ basis[:4] + 5.0
    harmful = rng.normal(size=(100, 4)) @ basis[:4] + 5.0 + 3.0 * basis[7]
    found = fit_null_space(benign[:100], harmful[:50])
    assert found is not None
    assert found.kept == 4
    assert np.abs(found.factors(benign[100:])).max() < 1e-9
    assert found.factors(harmful[50:]) == pytest.approx(np.ones(50), abs=0.02)


def test_nothing_outside_the_benign_states_is_no_map() -> None:
    rng = np.random.default_rng(2)
    assert fit_null_space(rng.normal(size=(50, 3)), rng.normal(size=(20, 3)), energy=1.0) is None
    assert fit_null_space(np.ones((1, 3)), np.ones((2, 3))) is None
