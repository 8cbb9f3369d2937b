"""Import: an export comes back, the same export comes out of it, and what is no export is said so."""

import asyncio
import itertools
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from review_studies import STUDY, fill_small
from scenarios import make_scenario
from trajectories_records import study
from trajectories_strategies import JUDGEMENTS, TRAJECTORIES
from typer.testing import CliRunner

from dilemma.cli.app import app
from dilemma.studies.exporting import export_study, import_folder
from dilemma.studies.study import open_study
from dilemma_kernel.errors import InputError, StudyError
from dilemma_kernel.records import Judgement, Trajectory
from trajectories import open_store

Made = list[tuple[Trajectory, list[Judgement]]]
STUDIES: st.SearchStrategy[Made] = st.lists(
    st.tuples(TRAJECTORIES, st.lists(JUDGEMENTS, max_size=3, unique_by=lambda j: (j.vocabulary, j.maker, j.version))),
    max_size=3,
    unique_by=lambda made: (made[0].episode_id, made[0].attempt),
)
COUNTER = itertools.count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two stores and the exports between them: making a store costs more than a study in it."""
    return tmp_path_factory.mktemp("round")


def there_and_back(folder: Path, made: Made) -> None:
    name = f"s{next(COUNTER)}"
    asyncio.run(_fill(folder / "one.db", name, made))
    first = export_study(name, str(folder / "one.db"), "jsonl", folder / "first")
    import_folder(first, str(folder / "two.db"))
    second = export_study(name, str(folder / "two.db"), "jsonl", folder / "second")
    assert {path.name: path.read_bytes() for path in first.iterdir()} == {
        path.name: path.read_bytes() for path in second.iterdir()
    }
    shutil.rmtree(first)
    shutil.rmtree(second)


async def _fill(path: Path, name: str, made: Made) -> None:
    async with open_store(str(path)) as store:
        await store.save_study(study(name), [make_scenario()])
        for one, judgements in made:
            mine = one.model_copy(update={"study": name, "episode_id": f"{name}-{one.episode_id}"})
            await store.save(mine, [j.model_copy(update={"subject": mine.episode_id}) for j in judgements])


@given(STUDIES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_export_import_export_gives_the_same_bytes(folder: Path, made: Made) -> None:
    there_and_back(folder, made)


@pytest.mark.slow
@given(STUDIES)
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
def test_five_hundred_studies_come_back(folder: Path, made: Made) -> None:
    there_and_back(folder, made)


def test_a_study_that_came_back_gives_the_same_report(tmp_path: Path) -> None:
    asyncio.run(fill_small(tmp_path / "one.db"))
    out = export_study(STUDY, str(tmp_path / "one.db"), "jsonl", tmp_path / "out")
    for _ in range(2):
        result = CliRunner().invoke(app, ["import", str(out), "--store", str(tmp_path / "two.db")])
        assert result.stdout == "study small: 36 episodes, 108 judgements\n", result.output
    reports = [open_study(STUDY, str(tmp_path / name)).report() for name in ("one.db", "two.db")]
    assert reports[0] == reports[1]
    (out / "README.md").unlink()
    (out / "study.json").write_text((out / "study.json").read_text().replace('"seed": 4', '"seed": 5'))
    with pytest.raises(StudyError):
        import_folder(out, str(tmp_path / "two.db"))


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("study.json", None, "holds no study.json"),
        ("study.json", "{", "cannot be read"),
        ("study.json", "{}", "not a StudyRecord: name: Field required"),
        ("trajectories.jsonl", "[]\n", "trajectories.jsonl, line 1: a line holds an object"),
        ("trajectories.jsonl", "{}\n", "line 1: not a Trajectory"),
        ("trajectories.jsonl", "nonsense\n", "line 1: not JSON"),
        ("trajectories.jsonl", "", "is not among the trajectories"),
        ("judgements.jsonl", None, "judgements.jsonl cannot be read"),
        ("scenarios.jsonl", '{"a": 1}\n', "scenarios.jsonl, line 1: not a Scenario"),
    ],
)
def test_what_is_no_export_is_said(exported: Path, tmp_path: Path, file: str, text: str | None, says: str) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(exported, broken)
    (broken / file).unlink()
    if text is not None:
        (broken / file).write_text(text)
    with pytest.raises(InputError) as raised:
        import_folder(broken, str(tmp_path / "x.db"))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_episode_of_another_study_is_said(exported: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(exported, mixed)
    first = json.loads((mixed / "trajectories.jsonl").read_text().splitlines()[0])
    (mixed / "trajectories.jsonl").write_text(json.dumps({**first, "study": "other"}) + "\n")
    with pytest.raises(InputError, match="it belongs to study 'other'"):
        import_folder(mixed, str(tmp_path / "x.db"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without its card, which would tell that it was changed."""
    folder = tmp_path_factory.mktemp("exported")
    asyncio.run(fill_small(folder / "d.db"))
    out = export_study(STUDY, str(folder / "d.db"), "jsonl", folder / "out")
    (out / "README.md").unlink()
    return out
