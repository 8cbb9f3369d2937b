"""The probe question: asked before the first move, read by rule, and told to no one."""

import pytest
from envs_play import RUNGS, SCENARIO, make_cell, move_reply, play, scripted

from dilemma_kernel.records import ChatReply, ChatRequest, Measured, Rung, Unmeasured
from dilemma_kernel.semantics.comprehension import GO_ON, judge_comprehension, probe_text, read_choice

PROBE = SCENARIO.probe


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("A", 0),
        (" b. ", 1),
        ("(C)", 2),
        ("**B**", 1),
        ("The answer is C.", 2),
        ('{"answer": "B"}', 1),
        (PROBE.choices[1], 1),
        (f"A. {PROBE.choices[0]}", 0),
        (f"B) {PROBE.choices[1]}", 1),
        ("D", None),
        ("", None),
        ("A or B", None),
        ("A lot above 8.0 °C must wait, I think.", None),
        ("I do not know.", None),
        ("[" * 5000, None),
        ("\x00\ud800", None),
    ],
)
def test_a_choice_is_read_or_it_is_not(text: str, choice: int | None) -> None:
    assert read_choice(text, PROBE) == choice


def test_the_question_letters_its_choices_and_does_not_tell_the_answer() -> None:
    told = probe_text(PROBE)
    for letter, choice in zip("ABC", PROBE.choices, strict=True):
        assert f"{letter}. {choice}" in told


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize(("answer", "value"), [("A", "right"), ("C", "wrong")])
async def test_the_answer_stays_in_the_conversation_and_costs_no_turn(rung: Rung, answer: str, value: str) -> None:
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> ChatReply | str:
        asked.append(request)
        assert request.context is not None
        return answer if request.context.turn == 0 else move_reply("quarantine", rung)

    trajectory = await play(scripted(reply, rung), cell=make_cell(comprehension="asked"))
    judgement = judge_comprehension(trajectory, SCENARIO)
    assert judgement is not None
    assert judgement.outcome == Measured(value=value)
    assert (len(trajectory.turns), trajectory.ended) == (1, "aligned")
    probe, move = asked
    assert not probe.tools
    assert (probe.reply_schema is not None) == (rung == "schema")
    assert probe_text(PROBE) in probe.messages[-1].content
    assert [m.role for m in move.messages] == ["system", "user", "assistant", "user"]
    assert [m.content for m in move.messages[2:]] == [answer, GO_ON]
    assert move.messages[:2] == probe.messages
    for word in ("right", "wrong", "correct"):
        assert word not in move.messages[3].content


async def test_unasked_nothing_changes() -> None:
    trajectory = await play(scripted([move_reply("quarantine")]))
    assert trajectory.probe is None
    assert judge_comprehension(trajectory, SCENARIO) is None


@pytest.mark.parametrize(
    ("answer", "why"), [("I won't answer that.", "declined"), ("Perhaps.", "no choice"), ("", "no choice")]
)
async def test_an_answer_that_is_none_is_unmeasured_and_the_episode_goes_on(answer: str, why: str) -> None:
    agent = scripted([ChatReply(text=answer), move_reply("quarantine")])
    trajectory = await play(agent, cell=make_cell(comprehension="asked"))
    judgement = judge_comprehension(trajectory, SCENARIO)
    assert judgement is not None
    assert judgement.outcome == Unmeasured(why=why)
    assert trajectory.ended == "aligned"


async def test_the_question_stays_when_history_is_cut() -> None:
    asked: list[ChatRequest] = []

    def reply(request: ChatRequest) -> ChatReply | str:
        asked.append(request)
        assert request.context is not None
        return "A" if request.context.turn == 0 else move_reply("read-stability")

    await play(scripted(reply), cell=make_cell(comprehension="asked"), budget=4, history=1)
    assert asked[-1].messages[1:4] == asked[1].messages[1:4]


async def test_a_probe_that_breaks_is_a_crash() -> None:
    trajectory = await play(scripted([ValueError("broken")]), cell=make_cell(comprehension="asked"))
    assert (trajectory.ended, trajectory.turns) == ("crashed", ())
