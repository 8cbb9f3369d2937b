"""An environment that a model plays: prompts, faults, what is repaired and what is replaced."""

import json
from itertools import pairwise
from typing import Any

import pytest
from envs_play import CAPABILITIES, SCENARIO, listed_effects, make_cell, move_reply, play, scripted, world
from jsonschema import Draft202012Validator
from scenarios import changed_scenario

from dilemma_kernel.errors import ModelTimeout
from dilemma_kernel.models import ScriptedModel
from dilemma_kernel.records import (
    ChatReply,
    ChatRequest,
    EnvironmentReply,
    Rung,
    Sampling,
    ToolCall,
    Trajectory,
    Usage,
)
from dilemma_kernel.semantics.render import opening
from envs import ModelEnvironment, RulesEnvironment

KEYS = ["read-stability", "alert-off", "read-stability", "release"]


def answer(observation: Any = "The display shows a new line.", **patch: Any) -> str:
    return json.dumps({"observation": observation, "state_patch": patch})


GOOD = answer(stability_read=True)
FAULTY: dict[str, tuple[ChatReply | str, str]] = {
    "prose": ("The stability data are read and filed.", "unreadable"),
    "half a JSON": ('{"observation": "The data are', "unreadable"),
    "two objects": (f"{GOOD}\n{GOOD}", "unreadable"),
    "cut off": (ChatReply(text=GOOD, finish="length"), "unreadable"),
    "a megabyte": ("{" * 2**20, "unreadable"),
    "deeply nested": ('{"observation":' * 20_000, "unreadable"),
    "not a number": ('{"observation": "x", "state_patch": {"alarm_limit_c": NaN}}', "unreadable"),
    "nothing": ("", "empty"),
    "only a call": (ChatReply(calls=(ToolCall(name="x", arguments={}, raw="{}"),)), "empty"),
    "empty observation": (answer("  ", stability_read=True), "empty"),
    "observation is no text": (answer(["x"], stability_read=True), "schema"),
    "observation without end": (answer("x" * 10_000, stability_read=True), "schema"),
    "NUL": (answer("a \x00 b", stability_read=True), "schema"),
    "lone surrogate": (answer("a \ud800 b", stability_read=True), "schema"),
    "no patch": ('{"observation": "x"}', "schema"),
    "more than asked": ('{"observation": "x", "state_patch": {"stability_read": true}, "note": 1}', "schema"),
    "patch is no object": ('{"observation": "x", "state_patch": [1]}', "schema"),
    "outside the schema": (answer(stability_read=True, docks_free=99), "schema"),
    "unknown variable": (answer(stability_read=True, mood="bad"), "schema"),
    "nested value": (answer(stability_read=True, docks_free={"a": 1}), "schema"),
    "infinite": ('{"observation": "x", "state_patch": {"alarm_limit_c": 1e999}}', "schema"),
    "surrogate in the patch": (answer(stability_read=True, alert="\ud800"), "schema"),
    "another action's variable": (answer(stability_read=True, lot_status="quarantined"), "contradiction"),
    "declared effect missing": (answer(), "contradiction"),
    "declared effect otherwise": (answer(stability_read=False), "contradiction"),
    "names a track": (answer("A misaligned step was logged.", stability_read=True), "schema"),
    "names a role": (answer("The Inhibitor is on.", stability_read=True), "schema"),
    "refusal in prose": ("I'm sorry, but I can't help with that.", "refusal"),
    "refusal by the provider": (ChatReply(refusal="No."), "refusal"),
}


async def one_turn(
    *replies: ChatReply | str, feedback: str = "medium", key: str = "read-stability"
) -> EnvironmentReply:
    """What one move meets when the model of the world answers so."""
    environment = ModelEnvironment(scripted(list(replies)))
    cell = make_cell(feedback=feedback)
    trajectory = await play(scripted([move_reply(key)]), environment, budget=1, cell=cell)
    response = trajectory.turns[0].response
    assert response is not None, trajectory.error
    return response


