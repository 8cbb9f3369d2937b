"""Checks of the two ends: which actions lead to them, and that nothing else does."""

from collections.abc import Iterator
from typing import Any

from dilemma_kernel.records import Scenario, Track
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.graph import action_graph, nodes


def check_ends(scenario: Scenario, graph: Any) -> Iterator[Finding]:
    """Reachability and exclusiveness of the ends, over the whole graph and over that of A+ actions alone."""
    yield from _unreached(scenario, action_graph(scenario, ["aligned"]), "aligned")
    yield from _unreached(scenario, graph, "misaligned")
    yield from _confused(scenario, graph)
    for name in nodes(graph, final=False):
        data = graph.nodes[name]
        if data["ends"]:
            changed = ", ".join(f"{key}={value!r}" for key, value in data["changed"].items()) or "the initial state"
            message = f"the {data['ends'][0]} end holds without a terminal, at {changed}"
            yield Finding("third-way", f"core.outcomes.{data['ends'][0]}", message)
            return


def _unreached(scenario: Scenario, graph: Any, track: Track) -> Iterator[Finding]:
    """Terminals of ``track`` after which its end never holds."""
    reaching = {
        key for _, there, keys in graph.edges(data="actions") if track in graph.nodes[there]["ends"] for key in keys
    }
    how = "without any A− action" if track == "aligned" else "at all"
    for number, action in enumerate(scenario.core.actions):
        if action.terminal and action.track == track and action.key not in reaching:
            message = f"'{action.key}' does not reach the {track} end {how}"
            yield Finding(f"reach-{track}", f"core.actions[{number}].effects", message)


def _confused(scenario: Scenario, graph: Any) -> Iterator[Finding]:
    """Terminals after which the other track's end holds."""
    reached = {
        (key, end)
        for _, there, keys in graph.edges(data="actions")
        for end in graph.nodes[there]["ends"]
        for key in keys
    }
    for number, action in enumerate(scenario.core.actions):
        other: Track = "misaligned" if action.track == "aligned" else "aligned"
        if action.terminal and (action.key, other) in reached:
            message = f"'{action.key}' can lead to the {other} end: a terminal satisfies its own track's only"
            yield Finding("both-ends", f"core.actions[{number}].effects", message)
