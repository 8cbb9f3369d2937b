"""Judges that are models, sheets for people, and what both do to the figures."""

import csv
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from transfer_study_models import REFUSAL, as_json, refusal_judge

from dilemma.studies.annotate import import_sheet
from dilemma.studies.transfer.judging import judge_study
from dilemma.studies.transfer.run import transfer
from dilemma.studies.transfer.sheet import draw, draw_transfer_sheet
from dilemma.studies.transfer.study import TransferStudy
from dilemma_kernel.errors import InputError
from refusal_transfer import load_suite
from refusal_transfer.judging import JUDGE_VERSION

SUITE = load_suite()
PLANT = "scripted/transfer?refusal=.75&normal=.5"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
async def study(tmp_path: Path) -> TransferStudy:
    store = f"sqlite:///{tmp_path}/d.db"
    return await transfer(PLANT, suite=SUITE, sample=16, arms="chat,tool", store=store, study="s")


def test_a_perfect_judge_agrees_with_the_rules(study: TransferStudy) -> None:
    judge_study(study, refusal_judge(lambda question: as_json("I can't help" in question)))
    report = study.report(judge="test/judge")
    rules = study.report()
    assert report.judge == "test/judge"
    assert [one.delta.estimate for one in report.divergence] == [one.delta.estimate for one in rules.divergence]
    pair = next(one for one in report.agreement if one.second == "test/judge" and one.first == "rules")
    assert pair.kappa.estimate == pytest.approx(1.0)
    assert {one.judge for one in report.by_judge} == {"rules", "rules+provider", "test/judge"}


def test_a_judge_that_refuses_to_judge_is_unmeasured(study: TransferStudy) -> None:
    """What it does not judge is unknown, not answered: the bounds widen, the estimate rests on the rest."""
    judge_study(study, refusal_judge(lambda q: "I would rather not say." if len(q) % 3 == 0 else as_json(True)))
    report = study.report(judge="test/judge")
    chat = next(arm for arm in report.arms if arm.arm == "chat" and arm.request == "harmful")
    assert chat.refusal.estimate == 1.0
    assert chat.refusal.n < chat.replies == 96
    one = report.divergence[0]
    assert one.bounds.low is not None
    assert one.bounds.high is not None
    assert one.delta.estimate is not None
    assert one.bounds.low < one.delta.estimate < one.bounds.high


def test_judging_again_asks_nothing_and_changes_nothing(study: TransferStudy) -> None:
    judge = refusal_judge(lambda question: as_json("I can't help" in question))
    judge_study(study, judge)
    asked, first = judge.calls, study.report(judge="test/judge")
    assert asked > 0
    judge_study(study, judge)
    assert judge.calls == asked
    assert study.report(judge="test/judge") == first
    before = study.report()
    judge_study(study, "rules")
    assert study.report() == before
    assert JUDGE_VERSION


def test_a_sheet_is_stratified_with_the_probabilities_of_its_draw(study: TransferStudy, tmp_path: Path) -> None:
    out = tmp_path / "sheet.csv"
    assert draw_transfer_sheet(study, 40, out, seed=3) == 40
    rows = rows_of(out)
    assert {row["vocabulary"] for row in rows} == {"refusal"}
    assert all(not row["label"] and not row["annotator"] for row in rows)
    weighted = sum(1 / float(row["probability"]) for row in rows)
    assert weighted == pytest.approx(96)
    assert not any(word in row["record"] for row in rows for word in ("unsafe", "no_call", "harmful"))
    with pytest.raises(InputError, match="exists"):
        draw_transfer_sheet(study, 40, out)


def test_every_reply_of_a_stratum_is_as_likely_as_its_row_says() -> None:
    strata = {("m", True, "unsafe"): list("abcdefgh"), ("m", False, "no_call"): list("xy"), ("m", True, "error"): ["z"]}
    drawn = Counter[str]()
    chances: dict[str, float] = {}
    rng = Random(5)
    for _ in range(4000):
        for episode, chance in draw(strata, 7, rng):
            drawn[episode] += 1
            assert chances.setdefault(episode, chance) == chance
    assert chances["z"] == chances["x"] == 1.0
    assert chances["a"] == 0.5
    assert drawn["a"] / 4000 == pytest.approx(0.5, abs=0.04)
    assert drawn["x"] == 4000


def test_peoples_labels_correct_the_divergence(study: TransferStudy, tmp_path: Path) -> None:
    """People agree with the rules on half of the refusals and call the others answers: Δ stays a share of fewer."""
    out = tmp_path / "sheet.csv"
    draw_transfer_sheet(study, 96, out)
    rows = rows_of(out)
    for number, row in enumerate(rows):
        refused = REFUSAL[:10] in row["record"] and number % 2 == 0
        row |= {"label": "refused" if refused else "answered", "annotator": "kim"}
    filled = tmp_path / "filled.csv"
    with filled.open("w", newline="") as file:
        sheet = csv.DictWriter(file, rows[0].keys())
        sheet.writeheader()
        sheet.writerows(rows)
    assert import_sheet(filled, study.url).rows == 96
    report = study.report()
    corrected = report.beside[0].corrected
    raw = report.divergence[0].delta
    assert corrected is not None
    assert corrected.estimate is not None
    assert raw.low is not None
    assert raw.high is not None
    assert corrected.low is not None
    assert corrected.high is not None
    assert corrected.high - corrected.low > raw.high - raw.low
    assert "rules" in report.judges
    assert not any("kim" in judge for judge in report.judges)
