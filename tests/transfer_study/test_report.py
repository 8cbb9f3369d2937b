"""The report's figures against the published table, hand-worked bounds, and studies that have nothing to say."""

import math
import xml.dom.minidom
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from transfer_study_models import judged

from dilemma.studies.transfer.pictures import divergence_picture, flow_picture
from dilemma.studies.transfer.report import build_transfer_report
from dilemma_kernel.errors import InputError
from dilemma_kernel.statistics.published import PublishedTransfer, published_transfer
from refusal_transfer import load_suite

SUITE = load_suite()
HARMFUL = [triple.id for triple in SUITE.triples if triple.intent.request == "harmful"]
PLACE = {case: number for number, case in enumerate(HARMFUL)}


def from_counts(row: PublishedTransfer, case: str, arm: str) -> tuple[bool, str]:
    """Verdicts that give the row's counts: the first triples are refused, the first of both kinds are unsafe."""
    if case not in PLACE:
        return False, "" if arm == "chat" else "safe_call"
    number = PLACE[case]
    if arm == "chat":
        return number < row.refused, ""
    divergent = row.divergent_normal if arm == "tool" else row.divergent_stress
    unsafe = row.unsafe_normal if arm == "tool" else row.unsafe_stress
    is_unsafe = number < divergent or 0 <= number - row.refused < unsafe - divergent
    return False, "unsafe" if is_unsafe else "no_call"


@pytest.mark.parametrize("row", published_transfer(), ids=lambda row: row.model)
def test_table_1_from_its_counts(row: PublishedTransfer) -> None:
    report = build_transfer_report(*judged(SUITE, lambda case, arm: from_counts(row, case, arm)))
    arms = {arm.arm: arm for arm in report.arms if arm.request == "harmful"}
    delta = {one.arm: one.delta.estimate for one in report.divergence}
    found = (
        arms["chat"].refusal.estimate,
        arms["tool"].unsafe.estimate,
        arms["stress"].unsafe.estimate,
        delta["tool"],
        delta["stress"],
    )
    printed = (
        row.refusal_rate,
        row.unsafe_rate_normal,
        row.unsafe_rate_stress,
        row.divergence_normal,
        row.divergence_stress,
    )
    assert [round(value or 0, 3) for value in found] == [round(value, 3) for value in printed]
    assert arms["chat"].replies == row.triples
    assert sum(n for row_ in report.flow[0].counts.values() for n in row_.values()) == row.triples


def test_bounds_with_every_kind_of_missing_outcome() -> None:
    """Ten triples refused in chat and known: 4 unsafe. Then 3 refused with the tool unknown (m, one of each kind), 2
    with the chat unknown and the tool safe (c_s), 1 with the chat unknown and the tool unsafe (c_u), and 2 unknown on
    both sides; the rest answered in chat. By hand: low 4/(10+3+2+2), high (4+3+1+2)/(10+3+1+2)."""
    chat = [True] * 13 + [None] * 5
    tool = ["unsafe"] * 4 + ["no_call"] * 3 + ["safe_call"] * 3
    tool += ["malformed", "cut_off", "error", "safe_call", "no_call", "unsafe", "malformed", "error"]

    def says(case: str, arm: str) -> tuple[bool | None, str]:
        number = PLACE.get(case, 999)
        if number >= len(chat):
            return False, "" if arm == "chat" else "no_call"
        return (chat[number], "") if arm == "chat" else (False, tool[number])

    report = build_transfer_report(*judged(SUITE, says))
    one = next(one for one in report.divergence if one.arm == "tool")
    assert one.delta.estimate == pytest.approx(4 / 10)
    assert one.bounds.low == pytest.approx(4 / 17)
    assert one.bounds.high == pytest.approx(10 / 16)
    assert one.refused == 13
    figures = next(arm for arm in report.arms if arm.arm == "tool" and arm.request == "harmful")
    assert figures.verdicts == {
        "unsafe": 5, "error": 2, "cut_off": 1, "malformed": 2, "safe_call": 4, "no_call": 370
    }  # fmt: skip
    assert figures.unsafe.n == 379
    assert (figures.unsafe_bounds.low, figures.unsafe_bounds.high) == (5 / 384, 10 / 384)


def test_nothing_refused_gives_no_estimate_and_says_so() -> None:
    report = build_transfer_report(*judged(SUITE, lambda case, arm: (False, "" if arm == "chat" else "unsafe")))
    for one in report.divergence:
        assert one.delta.estimate is None
        assert one.delta.method == "no estimate: no triple was refused"
        assert one.bounds.low is one.bounds.high is None
    assert all(one.null.estimate is None and one.beyond_null.estimate is None for one in report.beside)
    assert "no triple was refused" in divergence_picture(report)


