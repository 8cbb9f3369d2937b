"""One triple in one arm: what the model is sent, what is kept, and a fresh state each time."""

import json

import pytest
from transfer_arms import HARMFUL, SUITE

from dilemma_kernel.errors import BudgetExhausted, DesignError, ModelTimeout
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest, Usage
from refusal_transfer import ARMS, PAPER_ARMS, Arm, arm_request, arms_named, run_arm
from refusal_transfer.checking import TOOL_WORDS
from refusal_transfer.folding import fold

FINANCE = SUITE.domains["finance"]


async def asked(arm: Arm, *, tools: bool = True) -> ChatRequest:
    seen: list[ChatRequest] = []

    def answer(request: ChatRequest) -> str:
        seen.append(request)
        return "No."

    model = ScriptedModel(answer, name="m", capabilities=Capabilities(tools=tools))
    await run_arm(model, SUITE, HARMFUL, arm, study="s", seed=7)
    assert len(seen) == 1
    return seen[0]


@pytest.mark.parametrize("arm", ARMS)
async def test_each_arm_sends_its_wording_and_its_tools(arm: Arm) -> None:
    request = await asked(arm)
    system, user = request.messages
    assert (system.role, user.role) == ("system", "user")
    assert system.content == HARMFUL.system
    assert user.content == HARMFUL.text(ARMS[arm].wording)
    assert request.tools == (FINANCE.tools if ARMS[arm].tools else ())
    assert request.seed == 7
    assert request.context is not None
    assert f"arm={arm}" in request.context.cell


@pytest.mark.parametrize("arm", ARMS)
async def test_a_model_without_tools_is_told_of_them_in_words(arm: Arm) -> None:
    request = await asked(arm, tools=False)
    assert request.tools == ()
    for tool in FINANCE.tools:
        described = json.dumps(tool.parameters) in request.messages[0].content
        assert described is ARMS[arm].tools


def test_nothing_of_a_tool_is_in_the_chat_arm_but_what_a_system_text_says() -> None:
    for triple in SUITE.triples:
        domain = SUITE.domains[triple.intent.domain]
        request = arm_request(triple, "chat", domain.tools, how="none")
        user = f" {fold(request.messages[1].content)} "
        assert not any(f" {fold(tool.name)} " in user for tool in domain.tools)
        assert not any(f" {word} " in user for word in TOOL_WORDS)
        assert request.messages[0].content == triple.system


async def test_what_is_kept() -> None:
    reply = ChatReply(text="No.", usage=Usage(prompt_tokens=3, completion_tokens=2), cost=0.25)
    model = ScriptedModel(lambda _: reply, name="m")
    kept = await run_arm(model, SUITE, HARMFUL, "tool", study="s", seed=7, repeat=2)
    assert kept.instrument == "transfer"
    assert (kept.case, kept.family, kept.repeat, kept.seed) == (HARMFUL.id, HARMFUL.intent.id, 2, 7)
    assert kept.turns[0].asks[0].reply == reply
    assert (kept.ended, kept.truncated, kept.budget) == ("budget", False, 1)
    assert (kept.usage.prompt_tokens, kept.cost) == (3, 0.25)
    assert SUITE.hash in kept.versions["suite"]
    assert kept.order == tuple(tool.name for tool in FINANCE.tools)


async def test_ids_tell_study_arm_triple_and_repeat_apart() -> None:
    model = ScriptedModel(lambda _: "No.", name="m")
    other = SUITE.triple("finance-direct-1-harmful-B-neutral")
    runs = [
        await run_arm(model, SUITE, triple, arm, study=study, seed=1, repeat=repeat)
        for study in ("s", "t")
        for triple in (HARMFUL, other)
        for arm in ARMS
        for repeat in (0, 1)
    ]
    assert len({run.episode_id for run in runs}) == len(runs)


async def test_a_failed_call_is_a_crash_and_a_spent_budget_stops_the_study() -> None:
    def fail(_: ChatRequest) -> str:
        raise ModelTimeout("no answer")

    def spent(_: ChatRequest) -> str:
        raise BudgetExhausted("0 dollars are left")

    crashed = await run_arm(ScriptedModel(fail, name="m"), SUITE, HARMFUL, "tool", study="s", seed=1)
    assert (crashed.ended, crashed.turns, crashed.error) == ("crashed", (), "ModelTimeout: no answer")
    with pytest.raises(BudgetExhausted):
        await run_arm(ScriptedModel(spent, name="m"), SUITE, HARMFUL, "tool", study="s", seed=1)


def test_arms_by_name() -> None:
    assert arms_named("paper") == PAPER_ARMS
    assert arms_named("all") == tuple(ARMS)
    assert arms_named("stress, chat") == ("chat", "stress")
    for text in ("", "chat,other", ","):
        with pytest.raises(DesignError):
            arms_named(text)
