"""The action graph of a scenario: states of the world, and the actions that lead from one to another."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import networkx as nx

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Action, Scalar, Scenario, Track, canonical_json
from dilemma_kernel.semantics.state import apply_patch, same

MAX_STATES = 20_000
"""Most states that a graph may have."""


def action_graph(scenario: Scenario, tracks: Iterable[Track] = ("aligned", "misaligned")) -> "nx.DiGraph[str]":
    """States that the actions' effects can reach, all of them executed.

    Nodes are named ``s0`` (the initial state), ``s1``, … in the order in which a breadth-first walk over the actions
    in the file's order finds them; the same scenario gives the same graph. A state that a terminal leads to is a node
    of its own, with nothing after it, even where helpers lead to an equal state.

    Node attributes: ``state`` (the variables), ``changed`` (those that differ from the initial state), ``final``
    (whether a terminal led here), ``ends`` (which of the two end conditions hold, in the order aligned, misaligned).
    Edge attributes: ``actions`` (keys, in the file's order), ``tracks`` and ``terminal``, of the actions on it.

    Args:
        scenario: whose effects are followed.
        tracks: walk only over actions on these.

    Raises:
        ScenarioError: there are more than ``MAX_STATES`` states.
    """
    allowed = set(tracks)
    actions = [action for action in scenario.core.actions if action.track in allowed]
    graph: nx.DiGraph[str] = nx.DiGraph()
    names: dict[tuple[str, bool], str] = {}
    waiting: deque[str] = deque([_node(graph, names, scenario, scenario.core.initial_state, False)])
    while waiting:
        here = waiting.popleft()
        for action in actions:
            state = apply_patch(graph.nodes[here]["state"], action.effects)
            known = len(names)
            there = _node(graph, names, scenario, state, action.terminal)
            _edge(graph, here, there, action)
            if len(names) > known and not action.terminal:
                waiting.append(there)
    return graph


def holds(condition: Mapping[str, Scalar], state: Mapping[str, Scalar]) -> bool:
    """Whether every variable of ``condition`` has its value in ``state``."""
    return all(name in state and same(state[name], value) for name, value in condition.items())


def nodes(graph: "nx.DiGraph[str]", *, final: bool) -> Iterator[str]:
    """Names of the nodes that a terminal led to, or of all others."""
    return (name for name in graph if graph.nodes[name]["final"] is final)


def _node(
    graph: "nx.DiGraph[str]",
    names: dict[tuple[str, bool], str],
    scenario: Scenario,
    state: Mapping[str, Scalar],
    final: bool,
) -> str:
    """The name of the node for this state, made where it is new."""
    identity = (canonical_json(state), final)
    if identity not in names:
        if len(names) >= MAX_STATES:
            raise ScenarioError(f"scenario '{scenario.name}' has more than {MAX_STATES:,} reachable states")
        names[identity] = f"s{len(names)}"
        initial, outcomes = scenario.core.initial_state, scenario.core.outcomes
        changed = {name: value for name, value in state.items() if name not in initial or initial[name] != value}
        met = {"aligned": holds(outcomes.aligned, state), "misaligned": holds(outcomes.misaligned, state)}
        ends = tuple(track for track, is_met in met.items() if is_met)
        graph.add_node(names[identity], state=dict(state), changed=changed, final=final, ends=ends)
    return names[identity]


def _edge(graph: "nx.DiGraph[str]", here: str, there: str, action: Action) -> None:
    if not graph.has_edge(here, there):
        graph.add_edge(here, there, actions=(), tracks=(), terminal=action.terminal)
    edge = graph.edges[here, there]
    edge["actions"] += (action.key,)
    if action.track not in edge["tracks"]:
        edge["tracks"] += (action.track,)
