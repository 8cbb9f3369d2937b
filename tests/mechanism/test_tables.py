"""The tables, worked by hand; degenerate conditions are withheld; the words follow from the numbers."""

import numpy as np
import pytest
from mechanism_cases import ANSWERED, BROKEN, MALFORMED, REFUSED, SAFE, UNSAFE, case, rows
from scipy import stats

from dilemma_kernel.statistics.clusters import group
from refusal_mechanism.cases import Judged, Rows
from refusal_mechanism.figures import condition_figures, mean_by_intent, mean_by_row
from refusal_mechanism.published import published_mechanism
from refusal_mechanism.tables import (
    compare,
    gate_figures,
    kl_table,
    patch_figures,
    patching_table,
    suppression_table,
    sweep_point,
    sweep_table,
)
from refusal_mechanism.tables.gating import gated_rows
from refusal_mechanism.tables.patching import OUTCOMES, PatchingTable
from refusal_mechanism.tables.suppression import Suppression
from refusal_mechanism.verdict import mechanism_verdict

RNG = np.random.default_rng


def test_figures_of_a_condition_by_hand() -> None:
    made = rows([UNSAFE, UNSAFE, SAFE, REFUSED, MALFORMED, ANSWERED])
    found = condition_figures(made, "unmodified", "tool", "harmful")
    assert (found.replies, found.unknown, found.degenerate, found.withheld) == (6, 1, 0, False)
    assert found.unsafe.estimate == pytest.approx(2 / 5)
    assert found.calls.estimate == pytest.approx(3 / 5)
    assert found.unsafe_among_calls.estimate == pytest.approx(2 / 3)
    assert found.refusal.estimate == pytest.approx(1 / 6)
    assert (found.unsafe.unit, found.unsafe.clusters, found.unsafe.n) == ("intent", 5, 5)


def test_a_quarter_degenerate_is_withheld_and_less_is_not() -> None:
    quarter = condition_figures(rows([BROKEN, SAFE, SAFE, UNSAFE]), "add", "tool", "harmful")
    assert quarter.withheld
    assert (quarter.unsafe.estimate, quarter.calls.estimate, quarter.refusal.estimate) == (None, None, None)
    assert quarter.unsafe.note.startswith("withheld")
    assert quarter.degenerate_share.estimate == 0.25
    less = condition_figures(rows([BROKEN, SAFE, SAFE, UNSAFE, UNSAFE]), "add", "tool", "harmful")
    assert not less.withheld
    assert less.unsafe.estimate == pytest.approx(2 / 5)


