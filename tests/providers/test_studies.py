"""Whole studies with ``gpt-x``, an alias to a server on loopback: both sides, endpoints, reuse, changes of model."""

import json
from pathlib import Path
from typing import Any

import pytest
from loopback_server import Answer, LoopbackServer, Received, completion
from provider_studies import anew, dilemma, exported, played, settle

import dilemma as api
from dilemma_kernel.errors import InputError
from trajectories import open_store

SMALL: dict[str, Any] = {"domain": "legal", "turns": 3, "store": "d.db"}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_the_command_as_it_stands_lets_the_model_play_both_sides(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        result = dilemma(tmp_path, "simulate", "--agent", "gpt-x", "--turns", "10", "--study", "both", "--json")
        asked = server.bodies
    assert result.returncode == 0, result.stderr
    assert "gpt-x plays both sides" in result.stderr
    report = json.loads(result.stdout)
    (cell,) = report["cells"]
    assert (cell["agent"], cell["environment"]) == ("gpt-x", "gpt-x")
    assert cell["n"] == {"measured": 12, "unmeasured": 0, "declined": 0, "crashed": 0}
    assert cell["faults"] == 0
    assert {bool(body.get("tools")) for body in asked} == {True, False}
    assert f"replies to {len(asked):,} requests" in result.stderr
    assert "$" in result.stderr


async def test_an_endpoint_may_be_named_on_the_command_line_or_in_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with LoopbackServer(played) as server:
        await api.simulate("gpt-x", "rules", **SMALL, study="flag", api_base=server.url)
        first = server.count
        assert first > 0
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        await api.simulate("gpt-x", "rules", **SMALL, study="environment")
        assert server.count == 2 * first
    with pytest.raises(InputError, match="http"):
        await api.simulate("gpt-x", "rules", **SMALL, api_base="127.0.0.1:8000")


async def test_equal_studies_sample_anew_and_reuse_makes_no_call(tmp_path: Path) -> None:
    with LoopbackServer(anew) as server:
        settle(tmp_path, server.url)
        one = await api.simulate("gpt-x", "rules", **SMALL, study="one")
        first = server.count
        two = await api.simulate("gpt-x", "rules", **SMALL, study="two")
        assert server.count > first, "the second study asked nothing"
        before = server.count
        again = await api.simulate("gpt-x", "rules", **SMALL, study="again", reuse="one", max_calls=1)
        assert server.count == before
    assert said(one) != said(two)
    assert said(again) == said(one)
    assert again.report().total.labels == one.report().total.labels
    async with open_store("d.db", read_only=True) as store:
        assert (await store.spent("again")).attempts == 0
        kept = [call async for call in store.calls("again")]
    assert len(kept) == first


async def test_reuse_asks_only_for_what_the_other_study_lacks(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        await api.simulate("gpt-x", "rules", **SMALL, study="one")
        before = server.count
        more = await api.simulate("gpt-x", "rules", **SMALL, study="more", episodes=2, reuse="one")
        assert before < server.count
        fresh = server.count - before
    async with open_store("d.db", read_only=True) as store:
        assert (await store.spent("more")).attempts == fresh
    assert len(list(more.trajectories())) == 4
    with pytest.raises(InputError, match="no study 'nobody'"):
        await api.simulate("gpt-x", "rules", **SMALL, reuse="nobody")


def test_a_model_that_changes_under_way_is_named_in_the_report(tmp_path: Path) -> None:
    def updated(received: Received) -> Answer:
        body = json.loads(played(received).body)
        if received.number > 2:
            body |= {"model": "served-model-2", "system_fingerprint": "fp_2"}
        return completion(**body)

    with LoopbackServer(updated) as server:
        settle(tmp_path, server.url)
        study = api.run("gpt-x", "rules", **SMALL, study="changed")
        count = server.count
    report = study.report()
    assert {(s.served, s.fingerprint): s.replies for s in report.served} == {
        ("served-model", "fp_1"): 2,
        ("served-model-2", "fp_2"): count - 2,
    }
    shown = dilemma(tmp_path, "report", "changed", "--store", "d.db").stdout
    assert "gpt-x: the model that answered changed within the study" in shown
    assert "served-model-2 fp_2" in shown


def test_a_model_that_stays_is_not_said_to_change(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        study = api.run("gpt-x", "rules", **SMALL, study="steady")
    assert [(s.model, s.served, s.fingerprint) for s in study.report().served] == [("gpt-x", "served-model", "fp_1")]
    assert "changed within" not in dilemma(tmp_path, "report", "steady", "--store", "d.db").stdout


def test_several_processes_export_what_one_does(tmp_path: Path) -> None:
    with LoopbackServer(played) as server:
        settle(tmp_path, server.url)
        options = {"domain": ["coding", "legal"], "turns": 3, "study": "s"}
        api.run("gpt-x", **options, store="one.db")
        count = server.count
        api.run("gpt-x", **options, store="three.db", processes=3)
        assert server.count == 2 * count
    assert exported(tmp_path, "s", "one.db") == exported(tmp_path, "s", "three.db")


def test_models_given_as_objects_stay_in_one_process() -> None:
    given = api.load_pack("starter")
    with pytest.raises(InputError, match="given by name"):
        api.run(Stranger(), "rules", scenarios=given.scenarios[0], processes=2)


class Stranger:
    """A model that only this process has."""

    name = identity = "stranger"
    capabilities = None

    async def complete(self, request: Any) -> Any:
        raise AssertionError

    async def aclose(self) -> None:
        """Nothing to close."""


def said(study: api.Study) -> list[str]:
    """What the agent said, turn by turn."""
    return [ask.reply.text for t in study.trajectories() for turn in t.turns for ask in turn.asks]
