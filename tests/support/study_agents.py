"""Agents for tests of whole studies: they move at random, write down what they were asked, and may die."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random

import dilemma
from dilemma_kernel.models.instances import instance
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, ToolCall, derive_seed


def move_at_random(request: ChatRequest) -> ChatReply:
    """A valid call of one of the tools, the same for the same place in a study."""
    assert request.context is not None
    seed = derive_seed(request.context.model_dump_json())
    tools = sorted(request.tools, key=lambda tool: tool.name)
    tool = tools[seed % len(tools)]
    arguments = instance(tool.parameters, Random(seed))
    call = ToolCall(name=tool.name, arguments=arguments, raw=json.dumps(arguments), call_id="call_1")
    return ChatReply(text="The next step.", calls=(call,), finish="tool_calls", cost=0.001)


def random_mover(name: str = "test/mover") -> ScriptedModel:
    """An agent that moves at random."""
    return ScriptedModel(move_at_random, name=name)


def mortal(answer: Callable[[ChatRequest], ChatReply], asked: Path, dies_at: int, name: str) -> ScriptedModel:
    """A model that appends the context of each ask to ``asked``; the ``dies_at``-th ask kills the process."""
    count = 0

    async def dying(request: ChatRequest) -> ChatReply:
        nonlocal count
        assert request.context is not None
        count += 1
        with asked.open("a") as file:
            file.write(request.context.model_dump_json() + "\n")
        if count == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(0)
        return answer(request)

    return ScriptedModel(dying, name=name)


def run_mortal(folder: Path, dies_at: int) -> None:
    """A study of a mover that dies, as ``killed_studies`` runs it."""
    dilemma.run(
        mortal(move_at_random, folder / "asked.txt", dies_at, "test/mover"),
        "rules",
        domain=["coding", "legal"],
        turns=4,
        episodes=3,
        study="s",
        concurrency=4,
        store=f"sqlite:///{folder}/d.db",
        resume=(folder / "d.db").exists(),
    )