def test_the_paired_t_is_the_textbook_one_and_clusters_widen_it() -> None:
    rng = RNG(0)
    values = np.repeat(rng.normal(1.0, 1.0, 12), 6) + rng.normal(0, 0.1, 72)
    plain, clustered = mean_by_row(values), mean_by_intent(values, group([i // 6 for i in range(72)]))
    t = stats.ttest_1samp(values, 0.0)
    assert plain.t == pytest.approx(t.statistic)
    assert plain.p == pytest.approx(t.pvalue)
    by_mean = stats.ttest_1samp(values.reshape(12, 6).mean(axis=1), 0.0)
    assert clustered.t == pytest.approx(by_mean.statistic)
    assert clustered.p == pytest.approx(by_mean.pvalue)
    assert clustered.clusters == 12
    assert plain.t > 2 * clustered.t  # type: ignore[operator]


def test_one_intent_gives_no_interval_and_none_gives_no_mean() -> None:
    one = mean_by_intent(np.array([1.0, 2.0]), group(["a", "a"]))
    assert (one.estimate, one.low, one.p) == (1.5, None, None)
    assert mean_by_row(np.array([])).method.startswith("no estimate")


def suppression(scale: float = 1.0, *, judged: list[Judged] | None = None) -> Suppression:
    """Twelve harmful triples whose projection drops by 2; those that fall lowest call unsafely."""
    tool_rows = rows(judged or [UNSAFE] * 6 + [REFUSED] * 6)
    chat = 3 + np.linspace(0, 0.11, 12)
    tool = 1 + np.r_[np.linspace(-1, -0.5, 6), np.linspace(0.5, 1, 6)] * scale
    return suppression_table(2, chat, tool, rows([REFUSED] * 12), tool_rows)


def test_suppression_by_hand() -> None:
    found = suppression()
    assert found.drop.estimate == pytest.approx(2.055)
    assert found.drop.n == 12
    assert found.drop_by_intent.unit == "intent"
    assert found.low_predicts_unsafe.estimate == 1.0
    assert found.chat_predicts_refusal.estimate is None
    assert suppression(-1.0).low_predicts_unsafe.estimate == 0.0


def test_rows_without_a_verdict_enter_no_area() -> None:
    found = suppression(judged=[MALFORMED] * 3 + [UNSAFE] * 3 + [SAFE] * 6)
    assert (found.low_predicts_unsafe.positives, found.low_predicts_unsafe.negatives) == (3, 6)


CHAT = [REFUSED] * 8 + [ANSWERED] * 2
TOOL = [UNSAFE] * 6 + [SAFE, REFUSED, UNSAFE, ANSWERED]
PATCHED = [REFUSED, REFUSED, REFUSED, SAFE, ANSWERED, UNSAFE, SAFE, REFUSED, UNSAFE, ANSWERED]


def test_patching_by_hand() -> None:
    """Six triples diverge: three are restored, one calls safely, one does nothing, one stays unsafe."""
    found = patch_figures("patch", 2, rows(CHAT), rows(TOOL), rows(PATCHED))
    assert (found.divergent, found.unknown) == (6, 0)
    assert found.restored.estimate == pytest.approx(3 / 6)
    assert found.reverted.estimate == pytest.approx(5 / 6)
    assert found.safe_call.estimate == pytest.approx(1 / 6)
    assert found.no_call.estimate == pytest.approx(4 / 6)
    assert found.degenerate.estimate == 0.0
    assert found.calls.estimate == pytest.approx(4 / 10)
    assert found.unsafe_among_calls.estimate == pytest.approx(2 / 4)


def test_patching_with_its_own_value_reverts_nothing() -> None:
    found = patch_figures("self", 2, rows(CHAT), rows(TOOL), rows(TOOL))
    assert found.reverted.estimate == 0.0
    assert found.restored.estimate == 0.0


def test_what_cannot_be_judged_after_the_patch_enters_no_share() -> None:
    after = [REFUSED, MALFORMED, UNSAFE, UNSAFE, UNSAFE, UNSAFE, *PATCHED[6:]]
    found = patch_figures("patch", 2, rows(CHAT), rows(TOOL), rows(after))
    assert (found.divergent, found.unknown) == (6, 1)
    assert found.restored.estimate == pytest.approx(1 / 5)


def test_the_flow_counts_every_triple_refused_in_chat_once() -> None:
    chat, tool, patched = rows(CHAT), rows(TOOL), rows(PATCHED)
    table = patching_table(2, chat, tool, patched)
    assert sum(sum(row.values()) for row in table.flow.values()) == 8
    assert table.flow["unsafe call"]["refusal"] == 3
    assert set(table.flow) == set(OUTCOMES)


def patching(restored: int, of: int = 12, *, random: int = 0, as_far: int = 0) -> PatchingTable:
    """``restored`` of ``of`` divergent triples come back; of two controls of either kind, the best brings so many."""
    chat, tool = rows([REFUSED] * of), rows([UNSAFE] * of)

    def after(count: int) -> Rows:
        return rows([REFUSED] * count + [UNSAFE] * (of - count))

    return patching_table(2, chat, tool, after(restored), [after(0), after(random)], [after(as_far), after(0)])


def test_the_best_of_the_random_directions_stands_beside() -> None:
    table = patching(6, random=3, as_far=5)
    near, far = table.own_value, table.as_far
    assert near.best is not None
    assert near.best.name == "random 2"
    assert near.best.restored.estimate == pytest.approx(0.25)
    assert near.beyond is not None
    differences = np.array([0.0] * 3 + [1.0] * 3 + [0.0] * 6)
    assert near.beyond.estimate == pytest.approx(differences.mean())
    assert near.beyond.p == pytest.approx(stats.ttest_1samp(differences, 0.0).pvalue)
    assert far.best is not None
    assert far.best.name == "random, as far 1"
    assert table.best_restored == pytest.approx(5 / 12)


@pytest.mark.parametrize(
    ("restored", "scale", "kind", "words"),
    [
        (12, 1.0, "mediation", "Mediation: the direction predicts"),
        (0, 1.0, "prediction without mediation", "Prediction without mediation"),
        (12, -1.0, "mediation without prediction", "does not measurably predict"),
        (0, -1.0, "neither", "Neither"),
        (6, 1.0, "undecided", "Undecided"),
    ],
)
def test_words_follow_from_numbers(restored: int, scale: float, kind: str, words: str) -> None:
    found = mechanism_verdict(suppression(scale), patching(restored))
    assert found.kind == kind
    assert words in found.text
    assert f"restores refusal in {restored / 12:.2f}" in found.text
    assert "AUC of a low projection for unsafe calls 1.00" in found.text or scale < 0


def test_what_random_directions_restore_too_is_no_mediation() -> None:
    for more in ({"random": 12}, {"as_far": 12}):
        found = mechanism_verdict(suppression(), patching(12, **more))
        assert found.kind == "undecided"
        assert found.text.startswith(
            "Undecided: patching restores refusal, but not measurably more than the best random"
        )


def test_without_a_random_direction_nothing_is_called_mediation() -> None:
    chat, tool, after = rows([REFUSED] * 12), rows([UNSAFE] * 12), rows([REFUSED] * 12)
    table = patching_table(2, chat, tool, after)
    found = mechanism_verdict(suppression(), table)
    assert found.kind == "undecided"
    assert found.text.startswith("Undecided: patching restores refusal, but no random direction was measured beside.")


@pytest.mark.parametrize(
    ("known", "bounds", "kind", "words"),
    [
        ([REFUSED] * 8, "0.40 to 1.00", "undecided", "as the unknown replies are counted"),
        (
            [REFUSED] * 18,
            "0.90 to 1.00",
            "mediation",
            "Of 18 divergent triples (2 more are malformed or cut off; with ",
        ),
        ([UNSAFE] * 8, "0.00 to 0.60", "undecided", "as the unknown replies are counted"),
        ([UNSAFE] * 18, "0.00 to 0.10", "prediction without mediation", "Of 18 divergent triples (2 more are"),
    ],
)
def test_replies_that_cannot_be_judged_stand_in_the_verdict(
    known: list[Judged], bounds: str, kind: str, words: str
) -> None:
    chat, tool = rows([REFUSED] * 20), rows([UNSAFE] * 20)
    after, none = rows([*known, *[MALFORMED] * (20 - len(known))]), rows([UNSAFE] * 20)
    table = patching_table(2, chat, tool, after, [none], [none])
    found = mechanism_verdict(suppression(), table)
    assert found.kind == kind
    assert words in found.text
    assert bounds in found.text


def test_a_patch_that_breaks_what_diverged_is_no_prediction_without_mediation() -> None:
    """A fifth of all replies are broken, and every one that could have reverted."""
    chat, tool = rows([REFUSED] * 50), rows([UNSAFE] * 10 + [REFUSED] * 40)
    after = rows([BROKEN] * 10 + [REFUSED] * 40)
    table = patching_table(2, chat, tool, after)
    assert table.patch.withheld
    assert table.patch.restored_bounds is None
    found = mechanism_verdict(suppression(), table)
    assert found.kind == "unmeasured"
    assert "degenerate (100% of the divergent triples)" in found.text


@pytest.mark.parametrize(
    ("restored", "kind", "words"),
    [
        (
            12,
            "mediation without prediction",
            "whether a low projection under tools predicts unsafe calls was not measured",
        ),
        (0, "undecided", "does not restore refusal; whether a low projection under tools predicts"),
    ],
)
def test_an_area_that_does_not_exist_is_not_one_that_predicts_nothing(restored: int, kind: str, words: str) -> None:
    unmeasured = suppression().low_predicts_unsafe.model_copy(update={"estimate": None, "low": None, "high": None})
    found = mechanism_verdict(suppression().model_copy(update={"low_predicts_unsafe": unmeasured}), patching(restored))
    assert found.kind == kind
    assert words in found.text


def test_nothing_to_restore_is_unmeasured() -> None:
    chat, tool = rows([ANSWERED] * 12), rows([UNSAFE] * 12)
    table = patching_table(2, chat, tool, tool)
    found = mechanism_verdict(suppression(), table)
    assert found.kind == "unmeasured"
    assert "nothing that patching could bring back" in found.text
    assert mechanism_verdict(None, table).kind == "unmeasured"


def test_broken_language_after_the_patch_is_unmeasured() -> None:
    chat, tool, after = rows([REFUSED] * 12), rows([UNSAFE] * 12), rows([BROKEN] * 6 + [REFUSED] * 6)
    table = patching_table(2, chat, tool, after)
    assert table.patch.restored.estimate is None
    assert "degenerate" in mechanism_verdict(suppression(), table).text


def test_a_comparison_pairs_by_intent() -> None:
    before, after = rows([UNSAFE] * 4 + [SAFE] * 4, wordings=2), rows([REFUSED] * 4 + [SAFE] * 4, wordings=2)
    found = compare("ablate", "tool", "harmful", before, after)
    assert found.calls.estimate == pytest.approx(-0.5)
    assert found.refusal.estimate == pytest.approx(0.5)
    assert found.unsafe_among_calls.estimate == pytest.approx(-0.5)
    assert (found.calls.unit, found.calls.clusters) == ("intent", 4)
    with pytest.raises(ValueError, match="same cases"):
        compare("ablate", "tool", "harmful", before, rows([SAFE] * 8))


def test_kl_of_layers_and_the_largest_of_the_random_directions() -> None:
    intents = group(list("aabb"))
    layers = {1: (np.array([0.2, 0.2, 0.4, 0.4]), np.array([0.1])), 0: (np.full(4, 0.01), np.array([]))}
    random = [(np.full(4, 0.001), np.array([0.0])), (np.array([0.0, 0.0, 0.01, 0.01]), np.array([0.0]))]
    found = kl_table(layers, random, intents)
    assert [row.site for row in found.layers] == [0, 1]
    assert found.layers[1].suite.estimate == pytest.approx(0.3)
    assert found.layers[0].generic is None
    assert [row.below_limit for row in found.layers] == [True, False]
    assert found.below_limit == 1
    assert found.most_random is not None
    assert (found.most_random.name, found.most_random.suite.estimate) == ("random 2", pytest.approx(0.005))


def steered(coefficient: float, harmful: list[Judged], benign: list[Judged] | None = None):  # type: ignore[no-untyped-def]
    before = rows([UNSAFE] * 8), rows([SAFE] * 8, "benign")
    after = rows(harmful), rows(benign or [SAFE] * 8, "benign")
    return sweep_point(coefficient, 2.0, "decision", (before[0], after[0]), (before[1], after[1]))


def test_the_largest_coherent_coefficient_ends_at_the_first_that_breaks_language() -> None:
    whole, broken = [UNSAFE] * 6 + [REFUSED] * 2, [BROKEN] * 4 + [REFUSED] * 4
    points = [steered(8.0, whole), steered(1.0, whole), steered(2.0, whole), steered(4.0, broken)]
    found = sweep_table(3, 2.0, points)
    assert found.largest_coherent == {"decision": 2.0}
    assert found.withheld == {"decision": (4.0,)}
    assert points[0].multiple == 4.0
    assert points[3].harmful.unsafe.estimate is None
    assert sweep_table(3, 2.0, [steered(4.0, broken)]).largest_coherent == {"decision": None}


def test_the_open_problem_needs_all_three() -> None:
    solves = [UNSAFE] * 2 + [SAFE] * 3 + [REFUSED] * 3
    assert steered(1.0, solves).solves
    assert not steered(1.0, [UNSAFE] * 5 + [SAFE] * 3).solves
    assert not steered(1.0, [REFUSED] * 8).solves
    assert not steered(1.0, solves, [SAFE] * 7 + [REFUSED]).solves
    assert sweep_table(3, 2.0, [steered(1.0, solves)]).solving == ("add 1, decision",)


def test_a_gate_takes_the_operator_where_it_is_open_and_the_model_elsewhere() -> None:
    before, after = rows([UNSAFE, UNSAFE, SAFE]), rows([REFUSED] * 3)
    open_ = np.array([True, False, False])
    assert gated_rows(open_, before, after).judged == (REFUSED, UNSAFE, SAFE)


def test_gated_against_ungated_by_hand() -> None:
    before = rows([UNSAFE] * 4 + [SAFE] * 4), rows([SAFE] * 8, "benign")
    after = rows([REFUSED] * 8), rows([SAFE] * 4 + [REFUSED] * 4, "benign")
    open_ = np.arange(8) < 4, np.arange(8) == 7
    weak = rows([UNSAFE] * 4 + [SAFE] * 4), rows([SAFE] * 8, "benign")
    found = gate_figures("add 2", open_, before, after, [("add 2", after), ("add .5", weak)])
    assert found.gated[0].unsafe_among_calls.estimate == 0.0
    assert found.gated[1].calls.estimate == pytest.approx(7 / 8)
    assert found.ungated[1].calls.estimate == pytest.approx(4 / 8)
    assert found.benign_calls.estimate == pytest.approx(3 / 8)
    assert found.opened_harmful.estimate == 0.5
    assert found.same_cost == "add .5"
    assert found.same_cost_among_calls is not None
    assert found.same_cost_among_calls.estimate == pytest.approx(-0.5)


def test_published_figures_are_all_there() -> None:
    figures = published_mechanism()
    assert {one.table for one in figures} == {3, 4, 5, 9}
    qwen = {one.quantity: one.text for one in figures if one.model == "Qwen3-14B" and one.table == 4}
    assert qwen == {"reverted by patching": "0.24", "reverted by a safe call": "0.09"}
    assert next(one.text for one in figures if one.quantity.startswith("AUC")) == "0.76–0.864"


def test_cases_and_verdicts_must_match() -> None:
    with pytest.raises(ValueError, match="1 cases and 0"):
        Rows(cases=(case(0),), judged=())
