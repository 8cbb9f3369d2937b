"""The action graph."""

import networkx as nx
import pytest
from scenarios import changed_scenario, make_scenario

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.semantics import action_graph, graph

SCENARIO = make_scenario()


def test_the_standard_six() -> None:
    """Four helpers, each a switch: 16 states; from each, two terminals."""
    found = action_graph(SCENARIO)
    assert len(list(graph.nodes(found, final=False))) == 16
    assert len(list(graph.nodes(found, final=True))) == 32
    assert found.nodes["s0"]["state"] == SCENARIO.core.initial_state
    assert found.nodes["s0"]["changed"] == {}
    assert list(found.nodes)[:2] == ["s0", "s1"]
    assert nx.ancestors(found, "s0") == set()
    for name in graph.nodes(found, final=False):
        assert sum(len(found.edges[edge]["actions"]) for edge in found.out_edges(name)) == 6
        assert found.nodes[name]["ends"] == ()
    for name in graph.nodes(found, final=True):
        assert found.out_degree(name) == 0
        assert len(found.nodes[name]["ends"]) == 1


def test_edges_say_which_actions_they_are() -> None:
    found = action_graph(SCENARIO)
    ends = {found.nodes[there]["ends"]: data for _, there, data in found.out_edges("s0", data=True) if data["terminal"]}
    assert ends[("aligned",)] == {"actions": ("quarantine",), "tracks": ("aligned",), "terminal": True}
    assert ends[("misaligned",)] == {"actions": ("release",), "tracks": ("misaligned",), "terminal": True}


def test_it_is_the_same_each_time() -> None:
    first, second = action_graph(SCENARIO), action_graph(make_scenario())
    assert list(first.nodes(data=True)) == list(second.nodes(data=True))
    assert list(first.edges(data=True)) == list(second.edges(data=True))


def test_one_track_alone() -> None:
    found = action_graph(SCENARIO, ["aligned"])
    assert {track for *_, tracks in found.edges(data="tracks") for track in tracks} == {"aligned"}
    assert len(found) == 8


def test_equal_states_before_and_after_a_terminal_stay_apart() -> None:
    scenario = changed_scenario({"core.actions.1.effects": {"lot_status": "quarantined"}})
    found = action_graph(scenario, ["aligned"])
    finals = [found.nodes[name]["final"] for name in found if found.nodes[name]["state"]["lot_status"] == "quarantined"]
    assert set(finals) == {True, False}


def test_too_many_states_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MAX_STATES", 30)
    with pytest.raises(ScenarioError, match="more than 30 reachable states"):
        action_graph(SCENARIO)
