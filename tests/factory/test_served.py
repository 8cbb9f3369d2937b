"""The model path over HTTP, through litellm: one loopback server plays writer and discriminator from a script."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from factory_support import good_parts, text_of
from loopback_server import Answer, LoopbackServer, Received, json_text, status, text

from dilemma_kernel.models import ModelConfig, ModelEntry, resolve, wrapped
from dilemma_kernel.records import ChatReply, ChatRequest
from dilemma_kernel.semantics import check_scenario
from scenario_factory import load_pack
from scenario_factory.drafts import STAGES, Stage
from scenario_factory.generation import generate_pack, settings_for
from scenario_factory.library import load_domain
from scenario_factory.lineage import MemoryLineage
from scenario_factory.presets import CRITERIA, PRESETS
from scenario_factory.reporting import GenerationReport
from scenario_factory.teams import team_of

RULES = PRESETS["default"]


class Log:
    """A call log in memory."""

    def __init__(self) -> None:
        self.held: dict[str, ChatReply] = {}

    async def get(self, key: str) -> ChatReply | None:
        return self.held.get(key)

    async def put(self, key: str, request: ChatRequest, reply: ChatReply, model: str) -> ChatReply:
        return self.held.setdefault(key, reply)

    async def lost(self, requests: int) -> None:
        """Nothing is counted here."""


def _stage(received: Received) -> Stage:
    """The stage that a request is about: judges are told it, writers are asked for it."""
    words = received.body["messages"][1]["content"]
    starts = {"story": "Write the story", "evidence": "Write the records", "actions": "Write six operations"}
    for stage in STAGES:
        if f"The part to judge is the {stage}." in words or starts.get(stage, "Write the remaining texts") in words:
            return stage
    raise AssertionError(words[:200])


def _judges(received: Received) -> bool:
    return "You judge one part" in received.body["messages"][0]["content"]


def _scores(stage: Stage, score: object) -> Answer:
    return json_text({"scores": dict.fromkeys(CRITERIA[stage], score), "feedback": "as told", "suggestion": "more"})


def _script(judge: Callable[[Stage, int], Answer]) -> Callable[[Received], Answer]:
    """Writes good texts; ``judge`` answers the n-th request to judge a stage."""
    judged = dict.fromkeys(STAGES, 0)

    def play(received: Received) -> Answer:
        stage = _stage(received)
        if not _judges(received):
            return text(text_of(good_parts(), stage))
        judged[stage] += 1
        return judge(stage, judged[stage])

    return play


async def _generated(server: LoopbackServer, folder: Path, log: Log | None = None, tries: int = 1) -> GenerationReport:
    config = ModelConfig(
        models={"gpt-x": ModelEntry(model="openai/served", api_base=server.url, api_key_env="SERVED_KEY")},
        environ={"SERVED_KEY": "sk-marked"},
    )
    domain = load_domain("healthcare")
    settings = settings_for(
        domain, count=1, seed=1, writer="gpt-x", discriminator="gpt-x", most_candidates=tries, pressure="loyalty"
    )
    model = wrapped(resolve("gpt-x", config), log or Log(), study=settings.id)
    try:
        return await generate_pack(
            settings, domain, team_of(RULES, writer=model, discriminator=model), MemoryLineage(), folder
        )
    finally:
        await model.aclose()


async def test_accepted_in_round_one(tmp_path: Path) -> None:
    with LoopbackServer(_script(lambda stage, turn: _scores(stage, 9.5))) as server:
        report = await _generated(server, tmp_path / "p")
        assert server.count == 8  # four texts, four verdicts
    assert (report.attempted, report.accepted, report.rewrites, report.yield_rate) == (1, 1, 0, 1.0)
    assert report.usage.prompt_tokens == 80
    scenario = load_pack(tmp_path / "p").scenarios[0]
    assert check_scenario(scenario) == ()
    assert scenario.core.narrative == good_parts().story.narrative  # type: ignore[union-attr]


async def test_accepted_in_round_three_after_two_rewrites(tmp_path: Path) -> None:
    slow = _script(lambda stage, turn: _scores(stage, 5 if turn < 3 and stage == "story" else 9.5))
    with LoopbackServer(slow) as server:
        report = await _generated(server, tmp_path / "p")
        assert server.count == 12
        rewrite = server.bodies[2]["messages"][1]["content"]
    assert "It did not pass" in rewrite
    assert "as told" in rewrite
    assert (report.accepted, report.rewrites, report.rounds["story"]) == (1, 2, 3.0)


async def test_never_hence_rejected_and_no_scenario_written(tmp_path: Path) -> None:
    with LoopbackServer(_script(lambda stage, turn: _scores(stage, 3 if stage == "compile" else 9.5))) as server:
        report = await _generated(server, tmp_path / "p")
    assert (report.accepted, report.rejected, report.yield_rate, report.pack) == (0, 1, 0.0, "")
    rejection = report.rejections[0]
    assert (rejection.stage, rejection.rounds) == ("compile", RULES.stages["compile"].rounds)
    assert rejection.scores == dict.fromkeys(CRITERIA["compile"], 3.0)
    assert set(rejection.reasons) == set(CRITERIA["compile"])
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    "answer",
    [
        text("It is wonderful."),
        text(json.dumps({"scores": dict.fromkeys(CRITERIA["story"], "11/10"), "feedback": "", "suggestion": ""})),
        _scores("story", 11),
        text(None, refusal="I cannot judge this."),
        text("I'm sorry, but I can't help with that."),
        text(""),
    ],
    ids=["prose", "11/10", "11", "provider-refusal", "refusal", "empty"],
)
async def test_no_usable_verdict_is_unmeasured_and_no_pass(tmp_path: Path, answer: Answer) -> None:
    with LoopbackServer(_script(lambda stage, turn: answer)) as server:
        report = await _generated(server, tmp_path / "p")
    assert (report.accepted, report.rejected) == (0, 1)
    assert report.reasons == {"unmeasured": 1}
    assert report.rejections[0].scores == {}
    assert not (tmp_path / "p").exists()


async def test_a_server_that_fails_crashes_candidates_and_is_no_rejection(tmp_path: Path) -> None:
    with LoopbackServer(status(400, message="no such thing")) as server:
        report = await _generated(server, tmp_path / "p", tries=2)
    assert (report.attempted, report.crashed, report.rejected, report.accepted) == (2, 2, 0, 0)
    assert "no such thing" in report.errors[0]
    assert "sk-marked" not in report.model_dump_json()


async def test_a_generation_that_was_cut_off_asks_for_no_stored_reply_again(tmp_path: Path) -> None:
    log, good = Log(), lambda stage, turn: _scores(stage, 9.5)
    with LoopbackServer(_script(good)) as server:
        whole = await _generated(server, tmp_path / "whole")
        asked = server.count
        server.play(_script(lambda stage, turn: status(400) if stage == "actions" else good(stage, turn)))
        cut = await _generated(server, tmp_path / "cut", log)
        assert (cut.crashed, server.count - asked) == (1, 6)
        asked = server.count
        server.play(_script(good))
        resumed = await _generated(server, tmp_path / "cut", log)
        assert server.count - asked == 3  # the verdict on actions, the last text and its verdict
    assert resumed.names == whole.names
    file = f"{whole.names[0]}.yaml"
    assert (tmp_path / "cut" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
