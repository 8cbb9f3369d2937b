"""Packs of generations: whole, repeatable, added to, and never half-written."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from factory_support import composed, good_parts, judge_script, scripted_team, writer_script

from dilemma_kernel.errors import BudgetExhausted, InputError, ScenarioError
from dilemma_kernel.records import ChatRequest, Scenario
from dilemma_kernel.semantics import check_scenario
from scenario_factory import load_pack
from scenario_factory.generation import generate, generate_pack, settings_for
from scenario_factory.library import load_domain
from scenario_factory.lineage import MemoryLineage
from scenario_factory.packing import GENERATIONS, default_folder, known_scenarios, write_generation
from scenario_factory.presets import PRESETS
from scenario_factory.reporting import GenerationReport
from scenario_factory.similarity import Likeness, likeness_text
from scenario_factory.teams import team_of

RULES = PRESETS["default"]
LEGAL = load_domain("legal")


async def packed(folder: Path, count: int = 3, seed: int = 1, *, into: bool = False) -> GenerationReport:
    settings = settings_for(LEGAL, count=count, seed=seed)
    return await generate_pack(settings, LEGAL, team_of(RULES), MemoryLineage(), folder, into=into)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


async def test_a_pack_loads_checks_and_carries_its_canary(tmp_path: Path) -> None:
    report = await packed(tmp_path / "p")
    pack = load_pack(tmp_path / "p")
    assert (report.accepted, report.pack, report.pack_hash) == (3, str(tmp_path / "p"), pack.hash)
    assert sorted(report.names) == [scenario.name for scenario in pack.scenarios]
    assert all(check_scenario(scenario) == () for scenario in pack.scenarios)
    assert pack.licence == "Apache-2.0"
    assert re.fullmatch(r"dilemma-legal-1 canary [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", pack.canary)
    assert all(pack.canary in file.read_text() for file in (tmp_path / "p").glob("*.yaml"))


async def test_the_same_command_gives_the_same_bytes_elsewhere_and_changes_nothing_here(tmp_path: Path) -> None:
    first = await packed(tmp_path / "p")
    held = contents(tmp_path / "p")
    stamps = {file: file.stat().st_mtime_ns for file in (tmp_path / "p").iterdir()}
    assert await packed(tmp_path / "p") == first
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "p").iterdir()} == stamps
    await packed(tmp_path / "q")
    assert contents(tmp_path / "q") == held
    await packed(tmp_path / "r", seed=2)
    assert not set(contents(tmp_path / "r")) & {name for name in held if name.endswith(".yaml")} - {"manifest.yaml"}


async def test_no_clock_path_or_machine_stands_in_a_pack(tmp_path: Path) -> None:
    await packed(tmp_path / "p")
    everything = b"".join(contents(tmp_path / "p").values()).decode()
    assert str(tmp_path) not in everything
    assert json.loads((tmp_path / "p" / GENERATIONS).read_text()).keys()


async def test_another_command_into_a_finished_folder_is_refused(tmp_path: Path) -> None:
    await packed(tmp_path / "p")
    held = contents(tmp_path / "p")
    with pytest.raises(InputError, match="--into"):
        await packed(tmp_path / "p", seed=2)
    assert contents(tmp_path / "p") == held


async def test_adding_to_a_pack_keeps_what_is_there_and_is_repeatable(tmp_path: Path) -> None:
    await packed(tmp_path / "p")
    before = {s.scenario_id for s in load_pack(tmp_path / "p").scenarios}
    report = await packed(tmp_path / "p", count=2, seed=2, into=True)
    after = load_pack(tmp_path / "p")
    assert report.accepted == 2
    assert before < {s.scenario_id for s in after.scenarios}
    assert len(after.scenarios) == 5
    held = contents(tmp_path / "p")
    assert await packed(tmp_path / "p", count=2, seed=2, into=True) == report
    assert await packed(tmp_path / "p") is not None  # the first command still finds its own work done
    assert contents(tmp_path / "p") == held


async def test_adding_needs_a_pack(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError):
        await packed(tmp_path / "nowhere", into=True)
    assert not (tmp_path / "nowhere").exists()


async def test_near_duplicates_are_refused_with_their_likeness(tmp_path: Path) -> None:
    settings = settings_for(LEGAL, count=3, seed=1)
    first = await generate(settings, LEGAL, team_of(RULES), MemoryLineage())
    lineage = MemoryLineage()
    renamed = [_retold(scenario) for scenario in first.scenarios]
    again = await generate(settings, LEGAL, team_of(RULES), lineage, known=renamed)
    duplicates = [r for r in again.report.rejections if r.reasons == ("near-duplicate",)]
    assert len(duplicates) >= 3
    assert again.report.accepted == 3
    assert all("of 100" in r.detail for r in duplicates)
    refused = [a for a in lineage.all() if a.candidate == duplicates[0].candidate][-1]
    assert (refused.decision, refused.scenario) == ("reject", None)


def _retold(scenario: Scenario) -> Scenario:
    """The same story with other figures."""
    text = scenario.model_dump_json()
    data = json.loads(re.sub(r"(?<=[A-Z]-)\d(?=\d\d)", lambda m: str((int(m.group()) + 1) % 9 + 1), text))
    return Scenario.model_validate(data | {"name": f"{scenario.name}-again"})


def test_likeness_is_blind_to_figures_and_ids_alone() -> None:
    scenarios = composed("legal", 20).scenarios
    held = Likeness(scenarios)
    for scenario in scenarios[:5]:
        assert likeness_text(scenario) == likeness_text(_retold(scenario))
        near = held.nearest(_retold(scenario))
        assert near is not None
        assert near[1] == 100
    others = Likeness(scenarios[1:])
    assert others.nearest(scenarios[0]) is None


async def test_interrupted_writing_is_taken_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tmp_path / "whole"
    await packed(whole)
    for cut_at in range(1, 6):
        folder = tmp_path / f"cut-{cut_at}"
        _cut_after(monkeypatch, cut_at)
        with pytest.raises(KeyboardInterrupt):
            await packed(folder)
        monkeypatch.undo()
        assert GENERATIONS not in contents(folder)
        await packed(folder)
        assert contents(folder) == contents(whole)


def _cut_after(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    import os  # noqa: PLC0415

    replace, left = os.replace, [files]

    def cut(source: Path, target: Path) -> None:
        left[0] -= 1
        if left[0] < 0 or (files == 5 and left[0] == 0):
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr("scenario_factory.packing.os.replace", cut)


async def test_files_of_something_else_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.yaml").write_text("mine: true\n")
    with pytest.raises(InputError, match="something else"):
        await packed(tmp_path)
    assert contents(tmp_path) == {"notes.yaml": b"mine: true\n"}
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(InputError, match="expected a folder"):
        await packed(file)


async def test_nothing_accepted_writes_nothing_and_says_so(tmp_path: Path) -> None:
    team, _, _ = scripted_team(RULES, writer_script(good_parts("legal")), judge_script(lambda stage, turn: 2))
    settings = settings_for(LEGAL, count=1, seed=1, writer="scripted/writer", most_candidates=2)
    report = await generate_pack(settings, LEGAL, team, MemoryLineage(), tmp_path / "p")
    assert (report.attempted, report.accepted, report.rejected, report.yield_rate, report.pack) == (2, 0, 2, 0.0, "")
    assert report.reasons == dict.fromkeys(report.reasons, 2)
    assert not (tmp_path / "p").exists()


async def test_a_used_up_budget_leaves_nothing_half_written(tmp_path: Path) -> None:
    asked = []

    def write(request: ChatRequest) -> str:
        asked.append(request)
        if len(asked) > 2:
            raise BudgetExhausted("the next call would pass the budget")
        return writer_script(good_parts("legal"))(request)  # type: ignore[return-value]

    team, _, _ = scripted_team(RULES, write, judge_script(lambda stage, turn: 9.5))
    settings = settings_for(LEGAL, count=2, seed=1, writer="scripted/writer")
    with pytest.raises(BudgetExhausted):
        await generate_pack(settings, LEGAL, team, MemoryLineage(), tmp_path / "p")
    assert not (tmp_path / "p").exists()


async def test_concurrency_changes_nothing() -> None:
    settings = settings_for(LEGAL, count=4, seed=3)
    made = [await generate(settings, LEGAL, team_of(RULES), MemoryLineage(), concurrency=width) for width in (1, 3, 64)]
    assert made[0] == made[1] == made[2]


async def test_progress_counts_to_the_end() -> None:
    seen: list[tuple[int, int, int]] = []
    settings = settings_for(LEGAL, count=3, seed=1)
    made = await generate(
        settings,
        LEGAL,
        team_of(RULES),
        MemoryLineage(),
        progress=lambda p: seen.append((p.attempted, p.accepted, p.rejected)),
    )
    assert seen[-1] == (made.report.attempted, 3, made.report.rejected)
    assert [attempted for attempted, _, _ in seen] == list(range(1, len(seen) + 1))


async def test_settings_name_a_generation_by_everything_that_shapes_it() -> None:
    base = settings_for(LEGAL, count=3, seed=1)
    others: Sequence[object] = [
        settings_for(LEGAL, count=4, seed=1).id,
        settings_for(LEGAL, count=3, seed=2).id,
        settings_for(LEGAL, count=3, seed=1, pressure="loyalty").id,
        settings_for(LEGAL, count=3, seed=1, preset=PRESETS["source"]).id,
        settings_for(LEGAL, count=3, seed=1, writer="gpt-x").id,
        settings_for(load_domain("coding"), count=3, seed=1).id,
    ]
    assert len({base.id, *others}) == 7
    assert str(default_folder(base)) == "scenarios/legal-1"


def test_an_unreadable_list_of_generations_is_named(tmp_path: Path) -> None:
    (tmp_path / GENERATIONS).write_text("{broken")
    (tmp_path / "manifest.yaml").write_text("name: x\n")
    settings = settings_for(LEGAL, count=1)
    with pytest.raises(InputError, match="another pack"):
        known_scenarios(settings, tmp_path, into=False)
    report = composed("legal", 20).generation.report
    with pytest.raises(ScenarioError):
        write_generation(report, composed("legal", 20).scenarios, tmp_path, into=True)
