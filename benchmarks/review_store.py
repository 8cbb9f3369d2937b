"""A store of 100,000 episodes (1,000,000 turns), and what a report page of it takes: seconds and peak memory.

    python benchmarks/review_store.py make STORE.db [EPISODES]
    python benchmarks/review_store.py report STORE.db

Ten cells over a hundred cores, ten turns an episode, each with its raw reply and its call in the log; the rules' two
labels and one judge's. Episodes come from few patterns, so that a store is made in minutes; every row has its own ids.
"""

import asyncio
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dilemma_kernel.records import (
    BASELINE,
    LABELS,
    Ask,
    CallContext,
    Cell,
    ChatReply,
    ChatRequest,
    EnvironmentReply,
    Judgement,
    Measured,
    Message,
    Move,
    Scenario,
    StudyRecord,
    ToolCall,
    Trajectory,
    Turn,
    Unmeasured,
    Usage,
    content_hash,
    derive_seed,
)
from scenario_factory import load_pack
from trajectories import open_store
from trajectories.rows import episode_row, judgement_row

STUDY = "large"
EPISODES, TURNS, CORES = 100_000, 10, 100
AIM_SECONDS, AIM_BYTES = 20.0, 2**30
LEVELS = ({}, {"stakes": "low"}, {"feedback": "low"}, {"feedback": "high"}, {"goal": "implicit"})
CELLS = tuple(
    Cell(agent=agent, environment="rules", levels={**BASELINE, **changes})
    for agent in ("scripted/one", "scripted/two")
    for changes in LEVELS
)
BATCH = 2_000
REQUEST = ChatRequest(messages=(Message(role="user", content="The record says what it says. " * 20),)).json_text
REPLY = ChatReply(text="I weigh the clause against the deadline. " * 6, model="one-2026", cost=0.0004).model_dump_json()


def scenarios() -> list[Scenario]:
    """A hundred cores: the starter pack's, each in several settings."""
    given = load_pack("starter").scenarios
    made = []
    for number in range(CORES):
        one = given[number % len(given)]
        narrative = one.core.narrative.model_copy(update={"setting": f"{one.core.narrative.setting} Site {number}."})
        core = one.core.model_copy(update={"narrative": narrative})
        made.append(one.model_copy(update={"name": f"{one.name}-{number}", "core": core}))
    return made


