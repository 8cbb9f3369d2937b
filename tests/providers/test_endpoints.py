"""What stands behind a model's name is kept in the study's record, and a study goes on with nothing else."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackServer, status
from provider_studies import dilemma, played, settle

import dilemma as api
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.errors import BudgetExhausted, StudyError
from trajectories import open_store

SMALL: dict[str, Any] = {"agent": "gpt-x", "environment": "rules", "domain": "legal", "turns": 3, "study": "s"}
SECRET = "open-sesame"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


async def identities() -> dict[str, str]:
    """What the record of the study ``s`` says of its models."""
    async with open_store("dilemma.db", read_only=True) as store:
        record = await store.study("s")
    assert record is not None
    return record.identities


async def test_a_study_goes_on_at_its_own_endpoint_and_at_no_other(tmp_path: Path) -> None:
    with LoopbackServer(played) as server, LoopbackServer(played) as other:
        settle(tmp_path, server.url)
        with pytest.raises(BudgetExhausted):
            await api.simulate(**SMALL, max_calls=2)
        assert await identities() == {"gpt-x": f"openai/served@{server.url}"}
        settle(tmp_path, other.url)
        with pytest.raises(StudyError) as refused:
            await api.simulate(study="s", agent=(), resume=True)
        assert f"gpt-x was openai/served@{server.url}, and is openai/served@{other.url} now" in str(refused.value)
        assert "--api-base" in str(refused.value)
        assert "\n" not in str(refused.value)
        await api.simulate(study="s", agent=(), resume=True, api_base=server.url)
        assert other.count == 0, "the other endpoint was asked"


def test_an_alias_that_stands_for_another_model_now_is_refused_in_one_line(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        api.run(**SMALL)
        settle(tmp_path, server.url, model="openai/other")
        result = dilemma(tmp_path, "simulate", "--study", "s", "--resume")
    assert result.returncode == 2
    assert result.stderr.startswith("dilemma: study 's' was made with another model or endpoint")
    assert len(result.stderr.strip().splitlines()) == 1


async def test_neither_credentials_nor_a_query_are_kept(tmp_path: Path) -> None:
    with LoopbackServer(status(400)) as server:
        place = server.url.removeprefix("http://")
        settle(tmp_path, f"http://me:{SECRET}@{place}?key={SECRET}")
        with pytest.raises(BudgetExhausted):
            await api.simulate(**SMALL, max_calls=1)
    assert await identities() == {"gpt-x": f"openai/served@{server.url}"}
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.glob("dilemma.db*"))


async def test_a_study_made_before_this_was_kept_goes_on_as_it_did(tmp_path: Path) -> None:
    with LoopbackServer(played) as server, LoopbackServer(played) as other:
        settle(tmp_path, server.url)
        with pytest.raises(BudgetExhausted):
            await api.simulate(**SMALL, max_calls=1)
        forget_identities("dilemma.db")
        settle(tmp_path, other.url)
        study = await api.simulate(study="s", agent=(), resume=True)
        assert other.count > 0
    assert study.crashed() == 0
    assert await identities() == {}


async def test_refusal_transfer_keeps_it_too(tmp_path: Path) -> None:
    options: dict[str, Any] = {"study": "s", "sample": 1, "systems": "neutral", "arms": "chat", "store": "dilemma.db"}
    with LoopbackServer() as server, LoopbackServer() as other:
        settle(tmp_path, server.url)
        await transfer("gpt-x", **options)
        settle(tmp_path, other.url)
        with pytest.raises(StudyError, match="another model or endpoint"):
            await transfer((), study="s", store="dilemma.db", resume=True)
    assert await identities() == {"gpt-x": f"openai/served@{server.url}"}


def forget_identities(path: str) -> None:
    """Make the store's studies what they were before the field was there."""
    connection = sqlite3.connect(path)
    ((text,),) = connection.execute("SELECT record FROM studies")
    record = json.loads(text)
    del record["identities"]
    connection.execute("UPDATE studies SET record = ?", (json.dumps(record),))
    connection.commit()
    connection.close()
