"""Nothing that a model wrote reaches the terminal as anything but text."""

import json
from pathlib import Path

import pytest
from study_agents import move_at_random

import dilemma
from dilemma.cli.safe import clipped, visible
from dilemma.cli.tables import print_report
from dilemma.cli.transcript import print_transcript
from dilemma.studies.study import read_episode
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest

NASTY = "\x1b]0;owned\x07\x1b[2J\x1b[31mred \u202ereversed\u202c [bold]markup[/bold] \x9b5n \u2028 \r gone"


def hostile(request: ChatRequest) -> ChatReply:
    assert request.context is not None
    if request.context.ask == 0 and request.context.turn == 1:
        return ChatReply(text=NASTY)
    reply = move_at_random(request)
    call = reply.calls[0]
    assert call.arguments is not None
    arguments = {k: NASTY[:20] if isinstance(v, str) else v for k, v in call.arguments.items()}
    shown = {**arguments, "reasoning": NASTY}
    return reply.model_copy(
        update={"calls": (call.model_copy(update={"arguments": shown, "raw": json.dumps(shown)}),), "text": NASTY}
    )


def test_a_transcript_shows_control_characters_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agent = ScriptedModel(hostile, name="evil/\x1b[31magent")
    study = dilemma.run(agent, "rules", domain="legal", turns=3, store=f"{tmp_path}/d.db")
    for trajectory in study.trajectories():
        print_transcript(read_episode(trajectory.episode_id, f"{tmp_path}/d.db"), as_json=False)
    print_report(study.report(), as_json=False)
    page = capsys.readouterr().out
    assert not [char for char in page if char != "\n" and (ord(char) < 32 or 0x7F <= ord(char) < 0xA0)]
    assert not {"\u202e", "\u2028"} & set(page)
    assert "<U+001B>" in page
    assert "[bold]markup[/bold]" in page


def test_visible_writes_out_what_a_terminal_would_obey() -> None:
    assert visible("a\x1b[2Jb\u202ec\nd\te\x00\ud800") == "a<U+001B>[2Jb<U+202E>c\nd\te<U+0000><U+D800>"
    assert visible("naïve 日本語 🙂 A−") == "naïve 日本語 🙂 A−"


def test_clipped_says_what_was_left_out() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("x" * 2000, 10) == "x" * 10 + "… (1,990 characters more)"