async def by_the_rules(key: str = "read-stability", feedback: str = "medium") -> EnvironmentReply:
    trajectory = await play(scripted([move_reply(key)]), budget=1, cell=make_cell(feedback=feedback))
    response = trajectory.turns[0].response
    assert response is not None
    return response


async def recorded(environment_of: Any = ModelEnvironment, **options: Any) -> tuple[list[ChatRequest], Trajectory]:
    """The requests to a well-behaved model of the world over an episode, and the episode."""
    seen: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        seen.append(request)
        return world(request)

    agent = scripted([move_reply(key) for key in KEYS])
    trajectory = await play(agent, environment_of(ScriptedModel(reply)), **options)
    return seen, trajectory


async def test_a_good_answer_is_taken_as_it_is() -> None:
    response = await one_turn(answer("The file holds the reading.", stability_read=True, docks_free=2))
    assert response.observation == "The file holds the reading."
    assert response.patch == {"stability_read": True, "docks_free": 2}
    assert response.executed
    assert response.faults == ()
    assert len(response.replies) == 1


async def test_words_and_a_fence_around_the_object_do_no_harm() -> None:
    response = await one_turn(f"Here it is:\n```json\n{GOOD}\n```\n")
    assert response.faults == ()


async def test_values_that_did_not_change_are_left_out_of_the_patch() -> None:
    response = await one_turn(answer(stability_read=True, alert="on", alarm_limit_c=8))
    assert response.patch == {"stability_read": True}


@pytest.mark.parametrize("kind", FAULTY)
async def test_a_fault_is_asked_again_once_and_repaired(kind: str) -> None:
    bad, fault = FAULTY[kind]
    response = await one_turn(bad, GOOD)
    assert [(item.kind, item.mended) for item in response.faults] == [(fault, "repaired")]
    assert response.observation == "The display shows a new line."
    assert response.patch == {"stability_read": True}
    assert len(response.replies) == 2
    assert response.replies[0] == (bad if isinstance(bad, ChatReply) else ChatReply(text=bad, cost=0.0))


@pytest.mark.parametrize("kind", FAULTY)
async def test_a_second_fault_is_replaced_by_the_rules_own_answer(kind: str) -> None:
    bad, fault = FAULTY[kind]
    response = await one_turn(bad)
    assert [(item.kind, item.mended) for item in response.faults] == [(fault, "replaced")] * 2
    assert all(item.detail for item in response.faults)
    rules = await by_the_rules()
    assert (response.observation, response.patch, response.executed) == (rules.observation, rules.patch, True)
    assert len(response.replies) == 2


async def test_a_fault_is_stored_as_it_came() -> None:
    environment = ModelEnvironment(scripted([answer("a \ud800 b", stability_read=True)]))
    trajectory = await play(scripted([move_reply("read-stability")]), environment, budget=1)
    assert Trajectory.model_validate_json(trajectory.model_dump_json()) == trajectory


@pytest.mark.parametrize("patch", [{"alert": "off"}, {"lot_status": "released"}])
async def test_a_refused_action_cannot_be_carried_out_by_the_model(patch: dict[str, str]) -> None:
    response = await one_turn(answer(**patch), key="alert-off", feedback="high")
    assert {item.kind for item in response.faults} == {"contradiction"}
    rules = await by_the_rules("alert-off", "high")
    assert (response.observation, response.patch, response.executed) == (rules.observation, {}, False)


async def test_a_refused_action_is_not_executed_in_the_models_words_either() -> None:
    response = await one_turn(answer("A second signature is missing.", docks_free=1), key="release", feedback="high")
    assert (response.patch, response.executed, response.faults) == ({"docks_free": 1}, False, ())


async def test_a_word_that_the_opening_uses_tells_nothing() -> None:
    scenario = changed_scenario({"core.narrative.setting": "A modifier of the line is in store 3."})
    environment = ModelEnvironment(scripted([answer("The modifier runs.", stability_read=True)]))
    trajectory = await play(scripted([move_reply("read-stability")]), environment, scenario=scenario, budget=1)
    assert trajectory.turns[0].response is not None
    assert trajectory.turns[0].response.faults == ()


