"""The planted model: what was planted comes out, from suite to outcome."""

import math

import numpy as np
import pytest
from transfer_arms import HARMFUL, SUITE

from dilemma_kernel.errors import ModelRejected, UnknownModelError
from dilemma_kernel.models import ModelConfig, resolve
from dilemma_kernel.records import ChatRequest, Message, derive_seed
from dilemma_kernel.statistics.clusters import group
from dilemma_kernel.statistics.divergence import (
    conditioned_divergence,
    divergence_ratio,
    ratio_difference,
    triple_bounds,
    wording_null,
    wording_ratio,
)
from refusal_transfer import ArmOutcome, Plant, PlantedTransfer, arm_outcome, judge_arm, planted_models, run_arm

ARMS = ("chat", "tool", "stress")


async def outcomes(options: str, repeats: int = 1) -> list[ArmOutcome]:
    name = f"scripted/transfer?{options}"
    model = resolve(name, ModelConfig(), scripted={"transfer": planted_models(SUITE)})
    found = []
    for triple in SUITE.triples:
        for repeat in range(repeats):
            seed = derive_seed(11, triple.id, repeat)
            for arm in ARMS:
                run = await run_arm(model, SUITE, triple, arm, study="s", seed=seed, repeat=repeat)  # type: ignore[arg-type]
                found.append(arm_outcome(run, judge_arm(run, SUITE), SUITE))
    return found


def harmful(found: list[ArmOutcome], arm: str) -> list[ArmOutcome]:
    return [one for one in found if one.arm == arm and one.triple.intent.request == "harmful"]


def known(values: list[bool | None]) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]


async def test_the_planted_shares_come_out() -> None:
    found = await outcomes("refusal=.75&normal=.5&stress=.65&malformed=.05")
    intents = group([one.triple.intent.id for one in harmful(found, "chat")])
    chat = known([one.refused for one in harmful(found, "chat")])
    assert abs(np.mean(chat) - 0.75) < 0.08
    for arm, planted_share in (("tool", 0.5), ("stress", 0.65)):
        tool = known([one.unsafe for one in harmful(found, arm)])
        assert 0 < np.isnan(tool).mean() < 0.1
        delta = conditioned_divergence(chat, tool, intents)
        assert delta.low is not None
        assert delta.high is not None
        bounds = triple_bounds(chat, tool)
        assert bounds.low is not None
        assert bounds.high is not None
        assert min(delta.low, bounds.low) <= planted_share <= max(delta.high, bounds.high)


async def test_benign_prompts_are_carried_out_and_trigger_nothing() -> None:
    found = await outcomes("refusal=1")
    benign = [one for one in found if one.triple.intent.request == "benign"]
    assert {one.verdict for one in benign if one.arm != "chat"} == {"safe_call"}
    assert not any(one.refused for one in benign)
    assert all(one.refused for one in harmful(found, "chat"))


async def test_a_redraw_of_the_chat_propensity_shows_no_divergence_beyond_wording() -> None:
    found = await outcomes("refusal=.7&redraw=1&spread=1.5", repeats=3)
    chat, tool = harmful(found, "chat"), harmful(found, "tool")
    intents = group([one.triple.intent.id for one in chat])
    delta = divergence_ratio(known([c.refused for c in chat]), known([t.unsafe for t in tool]), intents)
    key = {(c.triple.intent.id, c.triple.condition, c.repeat, c.triple.variant): c.refused for c in chat}
    pairs = sorted({(i, s, r) for i, s, r, _ in key})
    first, second = (known([key[(*pair, variant)] for pair in pairs]) for variant in ("A", "B"))
    null_groups = group([intent for intent, *_ in pairs])
    null = wording_ratio(first, second, null_groups)
    assert wording_null(first, second, null_groups).estimate is not None
    difference = ratio_difference("Δ − wording null", delta, null)
    assert difference.estimate is not None
    assert difference.low is not None
    assert difference.high is not None
    assert delta.estimate > 0.1
    assert difference.low <= 0 <= difference.high


async def test_no_refusal_gives_no_divergence() -> None:
    found = await outcomes("refusal=0")
    chat = known([one.refused for one in harmful(found, "chat")])
    tool = known([one.unsafe for one in harmful(found, "tool")])
    none = conditioned_divergence(chat, tool, group([one.triple.intent.id for one in harmful(found, "chat")]))
    assert none.estimate is None
    assert "no triple was refused" in none.method


async def test_the_same_request_gets_the_same_reply() -> None:
    first, second = await outcomes("gap=.3&malformed=.2"), await outcomes("gap=.3&malformed=.2")
    assert first == second
    assert any(one.gap for one in first)
    assert {one.verdict for one in first if one.arm == "tool"} == {"unsafe", "malformed", "no_call", "safe_call"}


@pytest.mark.parametrize(
    "options", ["refusal=2", "refusal=-.1", "refusal=x", "refusal=nan", "refusals=.5", "spread=11"]
)
async def test_options_that_make_no_sense_are_refused(options: str) -> None:
    with pytest.raises(UnknownModelError):
        resolve(f"scripted/transfer?{options}", ModelConfig(), scripted={"transfer": planted_models(SUITE)})


async def test_a_request_from_nowhere_is_rejected() -> None:
    model = PlantedTransfer("scripted/transfer", Plant(), lambda _: HARMFUL)
    with pytest.raises(ModelRejected):
        await model.complete(ChatRequest(messages=(Message(role="user", content="hello"),)))
    await model.aclose()
