"""What an adversary, or a bad day, does to exports and to the review app: one clear line each, and nothing lost."""

import asyncio
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

pytest.importorskip("fastapi", reason="the extra review is not installed")

from review_app import STUDY, app_over, fill
from review_studies import STUDY as SMALL
from review_studies import fill_small, record, scenarios, trajectories

from dilemma.cli.app import app
from dilemma.review import export_page
from dilemma.studies.exporting import export_study, import_folder
from dilemma.studies.exporting.placing import default_place
from dilemma.studies.study import open_study
from dilemma_kernel.errors import DilemmaError, InputError, StoreError
from dilemma_kernel.records import Crashed, Judgement
from trajectories import open_store

FORMS = ("jsonl", "csv", "parquet", "inspect")
NAMES = (
    "two words",
    "étude №7 测试",
    "a/b",
    "../../up",
    "/root/x",
    "C:\\x",
    ".",
    "..",
    "a\nb\x1b[31m",
    "x" * 300,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("small") / "d.db"
    asyncio.run(fill_small(path))
    return f"sqlite:///{path}"


def says(*words: str) -> str:
    """The one line that a command ends with."""
    result = CliRunner().invoke(app, list(words))
    assert isinstance(result.exception, DilemmaError), (result.output, result.exception)
    line = str(result.exception)
    assert "\n" not in line
    return line


async def fill_crashed(path: Path) -> None:
    """A study in which everything crashed."""
    async with open_store(str(path)) as opened:
        await opened.save_study(record(), scenarios())
        for one in trajectories():
            gone = one.model_copy(update={"turns": (), "ended": "crashed", "error": "no route to host", "cost": None})
            common = {"subject": one.episode_id, "maker": "rules", "version": "1", "outcome": Crashed(error="no route")}
            await opened.save(gone, [Judgement(vocabulary=name, **common) for name in ("label", "executed_label")])


async def fill_empty(path: Path) -> None:
    async with open_store(str(path)) as opened:
        await opened.save_study(record(), scenarios())


@pytest.mark.parametrize("filled", [fill_empty, fill_crashed])
async def test_a_study_without_a_label(tmp_path: Path, filled: Any) -> None:
    await filled(tmp_path / "d.db")
    url = f"sqlite:///{tmp_path / 'd.db'}"
    assert open_study(SMALL, url).report().total.mr.estimate is None
    for form in FORMS:
        assert export_study(SMALL, url, form, tmp_path / f"out-{form}").exists()
    assert all(path.stat().st_size for path in export_page(SMALL, url, tmp_path / "page.html"))
    found = import_folder(tmp_path / "out-jsonl", f"sqlite:///{tmp_path / 'new.db'}")
    assert found.episodes == (36 if filled is fill_crashed else 0)
    async with app_over(tmp_path / "d.db") as browser:
        for path in ("/", f"/study?study={SMALL}", f"/labels?study={SMALL}", f"/queue?study={SMALL}&queue=differ"):
            assert (await browser.client.get(path)).status_code in {200, 303}, path


@pytest.mark.parametrize("name", NAMES)
def test_a_study_may_be_called_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """An export that nobody gave a place stays in the folder that we are in."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    url = f"sqlite:///{tmp_path / 'd.db'}"

    async def named() -> None:
        async with open_store(url) as opened:
            await opened.save_study(record(name), scenarios())
            await opened.save(next(iter(trajectories(name))), [])

    asyncio.run(named())
    for form in FORMS:
        out = export_study(name, url, form, None)
        assert out.resolve().parent == tmp_path / "here", out
    assert {path.resolve().parent for path in export_page(name, url, None)} == {tmp_path / "here"}
    assert import_folder(default_place(name), f"sqlite:///{tmp_path / 'new.db'}").study == name
    assert {path.name for path in tmp_path.iterdir()} <= {"here", "d.db", "new.db", "d.db-wal", "d.db-shm"}

    async def seen() -> None:
        async with app_over(tmp_path / "d.db") as browser:
            assert urlencode({"study": name}) in await browser.page("/")
            for path in ("/study", "/labels"):
                assert "<h1>" in await browser.page(path, study=name)

    asyncio.run(seen())


@pytest.mark.parametrize(
    ("only", "line"),
    [
        ("label=strategc", "label is never 'strategc'; there are strategic, direct, failed, stalling, robust"),
        ("label=robust,Direct", "label is never 'Direct'"),
        ("stakes=hi", "stakes is never 'hi'; there are low, medium, high"),
        ("faults=true", "faults is never 'true'; there are yes, no"),
        ("ended=won", "ended is never 'won'; there are aligned, misaligned"),
        ("tool_verdict=bad", "tool_verdict is never 'bad'; there are"),
        ("=robust", "there is no ''"),
        ("label=,", "write NAME=VALUE"),
        ("scenario=nowhere", "nothing is left"),
    ],
)
def test_a_condition_that_never_holds(store: str, tmp_path: Path, only: str, line: str) -> None:
    assert line in says("export", SMALL, "--store", store, "--only", only, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", [*FORMS, "html"])
def test_what_stands_there_is_never_replaced_by_another_kind(store: str, tmp_path: Path, form: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("mine")
    wrong = ["folder"] if form in {"csv", "html"} else ["file", "folder"]
    for place in [*wrong, "file/below", "no/such/folder/x"]:
        assert str(tmp_path / place)[:20] in says(
            "export", SMALL, "--store", store, "--format", form, "--out", str(tmp_path / place)
        )
    assert (tmp_path / "file").read_text() == "mine"
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("name", ["trajectories.jsonl", "judgements.jsonl", "scenarios.jsonl", "study.json"])
@pytest.mark.parametrize("at_a_line", [True, False])
def test_an_export_that_was_cut_off_is_not_read(store: str, tmp_path: Path, name: str, at_a_line: bool) -> None:
    """Wherever it was cut, between two lines too; and nothing of it is stored."""
    out = export_study(SMALL, store, "jsonl", tmp_path / "out")
    whole = (out / name).read_bytes()
    (out / name).write_bytes(
        whole[: whole.index(b"\n", len(whole) // 3) + 1] if at_a_line else whole[: len(whole) // 2]
    )
    line = says("import", str(out), "--store", f"sqlite:///{tmp_path / 'new.db'}")
    assert f"{name} is not the file that" in line
    assert not (tmp_path / "new.db").exists()
    (out / name).unlink()
    assert f"{name} is missing" in says("import", str(out), "--store", f"sqlite:///{tmp_path / 'new.db'}")
    (out / "README.md").unlink()
    assert name in says("import", str(out), "--store", f"sqlite:///{tmp_path / 'new.db'}")


@pytest.mark.parametrize(
    "card", ["", "---\n---\n", "---\nsha256: 7\n---\n", "---\nsha256: {../d.db: x}\n---\n", "\0\xff"]
)
def test_a_card_that_is_none_is_no_hindrance(store: str, tmp_path: Path, card: str) -> None:
    out = export_study(SMALL, store, "jsonl", tmp_path / "out")
    (out / "README.md").write_bytes(card.encode("latin-1"))
    assert import_folder(out, f"sqlite:///{tmp_path / 'new.db'}").episodes == 36


async def test_two_people_at_once(tmp_path: Path) -> None:
    """Everyone's label of every episode is there afterwards, whoever came first; the last of a person's stands."""
    made = await fill(tmp_path / "d.db")
    labels = ("strategic", "direct", "failed", "robust")
    async with app_over(tmp_path / "d.db") as browser:
        sent = [
            browser.label(one.episode_id, labels[(number + turn) % 4], person=person, note=f"{person} {number}")
            for number, one in enumerate(made[:8])
            for turn in range(2)
            for person in ("ada", "bob")
        ]
        answers = await asyncio.gather(*sent)
        assert {answer.status_code for answer in answers} == {303}
    async with open_store(str(tmp_path / "d.db"), read_only=True) as opened:
        said = [j for j in await opened.judgements(STUDY) if j.vocabulary == "label" and j.maker.startswith("person/")]
    assert {(j.subject, j.maker) for j in said} == {
        (one.episode_id, f"person/{person}") for one in made[:8] for person in ("ada", "bob")
    }
    assert all(j.note.startswith(j.maker.removeprefix("person/")) for j in said)


@pytest.mark.parametrize("then", ["gone", "replaced"])
async def test_a_store_that_is_deleted_under_the_server(tmp_path: Path, then: str) -> None:
    """A label is never said to be saved into a file that nobody can open again."""
    one = (await fill(tmp_path / "d.db"))[0].episode_id
    async with app_over(tmp_path / "d.db") as browser:
        assert (await browser.label(one, "direct", person="ada")).status_code == 303
        shutil.copy(tmp_path / "d.db", tmp_path / "copy.db")
        (tmp_path / "d.db").unlink()
        if then == "replaced":
            shutil.move(tmp_path / "copy.db", tmp_path / "d.db")
        answer = await browser.label(one, "robust", person="ada")
        assert answer.status_code == 503
        assert "x-saved" not in answer.headers
        assert "was deleted or replaced since it was opened" in answer.text
        for path in (f"/study?study={STUDY}", f"/episode/{one}", f"/labels?study={STUDY}"):
            answer = await browser.client.get(path)
            assert answer.status_code == 500, path
            assert "was deleted or replaced" in answer.text


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'none.db'}"
    for words in (["export", "x"], ["report", "x"], ["report", "x", "--html", str(tmp_path / "x.html")]):
        line = says(*words, "--store", url)
        assert str(tmp_path / "none.db") in line or "no study" in line
    with pytest.raises((InputError, StoreError)):
        import_folder(tmp_path, url)
    assert list(tmp_path.iterdir()) == []
