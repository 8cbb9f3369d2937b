"""What a report says in words and under its tables, from figures made by hand."""

import numpy as np
import pytest
from mechanism_cases import BROKEN, MALFORMED, REFUSED, SAFE, UNSAFE, rows

pytest.importorskip("altair", reason="the extra lab is not installed")

from mechanism_reports import hand_report, hand_selection, steered, swept

from dilemma.studies.mechanism.findings import findings
from dilemma.studies.mechanism.options import mechanism_options
from dilemma.studies.mechanism.pictures import steering_chart
from dilemma.studies.mechanism.shown import shown_tables
from dilemma.studies.mechanism.texts import Shown
from dilemma_kernel.errors import InputError
from dilemma_kernel.statistics.clusters import group
from refusal_mechanism.figures import condition_figures
from refusal_mechanism.tables import compare, gate_figures, kl_table, patching_table
from refusal_mechanism.tables.gating import GateTable

BREAKS = [BROKEN] * 4 + [REFUSED] * 4


def said(**fields: object) -> str:
    return " ".join(findings(hand_report(**fields), own_tokens=True))


@pytest.mark.parametrize("coefficients", [",", "0", "0x", "-0x,0.0"])
def test_a_sweep_without_a_coefficient_is_refused(coefficients: str) -> None:
    with pytest.raises(InputError, match="no coefficient but 0"):
        mechanism_options(model="m", coefficients=coefficients)


def test_signs_are_gone_through_apart() -> None:
    found = swept(steered(-4.0, BREAKS), steered(-2.0), steered(-1.0), steered(1.0), steered(2.0, BREAKS))
    assert found.largest_coherent == {"decision": 1.0}
    assert found.lowest_coherent == {"decision": -2.0}
    words = said(sweep=found)
    assert "the largest coherent coefficient is 1, of the negative ones -2. Withheld: -4, 2." in words


def test_where_only_negative_coefficients_were_tried_that_is_said() -> None:
    words = said(sweep=swept(steered(-2.0)))
    assert "no positive coefficient was tried, of the negative ones -2. Nothing is withheld." in words
    assert "is coherent" not in words


def test_a_sweep_without_points_says_nothing_of_coefficients() -> None:
    words = said(sweep=swept())
    assert "no coefficient was tried" in words
    assert "No coefficient that was tried brings" not in words


@pytest.mark.parametrize("kind", ["harmful", "benign"])
def test_what_breaks_one_kind_is_withheld_on_both(kind: str) -> None:
    point = steered(4.0, **{kind: BREAKS})
    for one in (point.harmful, point.benign):
        assert one.after.withheld
        assert (one.after.unsafe.method, one.after.refusal.method, one.unsafe.method) == ("withheld",) * 3
        assert one.before.calls.estimate is not None
    table = next(shown for shown in shown_tables(hand_report(sweep=swept(point))) if shown.key == "9")
    assert table.rows[0][3:8] == ["withheld"] * 5


def test_the_steering_picture_says_place_by_place_what_has_no_point() -> None:
    points = [steered(1.0), steered(8.0, BREAKS), steered(1.0, positions="all"), steered(4.0, BREAKS, positions="all")]
    drawn = steering_chart(hand_report(sweep=swept(*points))).to_dict()
    assert drawn["title"]["subtitle"][1:] == [
        "withheld where added at the decision token: 4×",
        "withheld where added at every token: 2×",
    ]


def test_a_chat_has_no_rate_of_calls_and_counts_what_was_cut() -> None:
    made = rows([REFUSED] * 6 + [MALFORMED] * 2)
    figures = condition_figures(made, "unmodified", "chat", "harmful")
    assert figures.unknown == 2
    for rate in (figures.calls, figures.unsafe, figures.unsafe_among_calls):
        assert (rate.estimate, rate.method) == (None, "no estimate: no tool is offered in chat")
    assert figures.refusal.estimate == pytest.approx(6 / 8)
    moved = compare("ablate", "chat", "harmful", made, made)
    assert [one.estimate for one in (moved.calls, moved.unsafe, moved.unsafe_among_calls)] == [None] * 3
    assert moved.refusal.estimate == 0.0
    report = hand_report(unmodified=(figures,))
    assert "chat, harmful: 2 of 8 replies are cut off." in " ".join(findings(report, own_tokens=True))
    table = next(shown for shown in shown_tables(report) if shown.key == "unmodified")
    assert table.rows[0][4:7] == ["–"] * 3


def test_a_model_that_hardly_refuses_is_told_without_a_layer() -> None:
    figures = condition_figures(rows([UNSAFE] * 20), "unmodified", "chat", "harmful")
    assert "This model hardly refuses: 0.00" in said(unmodified=(figures,), site=None, rule_used=None)


def test_an_incomplete_study_is_told() -> None:
    assert "The study is not complete: 5 of its 21 triples have no reply" in said(left_out=5)
    assert "not complete" not in said()


@pytest.mark.parametrize(("growth", "prefers"), [(0.95, True), (0.31, False)])
def test_how_much_norms_grow_is_always_told(growth: float, prefers: bool) -> None:
    words = said(selection=hand_selection(growth))
    assert f"norm with depth: {growth:.2f}" in words
    assert ("prefers deep layers" in words) == prefers


def every_table() -> dict[str, Shown]:
    chat, tool = rows([REFUSED] * 8), rows([UNSAFE] * 8)
    after = rows([REFUSED] * 4 + [UNSAFE] * 4)
    benign = rows([SAFE] * 8, "benign")
    opened = np.arange(8) < 4
    gate = gate_figures("add", (opened, opened), (tool, benign), (after, benign))
    report = hand_report(
        unmodified=(condition_figures(tool, "unmodified", "tool", "harmful"),),
        patching=patching_table(2, chat, tool, after),
        kl=kl_table({1: (np.arange(8.0), np.arange(5.0))}, [], group([i // 2 for i in range(8)])),
        sweep=swept(steered(1.0, [UNSAFE] * 4 + [SAFE] * 4)),
        gating=GateTable(site=2, most_lost=0.1, domains=("finance",), auc={"finance": 0.7}, operators=(gate,)),
    )
    return {shown.key: shown for shown in shown_tables(report)}


def test_every_table_names_unit_and_number_of_units() -> None:
    tables = every_table()
    for key in ("unmodified", "9", "gated"):
        assert "unit intent, G = " in " ".join(tables[key].notes), key
    assert "unit intent, G = 4 to 8" in " ".join(tables["4"].notes)
    assert dict(zip(tables["4"].columns, tables["4"].rows[0], strict=True))["G"] == "8"
    assert tables["6"].columns[2:6] == ("n", "G", "everyday, nats", "G")
    assert tables["6"].rows[0][2:6:3] == ["8", "5"]
    assert tables["6"].rows[0][3] == "4"
    notes = " ".join(tables["6"].notes)
    assert "unit intent" in notes
    assert "unit prompt" in notes
