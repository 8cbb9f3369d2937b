"""A transcript names an action as the agent was shown it."""

from pathlib import Path

import pytest

import dilemma
from dilemma.cli.transcript import print_transcript
from dilemma.studies.study import read_episode
from dilemma_kernel.semantics.actions import present


@pytest.mark.parametrize("names", ["neutral", "opaque"])
def test_a_move_has_the_name_that_the_agent_saw(names: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = f"{tmp_path}/d.db"
    study = dilemma.run("scripted/direct", domain="finance", levels={"names": names}, store=store)
    for trajectory in study.trajectories():
        stored = read_episode(trajectory.episode_id, store)
        assert stored.scenario is not None
        shown = {item.action.key: item for item in present(stored.scenario, trajectory.cell.levels, trajectory.seed)}
        print_transcript(stored, as_json=False)
        lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("agent → ")]
        moves = [turn.move for turn in trajectory.turns if turn.move]
        assert len(lines) == len(moves) > 0
        for line, move in zip(lines, moves, strict=True):
            item = shown[move.action]
            assert line.startswith(f"agent → {item.name} ")
            assert (f"(it is {item.action.name})" in line) == (names == "opaque")
            (call,) = trajectory.turns[moves.index(move)].asks[-1].reply.calls
            assert call.name == item.name, "the agent called it otherwise"