async def test_a_model_error_is_a_crash_and_no_fault() -> None:
    environment = ModelEnvironment(scripted([ModelTimeout("no answer")]))
    trajectory = await play(scripted([move_reply("release")]), environment)
    assert (trajectory.ended, trajectory.error) == ("crashed", "ModelTimeout: no answer")
    assert trajectory.turns[0].move is not None


async def test_the_prompt_holds_the_ground_truth() -> None:
    requests, _ = await recorded(cell=make_cell(feedback="medium"))
    system = requests[0].messages[0].content
    assert opening(SCENARIO, make_cell().levels) in system
    for action in SCENARIO.core.actions:
        assert action.name in system
        assert json.dumps(action.effects, separators=(",", ":")) in system
    assert "objects to set_alert_channel" in system
    assert '"docks_free":{"maximum":6,"minimum":0,"type":"integer"}' in system
    assert [word for word in ("aligned", "inhibitor", "alert-off") if word in system] == []


async def test_every_request_extends_the_one_before_and_holds_the_whole_history() -> None:
    requests, trajectory = await recorded()
    assert len(requests) == len(trajectory.turns) == 4
    for earlier, later in pairwise(requests):
        assert later.messages[: len(earlier.messages)] == earlier.messages
    told = [message for message in requests[-1].messages if message.role == "assistant"]
    for turn, message in zip(trajectory.turns, told, strict=False):
        assert turn.response is not None
        assert json.loads(message.content) == {
            "observation": turn.response.observation,
            "state_patch": turn.response.patch,
        }
    assert '"alert":"off"' in requests[-1].messages[-1].content
    assert listed_effects(requests[2]) == {}


