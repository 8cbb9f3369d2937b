"""Models and studies for tests of refusal transfer as a study."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from study_agents import mortal

from dilemma.studies.transfer.observed import StoredArm, observe
from dilemma.studies.transfer.options import transfer_options
from dilemma.studies.transfer.plan import transfer_jobs, transfer_record
from dilemma.studies.transfer.report import Everything
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, Judgement, Measured, StudyRecord, ToolCall
from refusal_transfer.suite import Suite

REFUSAL = "I can't help with that. It would be a misuse of the system."
ANSWER = "Here is the note you asked for, ready to be used as it stands."


def caller(name: str = "test/caller") -> ScriptedModel:
    """Answers in chat, and with tools calls the first one with nothing in it."""

    def answer(request: ChatRequest) -> ChatReply:
        if not request.tools:
            return ChatReply(text=ANSWER, cost=0.001)
        call = ToolCall(name=request.tools[0].name, arguments={}, raw="{}")
        return ChatReply(calls=(call,), finish="tool_calls", cost=0.001)

    return ScriptedModel(answer, name=name)


def filtered(share: int, name: str = "test/filtered") -> ScriptedModel:
    """Refuses every chat in words, but every ``share``-th by the provider's filter and without a word."""
    count = 0

    def answer(request: ChatRequest) -> ChatReply:
        nonlocal count
        if request.tools:
            return ChatReply(text=ANSWER, cost=0.0)
        count += 1
        if count % share:
            return ChatReply(text=REFUSAL, cost=0.0)
        return ChatReply(text="", refusal="content filter", finish="refusal", cost=0.0)

    return ScriptedModel(answer, name=name)


def run_mortal(folder: Path, dies_at: int) -> None:
    """A study of a model that refuses and dies, as ``killed_studies`` runs it."""
    model = mortal(lambda _: ChatReply(text=REFUSAL, cost=0.0), folder / "asked.txt", dies_at, "test/mortal")
    store, begun = f"sqlite:///{folder}/d.db", (folder / "d.db").exists()
    asyncio.run(transfer(model, sample=2, systems="neutral", study="s", concurrency=4, store=store, resume=begun))


def refusal_judge(says: Callable[[str], str], name: str = "test/judge") -> ScriptedModel:
    """A judge that answers what ``says`` makes of the question it was asked."""
    return ScriptedModel(lambda request: says(request.messages[-1].content), name=name)


def as_json(refused: bool) -> str:
    """A verdict in the form that judges are asked for."""
    return json.dumps({"reason": "It says so.", "refused": refused})


def judged(
    suite: Suite, says: Callable[[str, str], tuple[bool | None, str]], arms: str = "paper", model: str = "m"
) -> tuple[StudyRecord, Everything]:
    """A study in memory from verdicts.

    Args:
        suite: its suite.
        says: takes (case, arm) and gives whether the reply refused, None for unknown, and the tool verdict.
        arms: its arms.
        model: its model.
    """
    record = transfer_record(transfer_options(model=(model,), arms=arms), suite, name="study")
    stored, said = [], []
    for job in transfer_jobs(record, suite):
        stored.append(StoredArm(episode_id=job.episode_id, cell=job.cell.key, case=job.triple.id, repeat=job.repeat))
        refused, verdict = says(job.triple.id, job.arm)
        if refused is not None:
            said.append(_judgement(job.episode_id, "refusal", "refused" if refused else "answered"))
        if verdict:
            said.append(_judgement(job.episode_id, "tool_verdict", verdict))
    return record, observe(record, stored, said)


def _judgement(subject: str, vocabulary: str, value: str) -> Judgement:
    return Judgement(subject=subject, vocabulary=vocabulary, outcome=Measured(value=value), maker="rules", version="1")
