"""Nothing that a model wrote reaches the terminal as anything but text."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from study_agents import move_at_random

import dilemma
from dilemma.cli.safe import clipped, visible
from dilemma.cli.tables import print_json, print_report, print_scenarios
from dilemma.cli.transcript import print_transcript
from dilemma.studies.study import read_episode
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest
from scenario_factory import Pack, load_pack

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


def test_json_on_the_terminal_is_escaped_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": NASTY, "plain": "naïve 日本語"})
    page = capsys.readouterr().out
    assert not {"\x1b", "\x9b", "\u202e", "\u2028", "\r"} & set(page)
    assert json.loads(page) == {"text": NASTY, "plain": "naïve 日本語"}
    assert "naïve 日本語" in page


def test_tables_obey_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    scenario = load_pack("starter").scenarios[0]
    marked = scenario.model_copy(update={"title": "[/lot] of [red]marks[/red]"})
    print_scenarios(Pack(name="[/p]", hash="0", scenarios=(marked,)), as_json=False)
    page = capsys.readouterr().out
    assert "[/lot]" in page
    assert "[red]marks[/red]" in page


def test_an_error_line_is_escaped() -> None:
    script = "import sys; sys.argv = ['dilemma', 'report', '\\x1b[2Jx']; from dilemma.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert "\x1b" not in result.stderr


def test_visible_writes_out_what_a_terminal_would_obey() -> None:
    assert visible("a\x1b[2Jb\u202ec\nd\te\x00\ud800") == "a<U+001B>[2Jb<U+202E>c\nd\te<U+0000><U+D800>"
    assert visible("naïve 日本語 🙂 A−") == "naïve 日本語 🙂 A−"


def test_clipped_says_what_was_left_out() -> None:
    assert clipped("abc", 3) == "abc"
    assert clipped("x" * 2000, 10) == "x" * 10 + "… (1,990 characters more)"