def test_strata_add_up_and_conditions_are_paired() -> None:
    def says(case: str, arm: str) -> tuple[bool, str]:
        encouraging = case.endswith("tool-encouraging")
        return case in PLACE, "" if arm == "chat" else "unsafe" if encouraging and case in PLACE else "no_call"

    report = build_transfer_report(*judged(SUITE, says))
    systems = {one.where["system"]: one for one in report.strata if one.arm == "tool" and "system" in one.where}
    assert [systems[name].delta.estimate for name in SUITE.manifest.conditions] == [0, 0, 1]
    for factor in ("system", "domain", "scenario"):
        parts = [one for one in report.strata if one.arm == "tool" and factor in one.where]
        assert sum(one.refused for one in parts) == 384
    shift = next(one for one in report.paired if one.name == "tool-encouraging − neutral" and one.arm == "tool")
    assert shift.divergence.estimate == 1.0
    assert shift.both_refused == 128


def test_two_models_are_paired_on_what_both_refused() -> None:
    def first(case: str, arm: str) -> tuple[bool, str]:
        return PLACE.get(case, 999) < 200, "" if arm == "chat" else "unsafe"

    def second(case: str, arm: str) -> tuple[bool, str]:
        return 100 <= PLACE.get(case, 999) < 300, "" if arm == "chat" else "no_call"

    record, everything = judged(SUITE, first, model="a")
    other, more = judged(SUITE, second, model="b")
    both = record.model_copy(update={"cells": (*record.cells, *other.cells)})
    report = build_transfer_report(both, {**everything, **more})
    paired = next(one for one in report.paired if one.name == "a − b" and one.arm == "tool")
    assert paired.both_refused == 100
    assert paired.divergence.estimate == 1.0
    assert {one.model for one in report.divergence} == {"a", "b"}


def test_a_judge_that_judged_nothing_is_named() -> None:
    record, everything = judged(SUITE, lambda case, arm: (True, ""), arms="chat")
    with pytest.raises(InputError, match="'gpt' judged no refusal"):
        build_transfer_report(record, everything, judge="gpt")


def test_pictures_are_well_formed_and_escape_names() -> None:
    name = 'm<script>alert("x")</script>\x00'
    report = build_transfer_report(
        *judged(SUITE, lambda case, arm: from_counts(published_transfer()[0], case, arm), model=name)
    )
    for picture in (divergence_picture(report), flow_picture(report)):
        document = xml.dom.minidom.parseString(picture)
        assert not document.getElementsByTagName("script")
    bars = xml.dom.minidom.parseString(divergence_picture(report)).getElementsByTagName("circle")
    assert [float(bar.getAttribute("cx")) for bar in bars] == pytest.approx(
        [260 + 460 * (one.delta.estimate or math.nan) for one in report.divergence], abs=0.1
    )
    bands = xml.dom.minidom.parseString(flow_picture(report)).getElementsByTagName("path")
    assert len(bands) == sum(n > 0 for flow in report.flow for row in flow.counts.values() for n in row.values())


def test_degenerate_conditions_are_withheld() -> None:
    record, everything = judged(SUITE, lambda case, arm: (True, "" if arm == "chat" else "unsafe"))
    one = everything["m", "harmful"]
    for share, hidden in ((95, False), (96, True)):
        degenerate = np.zeros(384)
        degenerate[:share] = 1
        changed = replace(one, arms={**one.arms, "tool": replace(one.arms["tool"], degenerate=degenerate)})
        report = build_transfer_report(record, {**everything, ("m", "harmful"): changed})
        figures = {arm.arm: arm for arm in report.arms if arm.request == "harmful"}
        assert figures["tool"].withheld is hidden
        assert (figures["tool"].unsafe.estimate is None) is hidden
        assert figures["stress"].unsafe.estimate == 1.0
        assert (report.divergence[0].delta.method == "withheld") is hidden


def test_rows_keep_their_order() -> None:
    _, everything = judged(SUITE, lambda case, arm: (True, ""), arms="chat")
    harmful = everything["m", "harmful"]
    assert list(harmful.cases) == HARMFUL
    assert all(first <= second for first, second in pairwise(harmful.partner[0]))
    assert len(harmful.partner[0]) == 192
