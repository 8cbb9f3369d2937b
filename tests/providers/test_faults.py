"""Whatever a server does, an episode ends as it should, the raw reply is kept, and nothing becomes a good result."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from loopback_server import (
    Answer,
    LoopbackServer,
    Received,
    cut,
    drip,
    half_body,
    hang,
    html,
    no_choices,
    status,
    text,
    tool_calls,
)
from provider_studies import played, settle

import dilemma
from dilemma_kernel.models import Limiter, RetryPolicy, calling, unescape_text
from dilemma_kernel.records import ChatReply, Crashed, Measured, Outcome, Trajectory, Unmeasured
from trajectories import open_store

FAST = RetryPolicy(attempts=4, timeouts=2, first_wait_s=0.01, longest_wait_s=0.05)
SCENARIO = dilemma.load_pack("starter").scenarios[0]
HELPER = next(a for a in SCENARIO.core.actions if a.track == "aligned" and not a.terminal)


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Waits are short: what is tested is whether and how often something is asked again."""
    monkeypatch.setattr(calling, "RetryPolicy", lambda: FAST)
    monkeypatch.setattr(calling, "Limiter", partial(Limiter, longest_pause_s=0.02))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@dataclass
class Ran:
    """One episode of one turn, and what was stored of it."""

    trajectory: Trajectory
    outcome: Outcome
    replies: list[ChatReply]
    requests: int


async def ran(*script: Answer, then_well: bool = False, folder: Path) -> Ran:
    """The agent meets ``script``; ``then_well`` plays on as a good model does."""

    def chosen(received: Received) -> Answer:
        index = received.number - 1
        return played(received) if then_well and index >= len(script) else script[min(index, len(script) - 1)]

    with LoopbackServer(chosen) as server:
        settle(folder, server.url, timeout_s=0.8)
        await dilemma.simulate("gpt-x", "rules", scenarios=SCENARIO, turns=1, study="s", store="d.db")
    async with open_store("d.db", read_only=True) as store:
        (trajectory,) = [found async for found in store.trajectories("s")]
        (label,) = await store.judgements("s", vocabulary="label")
        replies = [call.reply async for call in store.calls("s")]
    return Ran(trajectory, label.outcome, replies, server.count)


@pytest.mark.parametrize(
    "answer",
    [
        status(429, retry_after="0.02"),
        status(429, retry_after="3600"),
        status(429),
        status(500),
        status(503),
        cut(),
        half_body(),
        html(),
        html(502),
        hang(),
        text("too late").after(5),
    ],
    ids=["429 short", "429 long", "429", "500", "503", "cut", "half", "html", "502", "hang", "late"],
)
async def test_what_passes_is_asked_again_once(answer: Answer, tmp_path: Path) -> None:
    found = await ran(answer, then_well=True, folder=tmp_path)
    assert isinstance(found.outcome, Measured)
    assert found.requests == 2
    (reply,) = found.replies
    assert reply.timing is not None
    assert reply.timing.attempts == 2


@pytest.mark.parametrize(
    ("answer", "requests", "says"),
    [
        (status(429), 4, "RateLimited"),
        (status(500), 4, "ModelUnavailable"),
        (cut(), 4, "ModelUnavailable"),
        (half_body(), 4, "ModelUnavailable"),
        (html(), 4, "ModelUnavailable"),
        (hang(), 2, "ModelTimeout"),
        (drip(), 2, "ModelTimeout"),
        (no_choices(), 1, "EmptyReply"),
        (status(400), 1, "ModelRejected"),
        (status(400, message="maximum context length", code="context_length_exceeded"), 1, "ContextOverflow"),
    ],
    ids=["429", "500", "cut", "half", "html", "hang", "drip", "no choices", "400", "too long"],
)
async def test_what_stays_broken_crashes_the_episode(answer: Answer, requests: int, says: str, tmp_path: Path) -> None:
    found = await ran(answer, folder=tmp_path)
    assert found.trajectory.ended == "crashed"
    assert isinstance(found.outcome, Crashed)
    assert says in found.outcome.error
    assert found.requests == requests
    assert found.replies == []


@pytest.mark.parametrize(
    ("answer", "raw"),
    [
        (text(""), ""),
        (text(None), ""),
        (text("The register looks complete."), "The register looks complete."),
        (text("I was about to", finish_reason="length"), "I was about to"),
        (text("x" * 2**20), "x" * 2**20),
        (text("a\0b\ud800c"), "a\0b\ud800c"),
    ],
    ids=["empty", "null", "prose", "length", "megabyte", "nul and surrogate"],
)
async def test_words_without_a_move_are_kept_and_measure_nothing(answer: Answer, raw: str, tmp_path: Path) -> None:
    found = await ran(answer, folder=tmp_path)
    assert isinstance(found.outcome, Unmeasured)
    assert found.outcome.why == "no valid move"
    assert found.requests == len(found.replies) == 3
    assert {unescape_text(reply.text) for reply in found.replies} == {raw}
    (turn,) = found.trajectory.turns
    assert turn.move is None
    assert all(ask.problem for ask in turn.asks)


@pytest.mark.parametrize(
    ("calls", "raw"),
    [
        ([(HELPER.name, '{"hours": ')], ['{"hours": ']),
        ([(HELPER.name, None)], [""]),
        ([(None, "{}")], ["{}"]),
        ([("no_such_tool", "{}")], ["{}"]),
        ([(HELPER.name, '{"hours": "many"}')], ['{"hours": "many"}']),
        ([(HELPER.name, "{}"), (HELPER.name, "{}")], ["{}", "{}"]),
    ],
    ids=["half", "no arguments", "no name", "unknown", "wrong", "parallel"],
)
async def test_broken_calls_are_kept_raw_and_measure_nothing(
    calls: list[tuple[str | None, str | None]], raw: list[str], tmp_path: Path
) -> None:
    found = await ran(tool_calls(*calls), folder=tmp_path)
    assert isinstance(found.outcome, Unmeasured)
    assert found.requests == len(found.replies) == 3
    assert [call.raw for call in found.replies[0].calls] == raw
    assert found.trajectory.turns[0].move is None


@pytest.mark.parametrize(
    "answer",
    [
        text(None, refusal="I will not take part."),
        text("", finish_reason="content_filter"),
        status(400, message="The response was filtered: content management policy", code="content_filter"),
        status(403, message="This model requires moderation and your input was flagged"),
    ],
    ids=["refusal", "filter", "filtered prompt", "flagged prompt"],
)
async def test_a_providers_refusal_is_declined_and_no_aligned_act(answer: Answer, tmp_path: Path) -> None:
    found = await ran(answer, folder=tmp_path)
    assert found.trajectory.ended == "declined"
    assert isinstance(found.outcome, Unmeasured)
    assert found.outcome.why == "declined"
    assert found.requests == len(found.replies) == 2
    assert all(reply.refusal for reply in found.replies)


async def test_equal_requests_of_an_episode_are_sent_once_and_never_again(tmp_path: Path) -> None:
    found = await ran(then_well=True, folder=tmp_path)
    assert found.requests == len(found.replies) == 1
    await dilemma.simulate("gpt-x", "rules", scenarios=SCENARIO, turns=1, study="s", store="d.db", resume=True)
    async with open_store("d.db", read_only=True) as store:
        assert (await store.spent("s")).attempts == 1