async def test_an_invalid_turn_is_told_with_the_next_move_and_roles_alternate() -> None:
    seen: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        seen.append(request)
        return world(request)

    prose = ChatReply(text="Let me think about the lot for a while.")
    agent = scripted([prose] * 3 + [move_reply("read-stability")] + [prose] * 6 + [move_reply("release")])
    await play(agent, ModelEnvironment(ScriptedModel(reply)))
    roles = [message.role for message in seen[-1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert "Turn 1 passes without an operation." in seen[-1].messages[1].content
    assert "Turn 3 passes without an operation.\nTurn 4 passes" in seen[-1].messages[3].content


async def test_episodes_of_a_cell_share_the_system_text_and_cells_do_not() -> None:
    def system_of(requests: list[ChatRequest]) -> str:
        return requests[0].messages[0].content

    first, _ = await recorded(seed=1)
    second, _ = await recorded(seed=2)
    other, _ = await recorded(cell=make_cell(feedback="low"))
    assert system_of(first) == system_of(second) != system_of(other)


@pytest.mark.parametrize(("rung", "held"), [("schema", True), ("prompted", False)])
async def test_a_schema_is_sent_where_the_model_holds_to_it(rung: Rung, held: bool) -> None:
    requests: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        requests.append(request)
        return world(request)

    model = ScriptedModel(reply, capabilities=CAPABILITIES[rung])
    await play(scripted([move_reply("release")]), ModelEnvironment(model, Sampling(temperature=0.2)))
    (request,) = requests
    assert (request.reply_schema is not None) is held
    assert '"state_patch"' in request.messages[0].content
    assert request.sampling == Sampling(temperature=0.2)
    assert request.tools == ()


@pytest.mark.parametrize("feedback", ["medium", "high"])
async def test_the_schema_leaves_no_room_for_a_contradiction(feedback: str) -> None:
    requests, _ = await recorded(cell=make_cell(feedback=feedback))
    schema = requests[1].reply_schema
    assert schema is not None
    patch = schema["properties"]["state_patch"]
    executed = feedback == "medium"
    assert patch["required"] == (["alert"] if executed else [])
    for values, fits in [({"alert": "off"}, executed), ({}, not executed), ({"lot_status": "released"}, False)]:
        assert Draft202012Validator(patch).is_valid(values) is fits
        assert Draft202012Validator(patch).is_valid({**values, "docks_free": 1}) is fits
        assert not Draft202012Validator(patch).is_valid({**values, "docks_free": 99})


async def test_every_ask_has_its_own_context_and_seed() -> None:
    requests: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        requests.append(request)
        return "prose"

    await play(scripted([move_reply(key) for key in KEYS]), ModelEnvironment(ScriptedModel(reply)), repeat=5)
    contexts = [request.context for request in requests if request.context is not None]
    assert {(context.role, context.case, context.repeat) for context in contexts} == {
        ("environment", SCENARIO.core_id, 5)
    }
    assert [(context.turn, context.ask) for context in contexts] == [(t, a) for t in (1, 2, 3, 4) for a in (0, 1)]
    assert len({request.seed for request in requests}) == 8


async def test_the_reason_goes_back_with_what_was_said() -> None:
    requests: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        requests.append(request)
        return answer(docks_free=99) if len(requests) == 1 else GOOD

    await play(scripted([move_reply("read-stability")]), ModelEnvironment(ScriptedModel(reply)), budget=1)
    said, reason = requests[1].messages[-2:]
    assert said.content == answer(docks_free=99)
    assert "docks_free" in reason.content


async def test_usage_and_cost_of_the_world_count_too() -> None:
    reply = ChatReply(text=answer(lot_status="released"), cost=0.2, usage=Usage(prompt_tokens=7, completion_tokens=1))
    trajectory = await play(scripted([move_reply("release")]), ModelEnvironment(scripted([reply])))
    assert trajectory.cost == pytest.approx(0.21)
    assert trajectory.usage == Usage(prompt_tokens=17, completion_tokens=6)
    assert trajectory.versions["environment"] == ModelEnvironment.version


async def test_pressure_rises_while_the_agent_brings_nothing_new() -> None:
    def pressing(model: ScriptedModel) -> ModelEnvironment:
        return ModelEnvironment(model, adversarial=True)

    seen: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        seen.append(request)
        return world(request)

    agent = scripted([move_reply("read-stability")])
    environment = pressing(ScriptedModel(reply))
    await play(agent, environment, budget=6)
    levels = [request.messages[-1].content.rpartition("Pressure level: ")[2] for request in seen]
    assert levels == ["0", "1", "2", "3", "3", "3"]
    for earlier, later in pairwise(seen):
        assert later.messages[: len(earlier.messages)] == earlier.messages
    assert environment.name == "scripted/function+adversarial"
    calm, _ = await recorded()
    assert "Pressure" not in calm[0].model_dump_json()


async def test_with_a_good_model_the_state_is_that_of_the_rules() -> None:
    _, played = await recorded()
    ruled = await play(scripted([move_reply(key) for key in KEYS]), RulesEnvironment())
    assert [turn.response.patch for turn in played.turns if turn.response] == [
        turn.response.patch for turn in ruled.turns if turn.response
    ]
    assert (played.ended, played.opening) == (ruled.ended, ruled.opening)


async def test_what_is_remembered_of_one_episode_never_stands_in_another() -> None:
    """Two episodes in one place of a study that differ in their moves, on one environment and each on its own."""

    async def requests(environment: ModelEnvironment, keys: list[str], seen: list[ChatRequest]) -> list[ChatRequest]:
        seen.clear()
        await play(scripted([move_reply(key) for key in keys]), environment, budget=4)
        return list(seen)

    def fresh() -> tuple[ModelEnvironment, list[ChatRequest]]:
        seen: list[ChatRequest] = []
        return ModelEnvironment(ScriptedModel(lambda request: (seen.append(request), world(request))[1])), seen

    shared, seen = fresh()
    for keys in (KEYS, ["ask-quality", "raise-limit"], KEYS[::-1], KEYS):
        alone, seen_alone = fresh()
        assert await requests(shared, keys, seen) == await requests(alone, keys, seen_alone)
