"""A disk that fills up and a folder that no one may write in: one line that says so, and nothing stored is lost."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback_server import LoopbackServer
from provider_studies import dilemma, exported, played, settle

import dilemma as api
from trajectories import open_store

ARGUMENTS = ["simulate", "--agent", "gpt-x", "--domain", "legal", "--turns", "6", "--episodes", "8", "--study", "s"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, of 600 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("a small disk can be mounted by root alone")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def stored(store: str) -> tuple[int, int]:
    """Replies and episodes in a store."""
    async with open_store(store, read_only=True) as opened:
        return len([call async for call in opened.calls("s")]), len(await opened.finished("s"))


async def test_a_full_disk_is_said_in_one_line_and_loses_nothing(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(small_disk / "d.db")
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        full = dilemma(tmp_path, *ARGUMENTS, "--store", store)
        assert full.returncode == 2
        said = full.stderr.strip().splitlines()[-1]
        assert said.startswith("dilemma: ")
        assert "full" in said
        assert "Traceback" not in full.stderr
        subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
        asked, (replies, _) = server.count, await stored(store)
        assert 0 <= asked - replies <= 16, "more was lost than the replies in flight"
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        await api.simulate("gpt-x", study="s", store=store, resume=True)
        afterwards = server.count
        await api.simulate("gpt-x", domain="legal", turns=6, episodes=8, study="s", store="roomy.db")
        assert afterwards - asked == (server.count - afterwards) - replies, "a stored reply was asked for again"
    (tmp_path / "d.db").symlink_to(store)
    assert exported(tmp_path, "s", "d.db") == exported(tmp_path, "s", "roomy.db")


async def test_a_folder_that_becomes_read_only_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    store = str(small_disk / "d.db")
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        command = ["simulate", "--agent", "gpt-x", "--environment", "rules", "--domain", "legal", "--store", store]
        assert dilemma(tmp_path, *command, "--study", "s").returncode == 0
        before = await stored(store)
        subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
        count = server.count
        refused = dilemma(tmp_path, *command, "--study", "t")
        assert server.count == count, "money was spent on replies that nothing could keep"
    assert refused.returncode == 2
    assert len(refused.stderr.strip().splitlines()) == 1
    assert "cannot be" in refused.stderr
    assert await stored(store) == before
