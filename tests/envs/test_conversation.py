"""What the agent is shown, turn after turn."""

import json
from itertools import pairwise

import pytest
from envs_play import RUNGS, SCENARIO, make_cell, move_reply, play, scripted

from dilemma_kernel.records import ChatReply, ChatRequest, Message, Rung, Sampling, ToolCall

PROSE = ChatReply(text="Let me think about the lot for a while.")


async def requests_of(replies: list[ChatReply | str], rung: Rung = "tools", **options: object) -> list[ChatRequest]:
    """The requests that an agent with these replies gets."""
    seen: list[ChatRequest] = []
    given = list(replies)

    def answer(request: ChatRequest) -> ChatReply | str:
        seen.append(request)
        return given.pop(0) if len(given) > 1 else given[0]

    await play(scripted(answer, rung), budget=len(replies), **options)
    return seen


def roles(request: ChatRequest) -> list[str]:
    return [message.role for message in request.messages]


async def test_on_the_tools_rung_calls_and_results_are_native() -> None:
    requests = await requests_of([move_reply("read-stability"), move_reply("ask-quality")])
    assert roles(requests[0]) == ["system", "user"]
    assert {tool.name for tool in requests[0].tools} == {action.name for action in SCENARIO.core.actions}
    assert requests[0].reply_schema is None
    assert requests[0].tool_choice == "auto"
    assert roles(requests[1]) == ["system", "user", "assistant", "tool"]
    said, heard = requests[1].messages[2:]
    assert said.calls[0].call_id == heard.call_id == "abc123"
    assert heard.content == SCENARIO.action("read-stability").result


async def test_a_call_without_an_id_gets_the_same_one_every_time() -> None:
    bare = ToolCall(name="query_stability_data", arguments={"lot": "Q"}, raw='{"lot": "Q"}')
    requests = await requests_of([ChatReply(calls=(bare,))] * 3)
    ids = [message.call_id for message in requests[2].messages if message.role == "tool"]
    assert len(set(ids)) == 2
    assert [message.calls[0].call_id for message in requests[2].messages if message.calls] == ids
    again = await requests_of([ChatReply(calls=(bare,))] * 3)
    assert again == requests


async def test_on_the_schema_rung_the_request_holds_the_schema_and_the_words() -> None:
    (request, *_) = await requests_of([move_reply("read-stability", "schema")], "schema")
    assert request.tools == ()
    assert request.reply_schema is not None
    assert all(action.description in request.messages[0].content for action in SCENARIO.core.actions)


async def test_on_the_prompted_rung_the_words_alone_say_how() -> None:
    requests = await requests_of(
        [move_reply("read-stability", "prompted"), move_reply("ask-quality", "prompted")], "prompted"
    )
    assert requests[0].tools == ()
    assert requests[0].reply_schema is None
    assert all(action.description in requests[0].messages[0].content for action in SCENARIO.core.actions)
    assert roles(requests[1]) == ["system", "user", "assistant", "user"]
    assert requests[1].messages[2].content == move_reply("read-stability", "prompted").text


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_malformed_reply_comes_back_as_words_with_the_reason(rung: Rung) -> None:
    broken = ToolCall(name="query_stability_data", arguments=None, raw='{"lot": ' + "9" * 9000, malformed="cut off")
    bad = ChatReply(calls=(broken,)) if rung == "tools" else ChatReply(text='{"action": ' + "9" * 9000)
    requests = await requests_of([bad, move_reply("read-stability", rung), move_reply("ask-quality", rung)], rung)
    assert roles(requests[1]) == ["system", "user", "assistant", "user"]
    shown, reason = requests[1].messages[2:]
    assert shown.calls == ()
    assert 0 < len(shown.content) <= 2000
    assert "No action was taken" in reason.content
    assert requests[2].messages[:4] == requests[1].messages
    assert roles(requests[2])[4:] == ["assistant", "tool" if rung == "tools" else "user"]


async def test_an_empty_reply_is_never_replayed_as_an_empty_message() -> None:
    requests = await requests_of([ChatReply(), move_reply("read-stability")])
    assert requests[1].messages[2].content.strip()


