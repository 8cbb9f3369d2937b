"""A small study with a bit of everything, for tests of pages and exports: made by hand, stored in a moment."""

from collections.abc import Sequence
from pathlib import Path

from scenarios import make_scenario, scenario_data

from dilemma_kernel.records import (
    BASELINE,
    Ask,
    Cell,
    ChatReply,
    Crashed,
    Ended,
    EnvironmentReply,
    Fault,
    Judgement,
    Label,
    Measured,
    Move,
    Outcome,
    Scenario,
    StudyRecord,
    ToolCall,
    Trajectory,
    Turn,
    Unmeasured,
    Usage,
    content_hash,
)
from trajectories import open_store

STUDY = "small"
CELLS = tuple(Cell(agent="test/agent", environment="rules", levels={**BASELINE, "stakes": s}) for s in ("high", "low"))
LABELS: tuple[Label | None, ...] = ("strategic", "direct", "robust", "robust", "stalling", None)
"""Of the repeats at high stakes; None declines. At low stakes every episode is robust, and one crashed."""
JUDGE = "test/judge"
ENDS: dict[Label | None, Ended] = {
    "strategic": "misaligned",
    "direct": "misaligned",
    "robust": "aligned",
    None: "declined",
}
USED = Usage(prompt_tokens=10, completion_tokens=2)


def scenarios() -> list[Scenario]:
    """Three cores that differ in a word."""
    made = []
    for number in range(3):
        narrative = {**scenario_data()["core"]["narrative"], "setting": f"Cold store {number}."}
        made.append(make_scenario(name=f"cold-chain-{number}", narrative=narrative))
    return made


def record(name: str = STUDY) -> StudyRecord:
    return StudyRecord(
        name=name,
        cells=CELLS,
        scenarios={one.name: one.scenario_id for one in scenarios()},
        pack="starter",
        pack_hash="p" * 16,
        turns=3,
        episodes=len(LABELS),
        seed=4,
        versions={"rules": "1"},
    )


def label_of(cell: Cell, repeat: int) -> Label | None:
    return LABELS[repeat] if cell.levels["stakes"] == "high" else "robust"


def trajectories(name: str = STUDY) -> list[Trajectory]:
    return [
        _trajectory(name, one, cell, repeat) for one in scenarios() for cell in CELLS for repeat in range(len(LABELS))
    ]


def judgements(one: Trajectory) -> list[Judgement]:
    """The rules' two labels, and a judge that takes every direct one for strategic."""
    label = label_of(one.cell, one.repeat)
    outcome: Outcome = Measured(value=label) if label else Unmeasured(why="declined")
    if one.ended == "crashed":
        outcome = Crashed(error=one.error or "")
    seen = "strategic" if label == "direct" else label or "robust"
    cites = (1,) if label in {"strategic", "direct"} else ()
    common = {"subject": one.episode_id, "version": "1"}
    return [
        Judgement(vocabulary="label", maker="rules", outcome=outcome, cites=cites, **common),
        Judgement(vocabulary="executed_label", maker="rules", outcome=outcome, **common),
        Judgement(vocabulary="label", maker=JUDGE, outcome=Measured(value=seen), note="It says so.", **common),
    ]


async def fill_small(path: Path | str, name: str = STUDY) -> None:
    """Put the study into a store, which is made where it is missing."""
    async with open_store(str(path)) as store:
        await store.save_study(record(name), scenarios())
        for one in trajectories(name):
            await store.save(one, judgements(one))


def _trajectory(name: str, scenario: Scenario, cell: Cell, repeat: int) -> Trajectory:
    label = label_of(cell, repeat)
    is_crashed = cell is CELLS[1] and repeat == 0 and scenario.name.endswith("-0")
    ended = {"strategic": "misaligned", "direct": "misaligned", "robust": "aligned", None: "declined"}.get(
        label, "budget"
    )
    return Trajectory(
        episode_id=content_hash([name, cell.key, scenario.core_id, repeat]),
        study=name,
        case=scenario.core_id,
        scenario=scenario.name,
        scenario_id=scenario.scenario_id,
        domain=scenario.core.domain,
        cell=cell,
        repeat=repeat,
        seed=repeat,
        budget=3,
        opening=f"Good morning from {scenario.name}.",
        order=tuple(action.key for action in scenario.core.actions),
        initial_state=scenario.core.initial_state,
        turns=() if is_crashed else tuple(_turns(scenario, label)),
        ended="crashed" if is_crashed else ended,
        truncated=ended == "budget" and not is_crashed,
        error="the connection was cut" if is_crashed else None,
        usage=Usage(prompt_tokens=30, completion_tokens=6),
        cost=0.25,
        versions={"rules": "1"},
    )


def _turns(scenario: Scenario, label: Label | None) -> Sequence[Turn]:
    """A helper's turn with a re-ask, and an invalid one."""
    action = scenario.core.actions[0]
    call = ToolCall(name=action.name, arguments={"lot": "QV-2281"}, raw='{"lot":"QV-2281"}')
    spoken = Ask(reply=ChatReply(text="Let me think.", usage=USED), problem="prose")
    called = Ask(
        reply=ChatReply(
            text="I read first.",
            calls=(call,),
            finish="tool_calls",
            reasoning=f"I am to be {label}.",
            usage=USED,
        )
    )
    faults = (Fault(kind="empty", detail="it said nothing", mended="repaired"),) if label == "stalling" else ()
    response = EnvironmentReply(observation=action.result, patch=action.effects, faults=faults)
    lost = Ask(reply=ChatReply(text="Hm.", usage=USED), problem="no call")
    move = Move(action=action.key, parameters={"lot": "QV-2281"}, reasoning="Facts first.", rung="tools")
    return (
        Turn(index=1, asks=(spoken, called), move=move, response=response),
        Turn(index=2, asks=(lost,), move=None, response=None),
    )
