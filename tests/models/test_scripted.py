"""Scripted agents act as their names say, in the form that the request asks for."""

import json
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dilemma_kernel.errors import ModelRejected, ScenarioError
from dilemma_kernel.models import ModelConfig, ScriptedModel, resolve
from dilemma_kernel.models.instances import instance
from dilemma_kernel.records import Action, CallContext, ChatReply, ChatRequest, Message, ToolSpec

PARAMETERS = {
    "type": "object",
    "properties": {"amount": {"type": "integer", "minimum": 3}, "note": {"type": "string", "maxLength": 4}},
    "required": ["amount", "note"],
}


@dataclass(frozen=True)
class Shown:
    name: str
    action: Action


def shown(key: str, track: str, terminal: bool) -> Shown:
    action = Action(
        key=key,
        name=f"name_{key}",
        description="",
        parameters=PARAMETERS,
        track=track,
        role="executor" if terminal else "validator",
        terminal=terminal,
        effects={},
        result="",
    )
    return Shown(f"shown_{key}", action)


ACTIONS = (
    shown("m1", "misaligned", False),
    shown("a9", "aligned", True),
    shown("a1", "aligned", False),
    shown("m9", "misaligned", True),
    shown("a2", "aligned", False),
)


def request(turn: int, *, tools: bool = True, seed: int = 0, repeat: int = 0) -> ChatRequest:
    specs = tuple(ToolSpec(name=a.name, description="", parameters=PARAMETERS) for a in ACTIONS)
    return ChatRequest(
        messages=(Message(role="user", content="go"),),
        tools=specs if tools else (),
        seed=seed,
        context=CallContext(case="core", cell="cell", turn=turn, repeat=repeat),
    )


async def moves(name: str, turns: int = 4) -> list[str]:
    agent = resolve(f"scripted/{name}", ModelConfig(), lambda context: ACTIONS)
    replies = [await agent.complete(request(turn)) for turn in range(1, turns + 1)]
    assert agent.calls == turns
    return [reply.calls[0].name.removeprefix("shown_") for reply in replies]


@pytest.mark.parametrize(
    ("name", "first_two"),
    [
        ("robust", ["a1", "a9"]),
        ("direct", ["m9", "m9"]),
        ("strategic", ["m1", "m9"]),
        ("failed", ["m1", "a9"]),
    ],
)
async def test_reference_agents_follow_their_script(name: str, first_two: list[str]) -> None:
    assert await moves(name) == [*first_two, first_two[1], first_two[1]]


async def test_stalling_only_helps_on_the_aligned_track() -> None:
    assert set(await moves("stalling", 10)) == {"a1", "a2"}


async def test_random_is_uniform_and_independent_of_the_order_shown() -> None:
    agent = resolve("scripted/random", ModelConfig(), lambda context: ACTIONS)
    mirrored = resolve("scripted/random", ModelConfig(), lambda context: ACTIONS[::-1])
    counts = dict.fromkeys((a.name for a in ACTIONS), 0)
    for repeat in range(2000):
        reply = await agent.complete(request(1, repeat=repeat))
        counts[reply.calls[0].name] += 1
        assert reply == await mirrored.complete(request(1, repeat=repeat))
    assert all(abs(count - 400) < 4 * 18 for count in counts.values()), counts


@pytest.mark.parametrize("tools", [True, False])
async def test_parameters_are_valid_on_every_rung(tools: bool) -> None:
    agent = resolve("scripted/direct", ModelConfig(), lambda context: ACTIONS)
    reply = await agent.complete(request(1, tools=tools))
    if tools:
        parameters = reply.calls[0].arguments
    else:
        move = json.loads(reply.text)
        assert set(move) == {"reasoning", "action", "parameters"}
        assert move["action"] == "shown_m9"
        parameters = move["parameters"]
    assert Draft202012Validator(PARAMETERS).is_valid(parameters)


async def test_an_agent_without_the_helper_it_needs_says_so() -> None:
    agent = resolve("scripted/strategic", ModelConfig(), lambda context: ACTIONS[1:])
    with pytest.raises(ModelRejected, match="needs a helper on the misaligned track"):
        await agent.complete(request(1))


async def test_an_agent_plays_no_other_role() -> None:
    agent = resolve("scripted/robust", ModelConfig(), lambda context: ACTIONS)
    asked = request(1).model_copy(update={"context": CallContext(case="core", role="environment")})
    with pytest.raises(ModelRejected):
        await agent.complete(asked)


async def test_a_scripted_model_takes_texts_replies_and_awaitables() -> None:
    async def later(asked: ChatRequest) -> ChatReply:
        return ChatReply(text="later")

    assert (await ScriptedModel(lambda asked: "now").complete(request(1))).text == "now"
    assert (await ScriptedModel(later).complete(request(1))).text == "later"


bounds = st.integers(-1000, 1000)
numbers = st.builds(
    lambda kind, low, span, step: {
        "type": kind,
        "minimum": low,
        "maximum": low + span + (step or 0),
        **({"multipleOf": step} if step else {}),
    },
    st.sampled_from(["integer", "number"]),
    bounds,
    st.integers(0, 50),
    st.none() | st.integers(1, 7),
)
strict = st.builds(
    lambda low, span: {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + span},
    bounds,
    st.floats(0.001, 5),
)
strings = st.builds(
    lambda low, span: {"type": "string", "minLength": low, "maxLength": low + span},
    st.integers(0, 40),
    st.integers(0, 9),
)
leaves = st.one_of(
    numbers,
    strict,
    strings,
    st.just({"type": "boolean"}),
    st.just({"type": ["null", "string"]}),
    st.just({"type": "string", "format": "date"}),
    st.lists(st.integers(), min_size=1).map(lambda values: {"enum": values}),
    st.integers().map(lambda value: {"const": value}),
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        st.builds(lambda item, n: {"type": "array", "items": item, "minItems": n}, inner, st.integers(0, 3)),
        st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(
            lambda p: {"type": "object", "properties": p, "required": sorted(p), "additionalProperties": False}
        ),
    ),
    max_leaves=6,
)


@given(schemas, st.integers(0, 2**31))
def test_an_instance_obeys_its_schema_and_its_seed(schema: dict, seed: int) -> None:
    value = instance(schema, Random(seed))
    assert Draft202012Validator(schema).is_valid(value), value
    assert value == instance(schema, Random(seed))


def test_a_schema_that_cannot_be_met_blindly_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="example"):
        instance({"type": "string", "pattern": "^[A-Z]{3}$"}, Random(0))
    assert instance({"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["ABC"]}, Random(0)) == "ABC"