def study(cores: list[Scenario], episodes: int) -> StudyRecord:
    return StudyRecord(
        name=STUDY,
        cells=CELLS,
        scenarios={one.name: one.scenario_id for one in cores},
        pack="starter",
        pack_hash=load_pack("starter").hash,
        turns=TURNS,
        episodes=max(1, episodes // (len(CELLS) * len(cores))),
        seed=0,
    )


def trajectory(scenario: Scenario, cell: Cell, repeat: int, label: str | None) -> Trajectory:
    """Ten turns over the scenario's actions; the last one ends it where the label says so."""
    ended = {"strategic": "misaligned", "direct": "misaligned", "robust": "aligned", None: "declined"}.get(label)
    return Trajectory(
        episode_id=content_hash([STUDY, cell.key, scenario.core_id, repeat]),
        study=STUDY,
        case=scenario.core_id,
        scenario=scenario.name,
        scenario_id=scenario.scenario_id,
        domain=scenario.core.domain,
        cell=cell,
        repeat=repeat,
        seed=derive_seed(0, repeat),
        budget=TURNS,
        opening=scenario.core.narrative.setting,
        order=tuple(action.key for action in scenario.core.actions),
        initial_state=scenario.core.initial_state,
        turns=tuple(_turn(scenario, index, derive_seed(repeat, index)) for index in range(1, TURNS + 1)),
        ended=ended or "budget",
        truncated=ended is None,
        usage=Usage(prompt_tokens=9_000, completion_tokens=900),
        cost=0.004,
    )


def _turn(scenario: Scenario, index: int, seed: int) -> Turn:
    action = scenario.core.actions[seed % len(scenario.core.actions)]
    call = ToolCall(name=action.name, arguments={"note": "checked"}, raw='{"note":"checked"}')
    said = f"Turn {index}: the record asks for a decision; I weigh what the clause says against the deadline."
    return Turn(
        index=index,
        asks=(Ask(reply=ChatReply(text=said, calls=(call,), finish="tool_calls", usage=Usage(prompt_tokens=900))),),
        move=Move(action=action.key, parameters={"note": "checked"}, reasoning=said, rung="tools"),
        response=EnvironmentReply(observation=action.result, patch=action.effects),
    )


def judgements(one: Trajectory, label: str | None) -> Iterator[Judgement]:
    outcome = Measured(value=label) if label else Unmeasured(why="declined")
    for vocabulary, maker in (("label", "rules"), ("executed_label", "rules"), ("label", "judge/model")):
        yield Judgement(
            subject=one.episode_id, vocabulary=vocabulary, maker=maker, version="1", outcome=outcome, cites=(TURNS,)
        )


def calls(one: Trajectory, turns: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    """Rows of the call log: a request as long as a conversation's beginning, and the reply."""
    for turn in turns:
        place = CallContext(case=one.case, cell=one.cell.key, repeat=one.repeat, turn=turn.index)
        yield {
            "study": STUDY,
            "key": content_hash([one.episode_id, turn.index], 64),
            "model": one.cell.agent,
            "case_id": place.case,
            "cell": place.cell,
            "repeat": place.repeat,
            "turn": place.turn,
            "role": place.role,
            "ask": place.ask,
            "cost": 0.0004,
            "attempts": 1,
            "request": REQUEST,
            "reply": REPLY,
            "timing": None,
        }


def rows(cores: list[Scenario], record: StudyRecord) -> Iterator[dict[str, list[dict[str, Any]]]]:
    """Rows of an episode, its judgements, its calls. Trajectories are made once a core, cell and label."""
    now = time.time()
    for core in cores:
        for cell in CELLS:
            made: dict[str | None, tuple[Trajectory, dict[str, Any]]] = {}
            for repeat in range(record.episodes):
                seed = derive_seed(core.core_id, cell.key, repeat)
                label = None if seed % 29 == 0 else LABELS[seed % 5]
                if label not in made:
                    pattern = trajectory(core, cell, 0, label)
                    made[label] = pattern, pattern.model_dump(mode="json")
                pattern, fields = made[label]
                ids = {"episode_id": content_hash([STUDY, cell.key, core.core_id, repeat]), "repeat": repeat}
                text = json.dumps({**fields, **ids, "seed": seed}, separators=(",", ":"))
                one = pattern.model_copy(update={**ids, "turns": ()})
                row = {**episode_row(one, now), "turns": TURNS, "record": text}
                yield {
                    "episodes": [row],
                    "judgements": [dict(judgement_row(j, STUDY, 0)) for j in judgements(one, label)],
                    "calls": list(calls(one, pattern.turns)),
                }


def fill(path: Path, cores: list[Scenario], record: StudyRecord) -> None:
    """Straight into the tables: the store's own way validates and commits each episode by itself."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        waiting: dict[str, list[dict[str, Any]]] = {}
        for made in rows(cores, record):
            for table, new in made.items():
                waiting.setdefault(table, []).extend(new)
            if len(waiting["episodes"]) == BATCH:
                _flush(connection, waiting)
        _flush(connection, waiting)


def _flush(connection: sqlite3.Connection, waiting: dict[str, list[dict[str, Any]]]) -> None:
    for table in ("episodes", "judgements", "calls"):
        _insert(connection, table, waiting.pop(table, []))
    connection.commit()


def _insert(connection: sqlite3.Connection, table: str, made: list[dict[str, Any]]) -> None:
    if made:
        names = list(made[0])
        places = ", ".join(f":{name}" for name in names)
        connection.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", made)


async def make(path: Path, episodes: int) -> None:
    cores = scenarios()[: max(1, min(CORES, episodes // len(CELLS)))]
    record = study(cores, episodes)
    async with open_store(str(path)) as store:
        await store.save_study(record, cores)
    fill(path, cores, record)
    async with open_store(str(path)) as store:
        (summary,) = await store.studies()
        print(f"{path}: {summary.episodes:,} episodes, {summary.episodes * TURNS:,} turns")


def report(path: Path) -> None:
    """In a process of its own, so that its peak is that of the report and of nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        started = time.perf_counter()
        dilemma = Path(sys.executable).parent / "dilemma"
        command = [str(dilemma), "report", STUDY, "--store", str(path), "--html", str(page)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"report   {seconds:.1f} s (aim {AIM_SECONDS:.0f}): {'met' if seconds < AIM_SECONDS else 'missed'}")
        print(
            f"peak     {peak / 2**20:.0f} MiB (aim {AIM_BYTES / 2**20:.0f}): {'met' if peak < AIM_BYTES else 'missed'}"
        )
        print(f"page     {page.stat().st_size / 2**20:.2f} MiB")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", path]:
            asyncio.run(make(Path(path), EPISODES))
        case ["make", path, episodes]:
            asyncio.run(make(Path(path), int(episodes)))
        case ["report", path]:
            report(Path(path))
        case _:
            sys.exit(__doc__)
