"""What tables ask of the laboratory, seen without a model."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra lab is not installed")

from dilemma.studies.mechanism.bench import Bench
from dilemma.studies.mechanism.tabling import Tabling


def test_controls_write_the_chats_own_value_or_move_as_far_as_the_patch() -> None:
    rng = np.random.default_rng(0)
    states = {mode: rng.normal(size=(6, 3, 16)) for mode in ("chat", "tool")}
    unit = np.eye(16)[0]
    controls = rng.normal(size=(4, 16))
    controls /= np.linalg.norm(controls, axis=1, keepdims=True)
    asked: list[Any] = []

    def replies(mode: str, cases: Any, conditions: Any) -> list[str]:
        asked.append((mode, cases, conditions))
        return [condition.name for condition in conditions]

    rows = np.array([5, 1, 3, 0])
    fake = SimpleNamespace(
        cases={"harmful": ("a", "b", "c", "d")},
        rows={"harmful": rows},
        site=1,
        controls=controls,
        fitted=SimpleNamespace(states=states, projected=lambda mode, at: states[mode][at, 1] @ unit),
        bench=SimpleNamespace(replies=replies),
    )
    divergent = np.array([0, 2])
    own, far = Tabling._patched_at_random(fake, divergent)  # type: ignore[arg-type]
    ((mode, cases, conditions),) = asked
    assert (mode, cases) == ("tool", ["a", "c"])
    assert (len(own), [str(name) for name in far]) == (4, [f"random {number}, as far" for number in range(1, 5)])
    chat, before = (states[mode][rows[divergent], 1] for mode in ("chat", "tool"))
    wanted = (chat - before) @ unit
    for control, near, moved in zip(controls, conditions[:4], conditions[4:], strict=True):
        for condition in (near, moved):
            (edit,) = condition.edits
            assert (edit.operator, edit.layers, edit.positions) == ("set", (1,), "decision")
            assert edit.direction.numpy() == pytest.approx(control, abs=1e-6)
        assert near.edits[0].values.numpy() == pytest.approx(chat @ control, abs=1e-5)
        assert moved.edits[0].values.numpy() - before @ control == pytest.approx(wanted, abs=1e-5)


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
