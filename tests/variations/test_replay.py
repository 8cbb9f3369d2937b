"""An episode runs again from the call log: equal, and without a call."""

import asyncio
from pathlib import Path

import pytest
from envs_play import world
from loopback_server import LoopbackServer
from study_agents import move_at_random, random_mover
from variation_server import random_mover as served_mover
from variation_server import settle

import dilemma
from dilemma.studies.replay import Replayed, replay, replay_one
from dilemma_kernel.errors import InputError, ModelRejected, StudyError
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, Trajectory
from envs import RulesEnvironment
from trajectories import open_store


async def replayed(url: str, study: str) -> list[Replayed]:
    async with open_store(url, read_only=True) as store:
        return [await replay_one(store, trajectory) async for trajectory in store.trajectories(study)]


@pytest.mark.parametrize("episodes", [2, pytest.param(17, marks=pytest.mark.slow)])
def test_stored_episodes_replay_without_a_call(episodes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(served_mover) as server:
        settle(server, tmp_path, monkeypatch, "mover")
        study = dilemma.run("mover", "rules", episodes=episodes, turns=4, study="s", store="d.db")
        asked = server.count
        assert asked > 20 * episodes
        found = asyncio.run(replayed("d.db", "s"))
        assert server.count == asked, "a call was made"
    assert len(found) == 12 * episodes
    assert [one.differs for one in found if not one.equal] == []
    assert sum(one.replies for one in found) == asked
    assert study.report().total.n.measured > 11 * episodes


def test_replay_needs_neither_key_nor_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LoopbackServer(served_mover) as server:
        settle(server, tmp_path, monkeypatch, "mover")
        study = dilemma.run("mover", "rules", domain="legal", study="s", store="d.db")
    (tmp_path / "dilemma.toml").unlink()
    ids = [trajectory.episode_id for trajectory in study.trajectories()]
    assert all(one.equal for one in replay([ids[0][:9], ids[1]], "d.db"))


@pytest.mark.parametrize("levels", [{}, {"names": "opaque", "interface": "prompted"}, {"comprehension": "asked"}])
def test_a_world_that_a_model_plays_is_replayed_too(levels: dict[str, str], tmp_path: Path) -> None:
    def agent(request: ChatRequest) -> ChatReply | str:
        return move_at_random(request) if request.tools else "I think it is B."

    study = dilemma.run(
        ScriptedModel(agent, name="test/mover"),
        ScriptedModel(world, name="test/world"),
        domain="coding",
        episodes=3,
        levels=levels,
        study="s",
        store=f"{tmp_path}/d.db",
    )
    found = asyncio.run(replayed(study.url, "s"))
    assert len(found) == 6
    assert all(one.equal for one in found), [one.differs for one in found]


def test_crashed_episodes_and_their_second_attempts_replay(tmp_path: Path) -> None:
    broken = True

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if broken and request.context.turn == 2:
            raise ModelRejected("the line was cut")
        return move_at_random(request)

    agent = ScriptedModel(answer, name="test/frail")
    options = {"domain": "coding", "episodes": 4, "study": "s", "store": f"{tmp_path}/d.db"}
    study = dilemma.run(agent, "rules", **options)  # type: ignore[arg-type]
    assert study.report().total.n.crashed > 0
    assert all(one.equal for one in asyncio.run(replayed(study.url, "s")))
    broken = False
    dilemma.run(agent, "rules", **options, resume=True, retry_crashed=True)  # type: ignore[arg-type]
    assert all(one.equal for one in asyncio.run(replayed(study.url, "s")))


@pytest.mark.parametrize("interface", ["tools", "prompted"])
@pytest.mark.parametrize("comprehension", ["asked", "unasked"])
def test_episodes_that_crashed_before_any_move_replay(interface: str, comprehension: str, tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> str:
        assert request.context is not None
        if request.context.turn:
            raise ModelRejected("no")
        return "B"

    levels = {"interface": interface, "comprehension": comprehension}
    agent = ScriptedModel(answer, name="test/frail")
    study = dilemma.run(agent, "rules", domain="coding", levels=levels, study="s", store=f"{tmp_path}/d.db")
    assert study.report().total.n.crashed == 2
    found = asyncio.run(replayed(study.url, "s"))
    assert all(one.equal for one in found), found


def test_a_changed_trajectory_is_found_out(tmp_path: Path) -> None:
    study = dilemma.run("scripted/strategic", domain="legal", study="s", store=f"{tmp_path}/d.db")
    stored = next(study.trajectories())

    async def of_a_forgery() -> Replayed:
        async with open_store(study.url, read_only=True) as store:
            return await replay_one(store, stored.model_copy(update={"turns": forged(stored)}))

    found = asyncio.run(of_a_forgery())
    assert not found.equal
    assert found.differs == ("turns.0.move.reasoning",)


def forged(stored: Trajectory) -> tuple[object, ...]:
    first, *rest = stored.turns
    assert first.move is not None
    move = first.move.model_copy(update={"reasoning": "Something else."})
    return (first.model_copy(update={"move": move}), *rest)


class Own(RulesEnvironment):
    """An environment of a caller's own."""

    name = "own"


def test_what_cannot_be_replayed_is_said(tmp_path: Path) -> None:
    study = dilemma.run(random_mover(), Own(), domain="legal", study="s", store=f"{tmp_path}/d.db")
    episode = next(study.trajectories()).episode_id
    with pytest.raises(StudyError, match="caller's own object"):
        replay([episode], study.url)
    with pytest.raises(InputError, match="no episode begins"):
        replay(["ffffffffffff"], study.url)
