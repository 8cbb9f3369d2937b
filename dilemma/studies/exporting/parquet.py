"""``--format parquet``: episodes, turns and judgements as tables that polars, pandas and ``datasets`` open.

Text is UTF-8: a lone surrogate and a NUL are escaped, as in the columns of the store. What has no fixed columns
(parameters, patches) is JSON text.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dilemma.studies.exporting.columns import csv_columns
from dilemma.studies.exporting.folders import export_folder
from dilemma.studies.exporting.writing import Chosen
from dilemma_kernel.records import Judgement, Trajectory, Turn, canonical_json
from trajectories import Store
from trajectories.choosing import chosen as chosen_episodes
from trajectories.jsontext import plain
from trajectories.rows import outcome_text
from trajectories.spreadsheet import COLUMNS, episode_cells

_INTEGERS = {
    "attempt", "repeat", "seed", "turns", "faults", "invalid_turns", "prompt_tokens", "completion_tokens",
}  # fmt: skip
_TYPES = {"cost": pa.float64(), "truncated": pa.bool_(), **dict.fromkeys(_INTEGERS, pa.int64())}

EPISODES = pa.schema([(name, _TYPES.get(name, pa.string())) for name in COLUMNS])
TURNS = pa.schema(
    [
        ("episode_id", pa.string()),
        ("attempt", pa.int64()),
        ("turn", pa.int64()),
        ("action", pa.string()),
        ("parameters", pa.string()),
        ("reasoning", pa.string()),
        ("rung", pa.string()),
        ("reply", pa.string()),
        ("calls", pa.string()),
        ("problems", pa.list_(pa.string())),
        ("observation", pa.string()),
        ("executed", pa.bool_()),
        ("patch", pa.string()),
        ("faults", pa.list_(pa.string())),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
    ]
)
JUDGEMENTS = pa.schema(
    [
        ("episode_id", pa.string()),
        ("attempt", pa.int64()),
        ("vocabulary", pa.string()),
        ("maker", pa.string()),
        ("version", pa.string()),
        ("kind", pa.string()),
        ("value", pa.string()),
        ("cites", pa.list_(pa.int64())),
        ("note", pa.string()),
        ("probability", pa.float64()),
    ]
)
SCHEMAS = {"episodes": EPISODES, "turns": TURNS, "judgements": JUDGEMENTS}

MEANINGS: Mapping[str, str] = {
    "turns: action": "key of the move's action; null for an invalid turn",
    "turns: parameters": "the move's parameters, as JSON",
    "turns: reply": "text of the last reply of the turn",
    "turns: calls": "its calls, as JSON",
    "turns: problems": "why earlier replies of the turn were no valid move",
    "turns: patch": "state variables that changed, as JSON",
    "judgements: kind": "measured, unmeasured or crashed",
    "judgements: value": "the value, why there is none, or the error",
}

_BATCH = 2_000
"""Rows held in memory for each table."""

_MOST_INT = 2**63


async def write_parquet(store: Store, chosen: Chosen, out: Path) -> None:
    """Write the folder ``out``; ``Writer`` of ``dilemma export``."""
    columns = {**{f"episodes: {name}": text for name, text in csv_columns().items()}, **MEANINGS}
    with export_folder(out, chosen, columns) as folder:
        await store.read(
            lambda connection: _write(folder, chosen_episodes(connection, chosen.record.name, chosen.choice))
        )


def _write(folder: Path, episodes: Iterable[tuple[Trajectory, tuple[Judgement, ...]]]) -> None:
    writers = {
        name: pq.ParquetWriter(folder / f"{name}.parquet", schema, compression="zstd")
        for name, schema in SCHEMAS.items()
    }
    waiting: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    try:
        for trajectory, judgements in episodes:
            waiting["episodes"].append(_episode(trajectory, judgements))
            waiting["turns"] += (_turn(trajectory, turn) for turn in trajectory.turns)
            waiting["judgements"] += (_judgement(trajectory, judgement) for judgement in judgements)
            for name, rows in waiting.items():
                if len(rows) >= _BATCH:
                    _flush(writers[name], rows)
        for name, rows in waiting.items():
            _flush(writers[name], rows)
    finally:
        for writer in writers.values():
            writer.close()


def _flush(writer: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        writer.write_table(pa.Table.from_pylist(rows, schema=writer.schema))
        rows.clear()


def _episode(trajectory: Trajectory, judgements: Iterable[Judgement]) -> dict[str, Any]:
    cells = episode_cells(trajectory, judgements)
    return {name: _fit(cells.get(name)) for name in COLUMNS}


def _turn(trajectory: Trajectory, turn: Turn) -> dict[str, Any]:
    move, response = turn.move, turn.response
    last = turn.asks[-1].reply if turn.asks else None
    usages = [ask.reply.usage for ask in turn.asks if ask.reply.usage]
    row = {
        "episode_id": trajectory.episode_id,
        "attempt": trajectory.attempt,
        "turn": turn.index,
        "action": move.action if move else None,
        "parameters": canonical_json(move.parameters) if move else None,
        "reasoning": move.reasoning if move else None,
        "rung": move.rung if move else None,
        "reply": (last.refusal or last.text) if last else None,
        "calls": canonical_json([call.model_dump(exclude={"call_id"}) for call in last.calls]) if last else None,
        "problems": [plain(ask.problem) for ask in turn.asks if ask.problem is not None],
        "observation": response.observation if response else None,
        "executed": response.executed if response else None,
        "patch": canonical_json(response.patch) if response else None,
        "faults": [plain(f"{fault.kind}: {fault.detail}") for fault in response.faults] if response else [],
        "prompt_tokens": sum(usage.prompt_tokens for usage in usages),
        "completion_tokens": sum(usage.completion_tokens for usage in usages),
    }
    return {name: _fit(value) for name, value in row.items()}


def _judgement(trajectory: Trajectory, judgement: Judgement) -> dict[str, Any]:
    row = {
        "episode_id": trajectory.episode_id,
        "attempt": trajectory.attempt,
        "vocabulary": judgement.vocabulary,
        "maker": judgement.maker,
        "version": judgement.version,
        "kind": judgement.outcome.kind,
        "value": outcome_text(judgement),
        "cites": [cite for cite in judgement.cites if cite < _MOST_INT],
        "note": judgement.note,
        "probability": judgement.probability,
    }
    return {name: _fit(value) for name, value in row.items()}


def _fit(value: Any) -> Any:
    """What a column takes: text that is UTF-8, and no integer of more than 64 bits."""
    if isinstance(value, str):
        return plain(value)
    return None if isinstance(value, int) and not -_MOST_INT <= value < _MOST_INT else value
