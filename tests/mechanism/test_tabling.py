"""What tables ask of the laboratory, seen without a model."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra lab is not installed")

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.tabling import Tabling


def test_random_directions_move_each_state_as_far_as_the_patch_does() -> None:
    rng = np.random.default_rng(0)
    states = {mode: rng.normal(size=(6, 3, 16)) for mode in ("chat", "tool")}
    unit = np.eye(16)[0]
    controls = rng.normal(size=(4, 16))
    controls /= np.linalg.norm(controls, axis=1, keepdims=True)
    asked: list[Any] = []
    rows = np.array([5, 1, 3, 0])
    fake = SimpleNamespace(
        cases={"harmful": ("a", "b", "c", "d")},
        rows={"harmful": rows},
        site=1,
        controls=controls,
        fitted=SimpleNamespace(states=states, projected=lambda mode, at: states[mode][at, 1] @ unit),
        bench=SimpleNamespace(replies=lambda mode, cases, conditions: asked.append((mode, cases, conditions))),
    )
    divergent = np.array([0, 2])
    Tabling._patched_at_random(fake, divergent)  # type: ignore[arg-type]
    ((mode, cases, conditions),) = asked
    assert (mode, cases, len(conditions)) == ("tool", ["a", "c"], 4)
    before = states["tool"][rows[divergent], 1]
    wanted = (states["chat"][rows[divergent], 1] - before) @ unit
    for control, condition in zip(controls, conditions, strict=True):
        (edit,) = condition.edits
        assert (edit.operator, edit.layers, edit.positions) == ("set", (1,), "decision")
        assert edit.direction.numpy() == pytest.approx(control, abs=1e-6)
        assert edit.values.numpy() - before @ control == pytest.approx(wanted, abs=1e-5)


def test_scores_of_no_prompt_have_a_row_for_each_condition() -> None:
    fake = SimpleNamespace(
        _keys=lambda prompts, condition, more: [],
        _telling=lambda names, count: None,
        scores_log=SimpleNamespace(sync=lambda: None),
    )
    conditions = [SimpleNamespace(name="one"), SimpleNamespace(name="two")]
    kl, odds = Bench.scores(fake, [], conditions, [7])  # type: ignore[arg-type]
    assert kl.shape == odds.shape == (2, 0)
    kl, odds = Bench.scores(fake, [], [], [7])  # type: ignore[arg-type]
    assert kl.shape == odds.shape == (0, 0)
