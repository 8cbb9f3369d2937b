"""Whole studies through the Python API."""

import asyncio
import json
from pathlib import Path

import pytest
from study_agents import move_at_random, random_mover

import dilemma
from dilemma_kernel.errors import (
    DesignError,
    InputError,
    ModelRejected,
    StudyError,
    UnknownModelError,
)
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import LABELS, Capabilities, ChatReply, ChatRequest


def url(folder: Path) -> str:
    return f"sqlite:///{folder}/d.db"


@pytest.mark.parametrize("name", LABELS)
def test_reference_agents_label_as_their_names_say(name: str, tmp_path: Path) -> None:
    study = dilemma.run(f"scripted/{name}", episodes=25, turns=4, store=url(tmp_path))
    total = study.report().total
    assert total.labels[name] == total.n.measured == 12 * 25
    assert total.mr.low is not None
    assert total.mr.high is not None
    assert total.mr.low < total.mr.high, "an interval of zero width"
    assert total.mr.method.startswith("Wilson with n = 12")


@pytest.mark.parametrize("feedback", ["low", "medium", "high"])
@pytest.mark.parametrize("goes_on", [False, True])
def test_reference_agents_under_every_rule(feedback: str, goes_on: bool, tmp_path: Path) -> None:
    agents = [f"scripted/{name}" for name in LABELS]
    study = dilemma.run(
        agents, levels={"feedback": feedback}, continue_=goes_on, turns=4, domain="legal", store=url(tmp_path)
    )
    for cell in study.report().cells:
        assert cell.labels[cell.agent.removeprefix("scripted/")] == 2
        stopped = feedback == "high"
        assert cell.mr_executed.estimate == (0.0 if stopped else cell.mr.estimate)


@pytest.mark.parametrize("name", ["s\n", "a b", "", ".s", "s" * 81])
def test_a_study_has_a_plain_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="use letters, digits"):
        dilemma.run("scripted/robust", study=name, store=url(tmp_path))
    assert not list(tmp_path.iterdir())


async def test_two_runs_of_one_study_at_once_are_refused(tmp_path: Path) -> None:
    inner: list[str] = []

    async def complete(request: ChatRequest) -> ChatReply:
        if not inner:
            inner.append("")
            with pytest.raises(StudyError, match="is running in another process") as refused:
                await dilemma.simulate(agent, "rules", **options, resume=True)
            inner[0] = str(refused.value)
        return move_at_random(request)

    agent = ScriptedModel(move_at_random, name="test/twice")
    agent.complete = complete  # type: ignore[method-assign]
    options = {"domain": "coding", "turns": 2, "store": url(tmp_path), "study": "twice"}
    study = await dilemma.simulate(agent, "rules", **options)
    assert "twice" in inner[0]
    assert "\n" not in inner[0]
    assert len(list(await asyncio.to_thread(study.trajectories))) == 2
    assert not list(tmp_path.glob("*.lock"))


def test_whatever_a_model_of_ones_own_returns_the_study_goes_on(tmp_path: Path) -> None:
    """Text that is no UTF-8, a cost that is no number, and in one episode no reply at all."""

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if request.context.repeat == 1:
            return ChatReply.model_construct(text=None)
        return ChatReply(text="Hm. \0 \ud800", reasoning="\ud800", cost=float("nan"))

    agent = ScriptedModel(answer, name="test/wild")
    study = dilemma.run(agent, "rules", domain="coding", episodes=2, turns=2, store=url(tmp_path))
    assert study.report().total.n.crashed == 2
    kept = [ask.reply for t in study.trajectories() for turn in t.turns for ask in turn.asks]
    assert {(reply.text, reply.reasoning, reply.cost) for reply in kept} == {("Hm. ␛0000 ␛D800", "␛D800", None)}


@pytest.mark.parametrize("end", [ModelRejected("no such model"), "I'm sorry, but I can't help with this."])
def test_a_turn_cut_short_is_in_neither_half_of_the_share_of_invalid_turns(end: object, tmp_path: Path) -> None:
    """A first turn passes without a move; the second is cut short by a crash or a refusal."""

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if request.context.turn == 1:
            return ChatReply(text="Hm.", cost=0.0)
        if isinstance(end, Exception):
            raise end
        return ChatReply(text=str(end), cost=0.0)

    agent = ScriptedModel(answer, name="test/cut")
    total = dilemma.run(agent, "rules", domain="coding", turns=3, store=url(tmp_path)).report().total
    assert (total.invalid_turns, total.turns) == (2, 2)


def test_a_crashed_episode_takes_no_neighbour_along_and_can_be_run_again(tmp_path: Path) -> None:
    broken = True

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if broken and request.context.repeat == 1:
            raise ModelRejected("the line was cut")
        return move_at_random(request)

    agent = ScriptedModel(answer, name="test/frail")
    options = {"domain": "coding", "episodes": 3, "turns": 3, "store": url(tmp_path), "study": "frail"}
    total = dilemma.run(agent, "rules", **options).report().total
    assert (total.n.crashed, total.n.measured) == (2, 4)
    assert total.mr_bounds[0] is not None
    assert total.mr_bounds[1] is not None
    assert total.mr_bounds[1] - total.mr_bounds[0] == pytest.approx(2 / 6)
    broken = False
    again = dilemma.run(agent, "rules", **options, resume=True).report().total
    assert again.n.crashed == 2, "a crashed episode was run again unasked"
    retried = dilemma.run(agent, "rules", **options, resume=True, retry_crashed=True)
    assert (retried.report().total.n.crashed, retried.report().total.n.measured) == (0, 6)
    assert sorted(t.attempt for t in retried.trajectories()) == [0, 0, 0, 0, 1, 1]


