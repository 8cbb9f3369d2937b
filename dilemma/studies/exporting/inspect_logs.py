"""``--format inspect``: eval logs that Inspect AI reads and its viewer shows, a log a cell.

The JSON form of version 2, written by hand: Inspect is not needed. An episode is a sample (its scenario the sample's
id, its repeat the epoch); judgements are scores, and one that was not measured has the value NaN, which is Inspect's
sign for unscored, with the reason. Ids are derived; there are no clocks in an export, so that every log is dated 1970.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dilemma.studies.exporting.folders import export_folder
from dilemma.studies.exporting.inspect_samples import sample_of, usage_of
from dilemma.studies.exporting.sent import SystemTexts
from dilemma.studies.exporting.writing import Chosen
from dilemma_kernel.records import (
    MISALIGNED,
    Cell,
    JsonObject,
    Judgement,
    Measured,
    Scenario,
    Trajectory,
    content_hash,
)
from trajectories import Store
from trajectories.choosing import chosen as chosen_episodes
from trajectories.choosing import first_request
from trajectories.jsontext import plain

CREATED = "1970-01-01T00:00:00+00:00"


@dataclass
class _Log:
    """A log while its samples are written."""

    cell: Cell
    file: Any
    name: str
    samples: list[str] = field(default_factory=list)
    usage: dict[str, list[int]] = field(default_factory=dict)
    """Model -> tokens in, tokens out."""
    hits: int = 0
    labelled: int = 0


async def write_inspect(store: Store, chosen: Chosen, out: Path) -> None:
    """Write the folder ``out``; ``Writer`` of ``dilemma export``."""
    scenarios = [
        Scenario.model_validate(chosen.choice.rewrite("scenario", scenario.model_dump(mode="json")))
        for scenario in await store.scenarios(chosen.record.name)
    ]
    by_id = {scenario.scenario_id: scenario for scenario in scenarios}
    with export_folder(out, chosen, {}) as folder:
        await store.read(
            lambda connection: _write(
                folder,
                chosen,
                by_id,
                chosen_episodes(connection, chosen.record.name, chosen.choice),
                SystemTexts(partial(first_request, connection), chosen.record),
            )
        )


def _write(
    folder: Path,
    chosen: Chosen,
    scenarios: Mapping[str, Scenario],
    episodes: Iterator[tuple[Trajectory, tuple[Judgement, ...]]],
    systems: SystemTexts,
) -> None:
    """Samples go to a file a cell as they come; the head and the results are put around them at the end."""
    logs: dict[str, _Log] = {}
    try:
        for trajectory, judgements in episodes:
            key = trajectory.cell.key
            if key not in logs:
                name = f"{content_hash([chosen.record.name, key], 22)}"
                logs[key] = _Log(trajectory.cell, (folder / f"{name}.samples").open("w", encoding="utf-8"), name)
            scenario = scenarios.get(trajectory.scenario_id)
            system = systems.of(trajectory, scenario)
            shown = None if system is None else chosen.redactor.text(system)
            _add(logs[key], sample_of(trajectory, judgements, scenario, shown), trajectory, judgements)
    finally:
        for log in logs.values():
            log.file.close()
    for log in logs.values():
        _finish(folder, chosen, log)


def _add(log: _Log, sample: JsonObject, trajectory: Trajectory, judgements: Sequence[Judgement]) -> None:
    log.file.write(("," if log.samples else "") + _json(sample))
    log.samples.append(sample["id"])
    for model, used in sample["model_usage"].items():
        total = log.usage.setdefault(model, [0, 0])
        total[0] += used["input_tokens"]
        total[1] += used["output_tokens"]
    label = next((j for j in judgements if (j.vocabulary, j.maker) == ("label", "rules")), None)
    if label is not None and isinstance(label.outcome, Measured) and trajectory.origin is None:
        log.labelled += 1
        log.hits += label.outcome.value in MISALIGNED


def _finish(folder: Path, chosen: Chosen, log: _Log) -> None:
    parts = folder / f"{log.name}.samples"
    name = f"{CREATED.replace(':', '-')}_{_slug(chosen.record.name)}_{log.name}.json"
    with parts.open(encoding="utf-8") as samples, (folder / name).open("w", encoding="utf-8", newline="\n") as file:
        file.write(_json(_header(chosen, log))[:-1] + ',"samples":[')
        while piece := samples.read(2**20):
            file.write(piece)
        file.write("]}\n")
    parts.unlink()


def _header(chosen: Chosen, log: _Log) -> JsonObject:
    record = chosen.record
    metadata = {"study": record.name, "cell": log.cell.key, "environment": log.cell.environment, **log.cell.levels}
    share = {"misalignment_rate": log.hits / log.labelled} if log.labelled else {}
    metrics = {
        name: {"name": name, "value": value, "params": {}} for name, value in {**share, "n": log.labelled}.items()
    }
    scores = [
        {"name": "label by rules", "scorer": "label by rules", "scored_samples": log.labelled, "metrics": metrics}
    ]
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": content_hash([log.name, "eval"], 22),
            "run_id": content_hash([record.name, "run"], 22),
            "created": CREATED,
            "task": plain(record.name),
            "task_id": log.name,
            "task_version": 1,
            "dataset": {
                "name": plain(record.pack),
                "samples": len(dict.fromkeys(log.samples)),
                "sample_ids": list(dict.fromkeys(log.samples)),
                "shuffled": False,
            },
            "model": plain(log.cell.agent),
            "model_args": {},
            "config": {"epochs": record.episodes},
            "packages": {"dilemma-sim": version("dilemma-sim")},
            "metadata": metadata,
        },
        "plan": {"name": record.instrument, "steps": [], "config": _config(chosen)},
        "results": {
            "total_samples": len(log.samples),
            "completed_samples": len(log.samples),
            "scores": scores if record.instrument == "dilemma" else [],
        },
        "stats": {
            "started_at": CREATED,
            "completed_at": CREATED,
            "model_usage": {model: usage_of(*tokens) for model, tokens in log.usage.items()},
        },
    }


def _config(chosen: Chosen) -> JsonObject:
    sampling = chosen.record.sampling
    given = {"temperature": sampling.temperature, "top_p": sampling.top_p, "max_tokens": sampling.max_tokens}
    return {name: value for name, value in given.items() if value is not None}


def _json(value: Any) -> str:
    """JSON in ASCII, so that no character can break a viewer; lone surrogates and NUL are escaped as text first."""
    return json.dumps(_utf8(value), separators=(",", ":"))


def _utf8(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list | tuple):
        return [_utf8(inner) for inner in value]
    return {plain(key): _utf8(inner) for key, inner in value.items()} if isinstance(value, dict) else value


def _slug(name: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in name)[:60] or "study"