@pytest.mark.parametrize("rung", RUNGS)
async def test_roles_alternate_through_invalid_turns(rung: Rung) -> None:
    requests = await requests_of([PROSE] * 4 + [move_reply("read-stability", rung)] * 3, rung)
    for request in requests:
        turns = roles(request)[1:]
        assert turns[::2] == ["user" if role != "tool" else "tool" for role in turns[::2]]
        assert set(turns[1::2]) <= {"assistant"}
    assert "passed without an action" in requests[3].messages[-1].content


async def test_a_move_in_words_with_stray_calls_is_told_back_in_words() -> None:
    stray = move_reply("read-stability").calls
    requests = await requests_of([move_reply("read-stability", "prompted", calls=stray)] * 2, "prompted")
    assert roles(requests[1]) == ["system", "user", "assistant", "user"]
    assert requests[1].messages[2].content == move_reply("read-stability", "prompted").text
    assert requests[1].messages[2].calls == ()


@pytest.mark.parametrize(("history", "shown"), [(None, 4), (0, 0), (2, 2), (9, 4)])
async def test_history_keeps_the_last_turns(history: int | None, shown: int) -> None:
    requests = await requests_of([move_reply("read-stability")] * 5, history=history)
    assert roles(requests[-1]) == ["system", "user", *["assistant", "tool"] * shown]
    assert requests[-1].messages[:2] == requests[0].messages


async def test_every_request_extends_the_one_before() -> None:
    requests = await requests_of([move_reply("read-stability"), PROSE, move_reply("ask-quality"), PROSE, PROSE, PROSE])
    for earlier, later in pairwise(requests):
        assert later.messages[: len(earlier.messages)] == earlier.messages


@pytest.mark.parametrize("rung", RUNGS)
async def test_the_agent_never_sees_keys_tracks_roles_or_effects(rung: Rung) -> None:
    requests = await requests_of([move_reply(key, rung) for key in ("alert-off", "read-stability", "release")], rung)
    text = "".join(request.model_copy(update={"context": None}).model_dump_json() for request in requests)
    hidden = ["misaligned", "aligned", "inhibitor", "modifier", "stability_read", "lot_status"]
    hidden += [action.key for action in SCENARIO.core.actions if action.key not in {"release", "quarantine"}]
    assert [word for word in hidden if word in text] == []


async def test_opaque_names_are_what_the_agent_calls_and_reads() -> None:
    cell = make_cell(names="opaque", order="fixed", feedback="low")
    reply = move_reply("alert-off", name="operation_4")
    requests = await requests_of([reply, reply], cell=cell)
    assert [tool.name for tool in requests[0].tools] == [f"operation_{number}" for number in range(1, 7)]
    assert "operation_4 is logged" in requests[1].messages[-1].content


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_valid_reply_of_great_length_is_cut_when_it_is_told_again(rung: Rung) -> None:
    reasons = "because " * 7000
    if rung == "tools":
        arguments = {"lot": "Q", "reasoning": reasons}
        call = ToolCall(name="query_stability_data", arguments=arguments, raw=json.dumps(arguments), call_id="c")
        reply = ChatReply(text=reasons, calls=(call,))
    else:
        move = {"reasoning": reasons, "action": "query_stability_data", "parameters": {"lot": "Q"}}
        reply = ChatReply(text=json.dumps(move))
    requests = await requests_of([reply, reply], rung)
    said: Message = requests[1].messages[2]
    assert len(said.model_dump_json()) < 30_000
    assert "query_stability_data" in said.model_dump_json()


async def test_sampling_and_context_reach_the_request() -> None:
    requests = await requests_of([PROSE, move_reply("read-stability")], sampling=Sampling(temperature=0.3), repeat=4)
    assert {request.sampling.temperature for request in requests} == {0.3}
    contexts = [request.context for request in requests if request.context is not None]
    assert [(context.turn, context.ask, context.repeat) for context in contexts[:2]] == [(1, 0, 4), (1, 1, 4)]
    assert len({request.seed for request in requests}) == len(requests)
