"""A study that is not complete, chats that were cut, and runs that stop before anything is stored."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mechanism_organisms import organism
from mechanism_runs import small_options, small_run

pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("altair", reason="the extra lab is not installed")

from dilemma.studies.mechanism import run
from dilemma.studies.mechanism.handing import hand_over
from dilemma.studies.transfer.observed import ArmRows, Observed
from dilemma_kernel.errors import InputError, ScenarioError, StudyError, UnknownModelError
from dilemma_kernel.models.transformers import LoadedModel
from dilemma_kernel.statistics.clusters import group
from refusal_mechanism.cases import Reply
from refusal_mechanism.directions import DIRECTIONS, mean_difference_direction
from refusal_mechanism.files import load_arrays
from refusal_transfer.loading import load_suite

LOADED: Any = SimpleNamespace(
    render=lambda messages, tools=(): "prompt", tokenizer=SimpleNamespace(all_special_tokens=())
)


def arm(there: list[bool], verdict: str) -> ArmRows:
    """Answers, none of them degenerate."""
    zeros, nans = np.zeros(len(there)), np.full(len(there), np.nan)
    return ArmRows(
        there=np.array(there),
        crashed=np.zeros(len(there), dtype=np.bool_),
        refused={"rules": zeros},
        human=nans,
        probability=nans,
        verdict=np.array([verdict] * len(there), dtype=object),
        unsafe=zeros,
        degenerate=zeros,
    )


def observed(cases: list[str], chat: list[bool], tool: list[bool]) -> Observed:
    """What a study saw of these triples."""
    return Observed(
        model="hf/m",
        request="harmful",
        cases=tuple(cases),
        intents=group(cases),
        clusters=group(cases),
        factors={},
        arms={"chat": arm(chat, ""), "tool": arm(tool, "no_call")},
    )


def test_triples_that_were_never_run_count_as_left_out() -> None:
    suite = load_suite(organism("override") / "suite")
    cases = [triple.id for triple in suite.triples[:4]]
    seen = observed(cases, [True, True, False, False], [True, False, True, False])
    handed = hand_over(suite, [seen], LOADED, native=False)
    assert [case.key for case in handed.cases] == cases[:1]
    assert handed.left_out == 3


def test_a_chat_that_was_cut_is_unknown_by_the_study_and_by_the_judge() -> None:
    suite = load_suite(organism("override") / "suite")
    cases = [triple.id for triple in suite.triples[:2]]
    handed = hand_over(suite, [observed(cases, [True] * 2, [True] * 2)], LOADED, native=False, cut={cases[0]})
    assert [handed.unmodified[case, "chat"].call for case in cases] == ["malformed", "none"]
    assert handed.unmodified[cases[0], "tool"].call == "none"
    calls = [handed.judge(handed.cases[0], "chat", Reply(text="I can", finish=how)).call for how in ("length", "stop")]  # type: ignore[arg-type]
    assert calls == ["malformed", "none"]


def test_a_model_that_does_not_open_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any, **named: Any) -> Any:
        raise UnknownModelError("its weights cannot be read")

    monkeypatch.setattr(run.Lab, "open", broken)
    with pytest.raises(UnknownModelError):
        small_run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_card_of_another_form_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(organism("override") / "suite", model / "suite")
    card = (organism("override") / "organism.json").read_text(encoding="utf-8")
    (model / "organism.json").write_text(card.replace('"format": 2', '"format": 1'), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"organism\.json"):
        small_run(tmp_path / "run", model=str(model))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"model": "m", "of_old": 1}'])
def test_settings_that_cannot_be_read_are_one_line(text: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "settings.json").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match="is broken or of an older form"):
        small_run(out, resume=True)
    assert (out / "settings.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("what", "hint"), [("run", ""), ("sweep", " --what sweep"), ("directions", " --what directions")]
)
def test_the_hint_shows_what_was_made(what: Any, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(run, "run_mechanism", lambda *arguments, **named: None)
    monkeypatch.setattr(run, "save_pictures", lambda *arguments: [])
    watcher: Any = SimpleNamespace(note=notes.append)
    run.run_with_pictures(small_options(), tmp_path, resume=True, watcher=watcher, what=what)
    assert f"dilemma mechanism report {tmp_path}{hint} --html" in notes[0]


def test_a_direction_that_does_not_exist_is_not_stored(tmp_path: Path) -> None:
    ones, none = np.ones((2, 3, 4), dtype=np.float32), np.empty((0, 3, 4), dtype=np.float32)
    found = {name: mean_difference_direction(name, ones, none if name == "behaviour" else -ones) for name in DIRECTIONS}
    fitted: Any = SimpleNamespace(site=None, rule_used=None, directions=found)
    run._save_directions(tmp_path, fitted, "w")
    stored = load_arrays(tmp_path / run.DIRECTIONS_FILE)
    assert stored is not None
    assert sorted(stored) == ["request", "tool"]


def test_a_dtype_that_is_none_is_refused_before_the_model_is_looked_for() -> None:
    with pytest.raises(InputError, match="there is no dtype 'foo'; there are auto, float32, bfloat16"):
        LoadedModel.load("no/such/folder/here", dtype="foo")
