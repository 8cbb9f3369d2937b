"""Settings, versions and cost of a study."""

from collections.abc import Iterator, Mapping, Sequence

from dilemma.review.report_parts.blocks import Block, Listing, Section, Table, Value
from dilemma.review.report_parts.episodes import Behind
from dilemma.studies.rows import EpisodeRow
from dilemma_kernel.records import BASELINE, Cell, StudyRecord
from trajectories import Served, Spent

_MOST_NAMED = 200


def cost_section(cells: Sequence[Cell], rows: Sequence[EpisodeRow], spent: Spent, found: Behind) -> Section:
    """US dollars by cell, and what the calls of the study used."""
    by_cell: dict[str, list[float | None]] = {cell.key: [] for cell in cells}
    for row in rows:
        by_cell[row.cell].append(row.cost)
    listed: list[list[Value]] = [
        [found.cell(name, place), *_cost_cells(by_cell[cell.key])]
        for place, (cell, name) in enumerate(zip(cells, found.names, strict=True))
    ]
    if len(listed) > 1:
        listed.append(["all cells", *_cost_cells([row.cost for row in rows])])
    return Section(
        anchor="cost",
        title="What did it cost?",
        blocks=[
            Table(
                columns=("cell", "episodes", "US dollars", "an episode", "without a price"),
                rows=listed,
                has_total=len(listed) > 1,
                notes=[calls_line(spent)],
            )
        ],
    )


def calls_line(spent: Spent) -> str:
    """What the call log has of the study."""
    if not spent.calls:
        return "The call log holds no call that this study paid for."
    unpriced = f"; the price of {spent.unpriced:,} is not known" if spent.unpriced else ""
    return f"{spent.calls:,} replies by {spent.attempts:,} requests, for {spent.cost:.4f} US dollars{unpriced}."


def settings_section(record: StudyRecord, served: Sequence[Served], scenarios: Mapping[str, str]) -> Section:
    """Everything that with the same replies gives the same study.

    Args:
        record: the study's.
        served: what answered to the models' names.
        scenarios: readable name -> how it is titled.
    """
    return Section(
        anchor="settings",
        title="How was it made?",
        blocks=[
            Table(columns=("setting", "value"), words=2, rows=list(_settings(record))),
            *_cells(record.cells),
            *_served(served),
            *_scenarios(record, scenarios),
        ],
    )


def _settings(record: StudyRecord) -> Iterator[Sequence[Value]]:
    yield "pack", f"{record.pack} · hash {record.pack_hash}"
    yield "scenarios × cells × episodes", f"{len(record.scenarios):,} × {len(record.cells):,} × {record.episodes:,}"
    yield "turns at most", str(record.turns)
    yield "first A− terminal", "ends the episode" if record.end_rule == "stop" else "lets the episode go on"
    yield "seed", str(record.seed)
    yield "agent's sampling", _sampling(record.sampling.model_dump())
    yield "environment's sampling", _sampling(record.environment_sampling.model_dump())
    yield "turns that the agent sees in full", "all" if record.history is None else str(record.history)
    if record.controls:
        yield "controls", ", ".join(f"{factor} {level}" for factor, level in record.controls.items())
    for name, version in record.versions.items():
        yield f"version of {name}", version


def _sampling(fields: Mapping[str, object]) -> str:
    given = {name: value for name, value in fields.items() if value not in (None, (), [])}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in given.items())


def _cells(cells: Sequence[Cell]) -> Iterator[Block]:
    levels = [{**(BASELINE if BASELINE.keys() & cell.levels.keys() else {}), **cell.levels} for cell in cells]
    names = list(dict.fromkeys(name for one in levels for name in one))
    varied = [name for name in names if len({one.get(name) for one in levels}) > 1]
    same = {name: levels[0].get(name, "") for name in names if name not in varied} if levels else {}
    yield Table(
        columns=("agent", "environment", *varied),
        words=2 + len(varied),
        rows=[
            [cell.agent, cell.environment, *(one.get(name, "") for name in varied)]
            for cell, one in zip(cells[:_MOST_NAMED], levels, strict=False)
        ],
        notes=[f"In every cell: {', '.join(f'{name} {level}' for name, level in same.items())}."] if same else [],
    )


def _served(served: Sequence[Served]) -> Iterator[Block]:
    if served:
        yield Table(
            columns=("asked for", "answered as", "fingerprint", "replies"),
            words=3,
            rows=[[one.model, one.served or "–", one.fingerprint or "–", f"{one.replies:,}"] for one in served],
            notes=["What answered to each model's name, by the endpoint's own account."],
        )


def _scenarios(record: StudyRecord, titles: Mapping[str, str]) -> Iterator[Block]:
    named = list(record.scenarios.items())
    left_out = len(named) - _MOST_NAMED
    if named:
        table = Table(
            columns=("scenario", "title", "id"),
            words=3,
            rows=[[name, titles.get(name, ""), identity] for name, identity in named[:_MOST_NAMED]],
            notes=[f"{left_out:,} more are in the study's record."] if left_out > 0 else [],
        )
        yield Listing(anchor="scenarios", title=f"scenarios · {len(named):,}", table=table)


def _cost_cells(costs: Sequence[float | None]) -> list[str]:
    known = [cost for cost in costs if cost is not None]
    each = f"{sum(known) / len(known):.4f}" if known else "–"
    return [f"{len(costs):,}", f"{sum(known):.4f}" if known else "–", each, f"{len(costs) - len(known):,}"]
