"""Messages of an Inspect log are those that were sent: system, user, calls and results, of both instruments."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_peer import read_logs
from transfer_study_models import caller

import dilemma
from dilemma.studies.exporting import export_study, import_folder
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest, Message, ToolCall
from trajectories import open_store


def mover(*, tools: bool) -> ScriptedModel:
    """Talks first, then takes what is offered first; its third turn is lost. Without tools it only talks."""

    def answer(request: ChatRequest) -> ChatReply:
        assert request.context is not None
        if request.context.turn == 3 or request.context.ask == 0 or not tools:
            return ChatReply(text=f"Let me think about turn {request.context.turn}.")
        arguments = {name: _fitting(one) for name, one in request.tools[0].parameters["properties"].items()}
        call = ToolCall(name=request.tools[0].name, arguments=arguments, raw=json.dumps(arguments))
        return ChatReply(text="I act.", calls=(call,), finish="tool_calls")

    return ScriptedModel(answer, name=f"test/mover-{tools}", capabilities=Capabilities(tools=tools, schema="prompted"))


def _fitting(schema: Any) -> Any:
    return (
        schema["enum"][0] if "enum" in schema else {"string": "x", "integer": schema.get("minimum", 1)}[schema["type"]]
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('sent')}/d.db"

    async def fill() -> None:
        for tools in (True, False):
            await dilemma.simulate(
                mover(tools=tools),
                environment="rules",
                domain="finance",
                episodes=1,
                turns=4,
                store=url,
                study=f"moves-{tools}",
            )
        for native in (True, False):
            model = caller(f"test/caller-{native}")
            model.capabilities = Capabilities(tools=native)
            await transfer(model, sample=2, systems=["neutral", "tool-encouraging"], store=url, study=f"arms-{native}")

    asyncio.run(fill())
    return url


STUDIES = ("moves-True", "moves-False", "arms-True", "arms-False")


def logs(folder: Path) -> Iterator[Any]:
    return (json.loads(path.read_text("utf-8"), parse_constant=str) for path in sorted(folder.glob("*.json")))


def sent(url: str, study: str) -> dict[tuple[str, str, int], tuple[Message, ...]]:
    """(case, cell, repeat) -> the messages of the last request to the agent: all that was sent before."""

    async def read() -> dict[tuple[str, str, int], tuple[Message, ...]]:
        found = {}
        async with open_store(url, read_only=True) as opened:
            calls = [call async for call in opened.calls(study) if call.request.context.role == "agent"]
        for call in sorted(calls, key=lambda one: (one.request.context.turn, one.request.context.ask)):
            place = call.request.context
            found[place.case, place.cell, place.repeat] = call.request.messages
        return found

    return asyncio.run(read())


def check(found: dict[tuple[str, str, int], tuple[Message, ...]], log: Any) -> int:
    """Each sample's messages against what was sent; how many of them were."""
    number = 0
    for sample in log["samples"]:
        place = sample["metadata"]["case"], log["eval"]["metadata"]["cell"], sample["epoch"] - 1
        messages = found[place]
        for message, shown in zip(messages, sample["messages"], strict=False):
            assert message.role == shown["role"]
            if message.role != "assistant":
                assert message.content == shown["content"]
            calls = [(call["function"], call["arguments"]) for call in shown.get("tool_calls") or ()]
            assert calls == [(call.name, call.arguments) for call in message.calls]
            number += 1
        after = sample["messages"][len(messages) :]
        assert [one["role"] for one in after][:1] == ["assistant"]
        assert len(after) <= 2, "the last reply, and what it met"
    return number


@pytest.mark.parametrize("study", STUDIES)
def test_messages_are_those_that_were_sent(store: str, tmp_path: Path, study: str) -> None:
    found = sent(store, study)
    out = export_study(study, store, "inspect", tmp_path / "logs")
    assert sum(check(found, log) for log in logs(out)) == sum(map(len, found.values()))
    texts = [m["content"] for log in logs(out) for s in log["samples"] for m in s["messages"] if m["role"] == "user"]
    lost = [text for text in texts if isinstance(text, str) and text.startswith("No action was taken")]
    assert bool(lost) == study.startswith("moves")


@pytest.mark.parametrize("study", ["moves-True", "arms-True", "arms-False"])
def test_a_study_that_came_in_has_the_same_logs(store: str, tmp_path: Path, study: str) -> None:
    """It has no calls: the system text is made again from the scenario, or from the suite."""
    other = f"sqlite:///{tmp_path}/other.db"
    import_folder(export_study(study, store, "jsonl", tmp_path / "out"), other)
    first = logs(export_study(study, store, "inspect", tmp_path / "first"))
    second = logs(export_study(study, other, "inspect", tmp_path / "second"))
    assert list(first) == list(second)


def test_a_suite_that_is_not_here_is_said(store: str, tmp_path: Path) -> None:
    out = export_study("arms-True", store, "jsonl", tmp_path / "out")
    settings = json.loads((out / "study.json").read_text("utf-8"))
    (out / "README.md").unlink()
    (out / "study.json").write_text(json.dumps({**settings, "pack_hash": "another"}), encoding="utf-8")
    other = f"sqlite:///{tmp_path}/other.db"
    import_folder(out, other)
    for log in logs(export_study("arms-True", other, "inspect", tmp_path / "logs")):
        for sample in log["samples"]:
            assert sample["metadata"]["system_text"] == "not known"
            assert sample["messages"][0]["role"] == "user"


def test_patterns_are_taken_out_of_the_system_text_too(store: str, tmp_path: Path) -> None:
    for study in ("moves-True", "arms-True"):
        out = export_study(study, store, "inspect", tmp_path / study, redact=["(?i)you are"])
        assert not any("you are" in path.read_text("utf-8").lower() for path in out.glob("*.json"))


@pytest.mark.slow
def test_inspect_reads_the_same(store: str, tmp_path: Path) -> None:
    """By ``inspect_ai.log.read_eval_log`` in a process of its own."""
    for study in STUDIES:
        seen = read_logs(export_study(study, store, "inspect", tmp_path / study))
        found = sent(store, study)
        assert sum(check(found, log) for log in seen) == sum(map(len, found.values()))
