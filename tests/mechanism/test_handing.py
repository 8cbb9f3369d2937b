"""Refusal transfer's verdicts and the laboratory's own are one, and a stored study serves as well as a fresh one."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from mechanism_runs import small_options, small_run

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")

from dilemma.studies.mechanism.run import prepared, saved_report
from dilemma.studies.watching import Silent
from dilemma_kernel.errors import InputError, StudyError
from refusal_mechanism.interventions import UNMODIFIED
from refusal_mechanism.selection import choose_layers

FEW = {"sample": 3, "tables": "5"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with three pairs of intents and one table."""
    out = tmp_path_factory.mktemp("handing") / "run"
    small_run(out, **FEW)
    return out


def test_an_unmodified_reply_is_judged_as_the_study_judged_it(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    with prepared(small_options(**FEW), copy, resume=True, watcher=Silent()) as ready:
        for mode in ("chat", "tool", "stress"):
            (again,) = ready.bench.replies(mode, ready.handed.cases, [UNMODIFIED])
            assert again.judged == ready.bench.before(mode, ready.handed.cases).judged


def test_a_cut_chat_is_judged_as_the_study_judged_it(tmp_path: Path) -> None:
    """Its replies say that the token limit cut them; no judgement of the study does."""
    with prepared(small_options(**FEW, max_tokens=2), tmp_path / "run", resume=False, watcher=Silent()) as ready:
        (again,) = ready.bench.replies("chat", ready.handed.cases, [UNMODIFIED])
        assert again.judged == ready.bench.before("chat", ready.handed.cases).judged
        assert "malformed" in again.call


def own_study(folder: Path, out: Path, **said: Any) -> Any:
    """A run on the study that another run stored, with what that one measured."""
    out.mkdir(exist_ok=True)
    for name in ("replies.jsonl", "scores.jsonl"):
        shutil.copy(folder / name, out / name)
    shutil.copytree(folder / "activations", out / "activations")
    values = {"sample": None, "systems": None, "max_tokens": None, "study": "transfer", "tables": "5"}
    return small_run(out, **{**values, "store": f"sqlite:///{folder / 'transfer.db'}", **said})


def test_a_stored_study_gives_the_same_tables(folder: Path, tmp_path: Path) -> None:
    assert own_study(folder, tmp_path / "again") == saved_report(folder)


def test_replies_judged_by_older_rules_are_judged_anew_or_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal before and one after an intervention must be told by the same rules."""
    from dilemma.studies.mechanism import transferring  # noqa: PLC0415
    from refusal_transfer import verdicts  # noqa: PLC0415

    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    monkeypatch.setattr(transferring, "REFUSAL_VERSION", "999")
    monkeypatch.setattr(verdicts, "REFUSAL_VERSION", "999")
    with pytest.raises(StudyError, match="--judge rules"):
        own_study(copy, tmp_path / "other")
    small_run(copy, resume=True, **FEW)
    assert own_study(copy, tmp_path / "again") == saved_report(folder)


def test_no_admissible_layer_is_a_result(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule declines: the tables that need no layer are made, every KL among them, and the report says so."""
    from dilemma.studies.mechanism import fitting  # noqa: PLC0415
    from dilemma.studies.mechanism.pictures import save_pictures  # noqa: PLC0415

    def declined(*arguments: Any) -> Any:
        found = choose_layers(*arguments)
        choices = [one.model_copy(update={"site": None, "why": "none admissible"}) for one in found.choices]
        return found.model_copy(update={"choices": tuple(choices)})

    monkeypatch.setattr(fitting, "choose_layers", declined)
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    report = small_run(copy, resume=True, **{**FEW, "tables": "3,4,6,9,gated"})
    assert (report.site, report.rule_used, report.suppression, report.sweep, report.gating) == (None,) * 5
    assert len(report.kl.layers) == report.layers
    assert len(report.unmodified) == 6
    assert report.verdict.kind == "unmeasured"
    said = " ".join(report.findings)
    assert "The model refuses: " in said
    assert "Rule arditi: no admissible layer (none admissible); no table that needs a layer was made." in said
    assert {path.stem for path in save_pictures(report, tmp_path)} == {"auc-by-layer", "kl-by-layer"}


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        ({"max_tokens": 64}, InputError, "--max-tokens 64: study 'transfer' has 48"),
        ({"study": "elsewhere"}, StudyError, "elsewhere"),
        ({"kind": "mediated"}, StudyError, "not about"),
    ],
)
def test_a_study_that_cannot_serve_is_refused(
    said: dict[str, Any], error: type[Exception], words: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        own_study(folder, tmp_path / "again", **said)