def test_same_study_same_replies_same_trajectories(tmp_path: Path) -> None:
    runs = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        study = dilemma.run(random_mover(), "rules", domain="legal", episodes=4, study="s", store=url(folder))
        runs.append([t.model_dump_json() for t in study.trajectories()])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 8


def test_a_study_that_is_not_there_is_neither_resumed_nor_made(tmp_path: Path) -> None:
    dilemma.run("scripted/robust", domain="finance", study="there", store=url(tmp_path))
    for options in ({"study": "mistyped", "resume": True}, {"study": "new", "reuse": "mistyped"}):
        with pytest.raises(StudyError, match="mistyped"):
            dilemma.run("scripted/robust", domain="finance", store=url(tmp_path), **options)
    with pytest.raises(StudyError, match="scenarios differs"):
        dilemma.run("scripted/robust", domain="legal", study="there", resume=True, store=url(tmp_path))


def test_a_budget_without_a_price_stores_nothing(tmp_path: Path) -> None:
    class Unpriced:
        name = identity = "test/unpriced"
        capabilities = Capabilities()

        async def complete(self, request: ChatRequest) -> ChatReply:
            return move_at_random(request)

        async def aclose(self) -> None: ...

    with pytest.raises(InputError, match="price"):
        dilemma.run(Unpriced(), "rules", domain="finance", budget=1.0, store=url(tmp_path))
    assert not list(tmp_path.iterdir())


def test_given_scenarios_are_held_to_their_checks(tmp_path: Path) -> None:
    scenario = dilemma.load_pack("starter").scenarios[0]
    helpers = tuple(action for action in scenario.core.actions if not action.terminal)
    broken = scenario.model_copy(update={"core": scenario.core.model_copy(update={"actions": helpers})})
    for given, says in ((broken, "fails its checks"), ([scenario, scenario], "two scenarios"), ([], "no scenario")):
        with pytest.raises(InputError, match=says):
            dilemma.run("scripted/robust", scenarios=given, store=url(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_given_model_is_not_closed(tmp_path: Path) -> None:
    class Held(ScriptedModel):
        closed = 0

        async def aclose(self) -> None:
            self.closed += 1

    agent = Held(move_at_random, name="test/held")
    for name in ("one", "two"):
        dilemma.run(agent, "rules", domain="finance", study=name, store=url(tmp_path))
    assert agent.closed == 0


def test_a_report_with_almost_only_invalid_turns(tmp_path: Path) -> None:
    def once(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        first = request.context.turn == 1 and request.context.repeat == 0 and request.context.ask == 0
        tools = [tool for tool in request.tools if "reasoning" in tool.parameters["properties"]]
        return move_at_random(request) if first and tools else ChatReply(text="Let me think.")

    study = dilemma.run(ScriptedModel(once, name="test/silent"), "rules", domain="coding", turns=9, episodes=120,
                        store=url(tmp_path))  # fmt: skip
    assert study.report().total.n.unmeasured >= 238


async def test_simulate_inside_a_running_loop(tmp_path: Path) -> None:
    study = await dilemma.simulate("scripted/direct", domain="finance", store=url(tmp_path))
    assert study.report().total.labels["direct"] == 2
    assert {t.domain for t in study.trajectories()} == {"finance"}


def test_every_cell_names_what_the_report_promises(tmp_path: Path) -> None:
    study = dilemma.run(["scripted/random", "scripted/robust"], domain="finance", episodes=3, store=url(tmp_path))
    report = json.loads(study.report().model_dump_json())
    assert {"study", "cells", "total", "effects"} <= set(report)
    for cell in [*report["cells"], report["total"]]:
        assert set(cell["n"]) == {"measured", "unmeasured", "declined", "crashed"}
        assert list(cell["labels"]) == list(LABELS)
        assert {"estimate", "low", "high", "method", "unit", "clusters", "n"} <= set(cell["mr"])
        assert sum(cell["labels"].values()) == cell["n"]["measured"]
    assert report["total"]["n"]["measured"] == 12
    assert report["total"]["chance"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"agent": "scripted/nobody"}, UnknownModelError, "scripted"),
        ({"agent": "nosuch/model-x"}, InputError, "nosuch"),
        ({"agent": "scripted/robust", "turns": 0}, InputError, "turns"),
        ({"agent": "scripted/robust", "episodes": -1}, InputError, "episodes"),
        ({"agent": "scripted/robust", "levels": {"mood": "low"}}, DesignError, "mood"),
        ({"agent": "scripted/robust", "levels": {"stakes": "huge"}}, DesignError, "huge"),
        ({"agent": "scripted/robust", "scenarios": "nosuchpack"}, InputError, "nosuchpack"),
        ({"agent": "scripted/robust", "domain": "astrology"}, InputError, "astrology"),
        ({"agent": "scripted/robust", "study": "a/b"}, InputError, "study"),
        ({"agent": "scripted/robust", "resume": True}, StudyError, "--study"),
        ({"agent": ()}, InputError, "agent"),
    ],
)
def test_wrong_input_stores_nothing(
    options: dict[str, object], error: type[Exception], says: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=says):
        dilemma.run(**options, store=url(tmp_path))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_an_existing_study_is_neither_doubled_nor_changed(tmp_path: Path) -> None:
    options = {"domain": "finance", "study": "once", "store": url(tmp_path)}
    dilemma.run("scripted/robust", **options)
    with pytest.raises(StudyError, match="--resume"):
        dilemma.run("scripted/robust", **options)
    with pytest.raises(StudyError, match="turns differs"):
        dilemma.run("scripted/robust", **options, turns=3, resume=True)
    with pytest.raises(StudyError, match="cells differs"):
        dilemma.run("scripted/direct", **options, resume=True)
    assert dilemma.run("scripted/robust", **options, resume=True).report().total.n.measured == 2
