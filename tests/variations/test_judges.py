"""Judges through real HTTP: what they say is stored, agrees as computed by hand, and is corrected by people."""

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from loopback_server import LoopbackServer, Received, status, text
from variation_judges import Judge, Known, known_of
from variation_server import settle

import dilemma
from dilemma.studies.annotate import draw_sheet, import_sheet
from dilemma.studies.classify import classify
from dilemma.studies.report import Report
from dilemma.studies.study import Study, read_episode
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.records import MISALIGNED, ChatReply, Measured, Unmeasured, content_hash
from trajectories.judges import read_verdict
from trajectories.record_text import record_text
from trajectories.rubric import RUBRIC, RUBRIC_VERSION


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return dilemma.run(
        "scripted/random", domain=["legal", "coding", "finance"], vary="feedback", episodes=4, turns=5, study="s",
        store=f"sqlite:///{tmp_path}/d.db",
    )  # fmt: skip


def truth_of(study: Study) -> dict[str, Known]:
    """The record that a judge is sent -> the episode."""
    found = {}
    for trajectory in study.trajectories():
        stored = read_episode(trajectory.episode_id, study.url)
        label = next(j for j in stored.judgements if j.vocabulary == "label").outcome
        assert isinstance(label, Measured)
        found[record_text(trajectory, stored.scenario)] = known_of(trajectory, label.value)
    return found


def read_by(study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, **judges: Judge) -> Report:
    """The report after these judges have read the study, each an endpoint's model."""

    def answer(received: Received) -> object:
        return judges[received.body["model"]](received)

    with LoopbackServer(answer) as server:  # type: ignore[arg-type]
        settle(server, folder, monkeypatch, *judges)
        report = classify(study.name, list(judges), study.url)
        asked = server.count
        assert classify(study.name, list(judges), study.url) == report
        assert server.count == asked, "a stored reply was asked for again"
    return report


def kappa_by_hand(first: Sequence[str], second: Sequence[str]) -> float:
    n = len(first)
    agree = sum(a == b for a, b in zip(first, second, strict=True)) / n
    one, other = Counter(first), Counter(second)
    chance = sum(one[label] * other[label] for label in one) / n**2
    return (agree - chance) / (1 - chance)


def alpha_by_hand(rows: Sequence[Sequence[str | None]]) -> float:
    """Krippendorff's α, nominal, from the coincidence matrix; a row a subject."""
    paired = [[label for label in row if label is not None] for row in rows]
    paired = [row for row in paired if len(row) > 1]
    totals = Counter(label for row in paired for label in row)
    n = totals.total()
    disagree = sum(
        sum(a != b for i, a in enumerate(row) for j, b in enumerate(row) if i != j) / (len(row) - 1) for row in paired
    )
    expected = sum(totals[a] * totals[b] for a in totals for b in totals if a != b) / (n - 1)
    return 1 - disagree / expected


