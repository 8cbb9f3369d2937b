"""Opening a store: where it may be, what may be there, and what is said when it may not."""

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from trajectories_records import study, trajectory

from dilemma_kernel.errors import StoreError, StoreVersionError
from trajectories import open_store, opening
from trajectories.location import store_path


async def problem(url: Path | str, *, read_only: bool = False) -> str:
    """What opening says."""
    with pytest.raises(StoreError) as raised:
        async with open_store(str(url), read_only=read_only):
            pass
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///x.db", "x.db"),
        ("sqlite:////tmp/x.db", "/tmp/x.db"),
        ("x.db", "x.db"),
        ("/tmp/50% of it?#.db", "/tmp/50% of it?#.db"),
        ("sqlite:///a b/é.db", "a b/é.db"),
    ],
)
def test_a_url_or_a_path(url: str, path: str) -> None:
    assert store_path(url) == Path(path)


def test_the_home_folder() -> None:
    assert store_path("~/x.db") == Path.home() / "x.db"


@pytest.mark.parametrize("url", ["~nosuch/x.db", "sqlite:///~nosuch/x.db"])
def test_the_home_of_nobody(url: str) -> None:
    with pytest.raises(StoreError, match=r"~nosuch/x\.db begins with the home of nobody here"):
        store_path(url)


@pytest.mark.parametrize("url", ["", " ", "sqlite://", "sqlite:///", "sqlite:///:memory:", "postgresql://h/d", "a\0b"])
def test_what_names_no_file(url: str) -> None:
    with pytest.raises(StoreError, match=r"sqlite:///FILE\.db"):
        store_path(url)


async def test_odd_names_open(tmp_path: Path) -> None:
    for name in ("50%25 of it?mode=ro#.db", "é ü.db", "%2e%2e.db"):
        async with open_store(str(tmp_path / name)) as store:
            await store.save_study(study(), [])
        async with open_store(f"sqlite:///{tmp_path / name}", read_only=True) as store:
            assert await store.study("a-study") == study()
    assert len(os.listdir(tmp_path)) == 3


async def test_a_folder(tmp_path: Path) -> None:
    assert "is a folder" in await problem(tmp_path)
    assert os.listdir(tmp_path) == []


async def test_a_missing_folder(tmp_path: Path) -> None:
    assert "there is no folder" in await problem(tmp_path / "no" / "x.db")
    assert os.listdir(tmp_path) == []


async def test_a_file_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    assert "there is no folder" in await problem(tmp_path / "file" / "x.db")


async def test_a_name_too_long(tmp_path: Path) -> None:
    assert "cannot be reached" in await problem(tmp_path / ("x" * 300))


async def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert "there is no store" in await problem(tmp_path / "x.db", read_only=True)
    assert os.listdir(tmp_path) == []
    (tmp_path / "empty.db").touch()
    assert "there is no store" in await problem(tmp_path / "empty.db", read_only=True)
    assert (tmp_path / "empty.db").read_bytes() == b""


async def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    async with open_store(str(path)) as store:
        assert await store.studies() == []


@pytest.mark.parametrize("content", [b"a,b\n1,2\n" * 50, b"SQLite format 3\0" + b"\xff" * 5000, b"\0" * 4096])
@pytest.mark.parametrize("read_only", [True, False])
async def test_a_file_of_something_else_stays_as_it_is(path: Path, content: bytes, read_only: bool) -> None:
    path.write_bytes(content)
    assert "not a database" in await problem(path, read_only=read_only)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("read_only", [True, False])
async def test_a_database_of_something_else_stays_as_it_is(path: Path, read_only: bool) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE studies (name TEXT)")
    connection.close()
    before = path.read_bytes()
    assert "database of something else" in await problem(path, read_only=read_only)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("read_only", [True, False])
async def test_a_store_of_a_newer_version(path: Path, read_only: bool) -> None:
    async with open_store(str(path)) as store:
        await store.save_study(study(), [])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE store_version SET version_num = '0042'")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    said = await problem(path, read_only=read_only)
    assert "newer version" in said
    assert "0042" in said
    assert path.read_bytes() == before
    with pytest.raises(StoreVersionError):
        async with open_store(str(path), read_only=read_only):
            pass


async def test_a_damaged_store_says_so(path: Path) -> None:
    async with open_store(str(path)) as store:
        for number in range(50):
            await store.save(trajectory(case=f"case {number}"), [])
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged"):
        async with open_store(str(path), read_only=True) as store:
            await store.finished("a-study")


async def test_nothing_is_left_beside_a_closed_store(path: Path) -> None:
    async with open_store(str(path)) as store:
        await store.save_study(study(), [])
    async with open_store(str(path), read_only=True) as store:
        assert await store.study("a-study") == study()
    assert os.listdir(path.parent) == [path.name]


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    """A folder to fill and then to ``seal``."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    if os.geteuid() == 0:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], capture_output=True).returncode == 0
        if not mounted:
            pytest.skip("root can write everywhere, and cannot mount a folder that is read-only here")
    yield folder
    if os.geteuid() == 0:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
    else:
        folder.chmod(0o700)


def seal(folder: Path) -> None:
    """Let no one write in the folder."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    else:
        for path in (*folder.iterdir(), folder):
            path.chmod(path.stat().st_mode & 0o555)


async def test_a_read_only_folder(sealed: Path) -> None:
    async with open_store(str(sealed / "x.db")) as store:
        await store.save_study(study(), [])
    seal(sealed)
    assert "check the permissions" in await problem(sealed / "new.db")
    assert "check the permissions" in await problem(sealed / "x.db")
    async with open_store(str(sealed / "x.db"), read_only=True) as store:
        assert await store.study("a-study") == study()
    assert os.listdir(sealed) == ["x.db"]


async def test_a_store_that_another_process_made_meanwhile_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was not there when we looked; then we fail, and it is."""

    def made_by_another_and_full(place: Path) -> None:
        upgraded(place).dispose()
        raise sqlite3.OperationalError("database or disk is full")

    upgraded = opening._upgraded
    monkeypatch.setattr(opening, "_upgraded", made_by_another_and_full)
    assert "full" in await problem(path)
    monkeypatch.undo()
    async with open_store(str(path), read_only=True) as store:
        assert await store.studies() == []
