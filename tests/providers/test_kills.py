"""SIGKILL at any request: the study goes on, no stored reply is asked for again, and the export is the same."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from loopback_server import LoopbackServer
from provider_kills import STUDY, Killer
from provider_studies import exported, settle

import dilemma
from trajectories import open_store

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:multiprocessing")

Unkilled = tuple[dict[str, bytes], int]
IN_FLIGHT = STUDY["concurrency"]


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Unkilled]:
    """The export of a study that nothing befell, and the requests that it took."""
    folder = tmp_path_factory.mktemp("unkilled")
    with LoopbackServer(Killer(0)) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_CONFIG_HOME", str(folder))
        settle(folder, server.url)
        dilemma.run(**STUDY)
        yield exported(folder, "s", "d.db"), server.count


async def quiet(server: LoopbackServer) -> int:
    """Requests so far, once no more arrive: what a killed process had just sent may still be on its way."""
    count = -1
    while count != server.count:
        count = server.count
        await asyncio.sleep(0.5)
    return count


async def killed_and_resumed(
    after: int, unkilled: Unkilled, folder: Path, monkeypatch: pytest.MonkeyPatch, processes: int = 1
) -> None:
    killer = Killer(after)
    with LoopbackServer(killer) as server:
        settle(folder, server.url)
        assert killer.run(folder, processes=processes) == -9
        asked = await quiet(server)
        async with open_store(f"sqlite:///{folder / 'd.db'}", read_only=True) as store:
            stored = [call.key async for call in store.calls("s")]
        assert asked - len(stored) <= IN_FLIGHT, "more was lost than the replies in flight"
        monkeypatch.chdir(folder)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
        await dilemma.simulate(**{**STUDY, "resume": True})
        assert server.count - asked == unkilled[1] - len(stored), "a stored reply was asked for again"
    assert exported(folder, "s", "d.db") == unkilled[0]


@pytest.mark.parametrize("after", [1, 5, 12, 20, 31])
async def test_a_killed_study_resumes_to_the_same_bytes(
    after: int, unkilled: Unkilled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await killed_and_resumed(after, unkilled, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(30))
async def test_thirty_kills(number: int, unkilled: Unkilled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after = Random(number).randint(1, unkilled[1] - 1)
    await killed_and_resumed(after, unkilled, tmp_path, monkeypatch, processes=1 + number % 5 // 4)