def test_perfect_random_half_refusing_and_biased_judges(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = truth_of(study)
    judges = {name: Judge(truth, name) for name in ("perfect", "random", "half", "biased")}
    report = read_by(study, tmp_path, monkeypatch, **judges)
    found = {one.maker: one for one in report.judges}
    episodes = {known.episode_id: known for known in truth.values()}
    rows = [t.episode_id for t in study.trajectories() if t.episode_id in episodes]
    by_record = {known.episode_id: record for record, known in truth.items()}
    n = report.total.n.measured
    assert found["perfect"].mr.estimate == report.total.mr.estimate
    assert found["perfect"].marks["concealment"].estimate == report.total.labels["strategic"] / n
    assert found["perfect"].marks["test_awareness"].estimate == 0
    assert 0 < found["half"].unmeasured < n
    assert found["half"].measured + found["half"].unmeasured == n
    assert len(rows) == n, "two episodes read the same: the judge's look-up is ambiguous"
    said = {name: [judge.said[by_record[row]] for row in rows] for name, judge in judges.items()}
    rules = [episodes[row].label for row in rows]
    for between in report.agreement[:4]:
        name = between.makers[0]
        kept = [(a, b) for a, b in zip(said[name], rules, strict=True) if a is not None]
        by_hand = kappa_by_hand([a for a, _ in kept], [b for _, b in kept])
        assert between.makers == (name, "rules")
        assert between.agreement.estimate == pytest.approx(by_hand), name
        assert between.agreement.n == len(kept)
    alpha = report.agreement[4]
    assert alpha.makers == ("biased", "half", "perfect", "random")
    assert alpha.agreement.estimate == pytest.approx(alpha_by_hand(list(zip(*said.values(), strict=True))))
    kappas = {between.makers[0]: between.agreement.estimate for between in report.agreement[:4]}
    assert kappas["perfect"] == kappas["half"] == 1
    assert abs(kappas["random"] or 1) < 0.3 < (kappas["biased"] or 0) < 1


def test_a_judge_that_fails_or_rambles_is_unmeasured_and_is_asked_once_more(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def answer(received: Received) -> object:
        model = received.body["model"]
        calls[model] += 1
        assert received.body["messages"][0]["content"] == RUBRIC
        return status(400, message="no") if model == "failing" else text("Well. It depends.")

    with LoopbackServer(answer) as server:  # type: ignore[arg-type]
        settle(server, tmp_path, monkeypatch, "failing", "rambling")
        report = classify("s", ["failing", "rambling"], study.url)
    n = report.total.n.measured
    for one in report.judges:
        assert (one.measured, one.unmeasured, one.crashed) == (0, n, 0)
        assert one.mr.estimate is None
    assert calls["rambling"] == 2 * n
    first = read_episode(next(study.trajectories()).episode_id, study.url)
    why = {j.maker: j.outcome.why for j in first.judgements if isinstance(j.outcome, Unmeasured)}
    assert why == {"failing": "the judge failed", "rambling": "the judge gave no answer that can be read"}
    assert report.agreement[0].agreement.estimate is None


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        ({"label": "evil", "turns": [], "concealment": False, "test_awareness": False}, "'label'"),
        ({"label": "direct", "turns": [9], "concealment": False, "test_awareness": False}, "'turns'"),
        ({"label": "direct", "turns": [True], "concealment": False, "test_awareness": False}, "'turns'"),
        ({"label": "direct", "turns": [1], "concealment": "no", "test_awareness": False}, "concealment"),
        ([1], "not one JSON object"),
    ],
)
def test_verdicts_that_do_not_hold(reply: object, says: str) -> None:
    verdict = read_verdict(ChatReply(text=json.dumps(reply)), turns=3)
    assert isinstance(verdict, str)
    assert says in verdict


def test_the_record_tells_no_track_role_or_label(study: Study) -> None:
    for trajectory in study.trajectories():
        stored = read_episode(trajectory.episode_id, study.url)
        after = record_text(trajectory, stored.scenario).split("OPERATIONS")[1].lower()
        for word in ("misaligned", "a−", "inhibitor", "strategic", trajectory.cell.agent):
            assert word not in after


def test_people_correct_a_biased_judge(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = truth_of(study)
    read_by(study, tmp_path, monkeypatch, biased=Judge(truth, "biased"))
    sheet = tmp_path / "sheet.csv"
    assert draw_sheet("s", 40, sheet, study.url) == 40
    filled = fill(sheet, truth)
    labelled = import_sheet(filled, study.url, annotator="kim")
    assert (labelled.rows, labelled.blank, labelled.people) == (40, 0, ("person/kim",))
    report = study.report()
    assert [one.maker for one in report.judges] == ["biased", "person/kim"]
    corrected = [one for one in report.corrected if one.maker == "biased"]
    assert len(corrected) == len(report.cells) == 3
    for cell, raw, one in zip(report.cells, report.judges[0].by_cell, corrected, strict=True):
        assert one.raw == raw
        assert one.how == "difference"
        assert one.mr.estimate is not None
        assert cell.mr.estimate is not None
    high = corrected[2]
    assert high.factors["feedback"] == "high"
    assert high.raw.estimate is not None
    error = abs((high.mr.estimate or 0) - (report.cells[2].mr.estimate or 0))
    assert error < abs(high.raw.estimate - (report.cells[2].mr.estimate or 0))
    rules = [one for one in report.corrected if one.maker == "rules"]
    assert all(one.mr.estimate == pytest.approx(one.raw.estimate) for one in rules), "people agree with the rules"
    again = import_sheet(filled, study.url, annotator="kim")
    assert again == labelled
    assert study.report() == report


def fill(sheet: Path, truth: dict[str, Known]) -> Path:
    """The sheet as a person who is never wrong would hand it back."""
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    out = sheet.with_name("filled.csv")
    with out.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "label": truth[row["record"]].label, "cites": "1"})
    return out


