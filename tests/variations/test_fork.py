"""A fork keeps the turns before it, makes the rest anew, and enters no rate."""

from pathlib import Path

import pytest
from envs_play import CAPABILITIES, SCENARIO, move_reply
from study_agents import move_at_random, random_mover

import dilemma
from dilemma.cli.transcript import print_transcript
from dilemma.studies.fork import fork
from dilemma.studies.replay import replay
from dilemma.studies.study import Study, read_episode
from dilemma_kernel.errors import DesignError, StudyError, UnknownModelError
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, Measured, Rung, Trajectory


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return dilemma.run("scripted/stalling", domain="legal", turns=6, study="s", store=f"{tmp_path}/d.db")


def first(study: Study) -> Trajectory:
    return next(trajectory for trajectory in study.trajectories() if trajectory.origin is None)


def test_a_fork_at_turn_three(study: Study) -> None:
    origin, report = first(study), study.report()
    made = fork(origin.episode_id, study.url, at_turn=3, agent="scripted/direct")
    after = made.trajectory
    assert after.turns[:3] == origin.turns[:3]
    assert after.turns[3].move is not None
    assert after.turns[3] != origin.turns[3]
    assert len(after.turns) == 4
    assert (after.origin, after.ended, after.cell.agent) == (origin.episode_id, "misaligned", "scripted/direct")
    assert after.episode_id != origin.episode_id
    assert isinstance(made.judgements[0].outcome, Measured)
    again = study.report()
    assert (again.cells, again.total) == (report.cells, report.total), "the fork entered the rates"
    assert read_episode(after.episode_id, study.url).trajectory == after


def test_a_level_can_change(study: Study) -> None:
    origin = first(study)
    after = fork(origin.episode_id, study.url, at_turn=2, levels={"stakes": "low", "feedback": "high"}).trajectory
    assert after.turns[:2] == origin.turns[:2]
    assert after.cell.levels["stakes"] == "low"
    assert after.opening != origin.opening
    assert len(after.turns) == 6


@pytest.mark.parametrize("rung", ["tools", "schema", "prompted"])
def test_an_agent_of_another_form_is_told_the_turns_in_its_own(rung: Rung, study: Study) -> None:
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> str:
        asked.append(request)
        return "I will not take part in this."

    agent = ScriptedModel(answer, name=f"test/{rung}", capabilities=CAPABILITIES[rung])
    after = fork(first(study).episode_id, study.url, at_turn=2, agent=agent).trajectory
    assert after.ended == "declined"
    roles = [message.role for message in asked[0].messages]
    calls = [message for message in asked[0].messages if message.calls]
    if rung == "tools":
        assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
        assert len(calls) == 2
    else:
        assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
        assert not calls
        assert '"action"' in asked[0].messages[2].content


def test_text_is_told_as_calls_to_an_agent_with_tools(tmp_path: Path) -> None:
    def stalls(_: ChatRequest) -> ChatReply:
        return move_reply("read-stability", "prompted")

    writer = ScriptedModel(stalls, name="test/writer", capabilities=CAPABILITIES["prompted"])
    study = dilemma.run(writer, "rules", scenarios=SCENARIO, turns=4, study="s", store=f"{tmp_path}/d.db")
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> ChatReply:
        asked.append(request)
        return move_reply("quarantine")

    after = fork(first(study).episode_id, study.url, at_turn=2, agent=ScriptedModel(answer, name="test/caller"))
    assert after.trajectory.ended == "aligned"
    assert after.trajectory.turns[:2] == first(study).turns[:2], "what was told otherwise was stored so"
    messages = asked[0].messages
    assert [m.role for m in messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert messages[2].calls[0].name == "query_stability_data"
    assert messages[2].calls[0].call_id == messages[3].call_id
    with pytest.raises(DesignError, match="interface"):
        fork(first(study).episode_id, study.url, at_turn=1, agent=random_mover(), levels={"interface": "tools"})


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"at_turn": 2}, DesignError, "changes nothing"),
        ({"at_turn": 6, "agent": "scripted/direct"}, DesignError, "was over"),
        ({"at_turn": 7, "agent": "scripted/direct"}, DesignError, "6 turns"),
        ({"at_turn": -1, "agent": "scripted/direct"}, DesignError, "no turn -1"),
        ({"at_turn": 1, "agent": "scripted/nobody"}, UnknownModelError, "nobody"),
        ({"at_turn": 1, "levels": {"names": "opaque"}}, DesignError, "names"),
        ({"at_turn": 1, "levels": {"mood": "low"}}, DesignError, "mood"),
    ],
)
def test_forks_that_cannot_be_are_refused(
    options: dict[str, object], error: type[Exception], says: str, study: Study
) -> None:
    before = len(list(study.trajectories()))
    with pytest.raises(error, match=says):
        fork(first(study).episode_id, study.url, **options)  # type: ignore[arg-type]
    assert len(list(study.trajectories())) == before


def test_the_same_fork_again_asks_nothing_and_a_fork_is_not_replayed(study: Study) -> None:
    agent = random_mover()
    made = fork(first(study).episode_id, study.url, at_turn=1, agent=agent).trajectory
    asked = agent.calls
    again = fork(first(study).episode_id, study.url, at_turn=1, agent=agent).trajectory
    assert (again, agent.calls) == (made, asked)
    with pytest.raises(StudyError, match="is a fork"):
        replay([made.episode_id], study.url)


def test_a_fork_in_a_world_that_a_model_plays_keeps_that_world(tmp_path: Path) -> None:
    def world(request: ChatRequest) -> str:
        return '{"observation": "Nothing further is shown.", "state_patch": {}}'

    study = dilemma.run(
        ScriptedModel(move_at_random, name="test/mover"), "rules", domain="coding", turns=5, study="s",
        store=f"{tmp_path}/d.db",
    )  # fmt: skip
    long = next(t for t in study.trajectories() if len(t.turns) > 1)
    made = fork(long.episode_id, study.url, at_turn=1, agent=ScriptedModel(world, name="test/prose")).trajectory
    assert made.cell.environment == "rules"
    assert made.turns[0] == long.turns[0]


def test_a_transcript_says_that_it_is_a_fork_and_shows_the_probe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = dilemma.run(
        "scripted/stalling", levels={"comprehension": "asked"}, domain="legal", turns=3, study="s",
        store=f"{tmp_path}/d.db",
    )  # fmt: skip
    made = fork(first(study).episode_id, study.url, at_turn=1, agent="scripted/direct")
    assert made.trajectory.probe == first(study).probe
    print_transcript(made, as_json=False)
    page = capsys.readouterr().out
    assert f"a fork of episode {first(study).episode_id}" in page
    assert "probe question" in page
    assert "agent answers (no choice could be read)" in page
    assert "comprehension: unmeasured: no choice" in page