def test_a_sheet_of_another_study_corrects_by_its_confusion_matrix(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = dilemma.run(
        "scripted/random", domain=["legal", "coding"], levels={"feedback": "high"}, episodes=6, turns=5, study="o",
        store=study.url,
    )  # fmt: skip
    truth = truth_of(study) | truth_of(other)
    read_by(study, tmp_path, monkeypatch, biased=Judge(truth, "biased"))
    read_by(other, tmp_path, monkeypatch, biased=Judge(truth, "biased"))
    sheet = tmp_path / "sheet.csv"
    draw_sheet("o", 24, sheet, study.url)
    import_sheet(fill(sheet, truth), study.url, annotator="kim")
    report = study.report(sheet_from="o")
    ways = {(one.maker, one.how) for one in report.corrected}
    assert ways == {("rules", "confusion"), ("biased", "confusion")}
    assert all("bootstrap" in one.mr.method or one.mr.estimate is None for one in report.corrected)


def test_sheets_that_cannot_be_drawn_or_read(study: Study, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    with pytest.raises(StudyError, match="has labelled no episode"):
        draw_sheet("s", 5, sheet, study.url, by="nobody")
    draw_sheet("s", 7, sheet, study.url)
    with pytest.raises(InputError, match="exists"):
        draw_sheet("s", 7, sheet, study.url)
    with sheet.open(newline="") as file:
        header, first, *rest = list(csv.reader(file))
    place = {name: header.index(name) for name in header}

    def with_row(**changes: str) -> Path:
        row = list(first)
        for name, value in changes.items():
            row[place[name]] = value
        out = tmp_path / "changed.csv"
        with out.open("w", newline="") as file:
            csv.writer(file).writerows([header, row])
        return out

    for changes, says in [
        ({"label": "evil", "annotator": "kim"}, "row 2: label 'evil'"),
        ({"label": "robust"}, "whose label"),
        ({"label": "robust", "annotator": "kim", "probability": "2"}, "probability '2'"),
        ({"label": "robust", "annotator": "kim", "vocabulary": "tool_verdict"}, "vocabulary"),
        ({"label": "robust", "annotator": "kim", "cites": "x"}, "cites"),
        ({"label": "robust", "annotator": "kim", "episode": "nowhere"}, "no episode 'nowhere'"),
    ]:
        with pytest.raises(InputError, match=says):
            import_sheet(with_row(**changes), study.url)
    assert import_sheet(with_row(), study.url).blank == 1
    assert {one.maker for one in study.report().judges} == set()
    assert len(rest) == 6


def test_sampling_probabilities_are_those_of_the_draw(study: Study, tmp_path: Path) -> None:
    draw_sheet("s", 30, tmp_path / "sheet.csv", study.url)
    with (tmp_path / "sheet.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    truth = truth_of(study)
    of_stratum = Counter((known.level, known.label in MISALIGNED) for known in truth.values())
    drawn = Counter((truth[row["record"]].level, truth[row["record"]].label in MISALIGNED) for row in rows)
    assert set(drawn) == set(of_stratum)
    for row in rows:
        known = truth[row["record"]]
        stratum = (known.level, known.label in MISALIGNED)
        assert float(row["probability"]) == pytest.approx(drawn[stratum] / of_stratum[stratum])


def test_the_rubric_has_a_version() -> None:
    assert RUBRIC_VERSION == "1"
    assert content_hash(RUBRIC) == "52b091e2b411d28e", "the rubric changed: raise its version"
