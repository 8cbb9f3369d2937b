"""Checks of the world: the state, what the actions do to it, what the clauses ask of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Action, Scenario
from dilemma_kernel.semantics.checks.ends import check_ends
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.graph import action_graph
from dilemma_kernel.semantics.schemas import problem, schema_problem
from dilemma_kernel.semantics.state import apply_patch, same

_SUBSCHEMAS = ("allOf", "anyOf", "oneOf")
_SUBSCHEMA = ("if", "then", "else", "not")


def check_world(scenario: Scenario) -> Iterator[Finding]:
    """State schema, initial state, effects, end conditions, clauses, and the action graph."""
    broken = list(_schema(scenario))
    yield from broken
    if broken:
        return
    effects = [finding for n, action in enumerate(scenario.core.actions) for finding in _effects(scenario, n, action)]
    clauses = list(_clauses(scenario))
    outcomes = list(_outcomes(scenario))
    yield from (*effects, *clauses, *outcomes)
    if not clauses:
        yield from _breaches(scenario)
    if not effects and not outcomes:
        try:
            graph = action_graph(scenario)
        except ScenarioError as error:
            yield Finding("effects", "core.actions", str(error))
            return
        yield from _together(scenario, graph)
        yield from check_ends(scenario, graph)
        if not clauses:
            yield from _aligned_breaches(scenario)


def _schema(scenario: Scenario) -> Iterator[Finding]:
    schema = scenario.core.state_schema
    told = schema_problem(schema)
    if told is not None:
        yield Finding("state-schema", "core.state_schema", f"is no JSON Schema: {told}")
        return
    variables = schema.get("properties", {})
    if schema.get("type") != "object" or not variables:
        yield Finding("state-schema", "core.state_schema", "is not of an object with properties")
    elif missing := sorted(set(variables) - set(schema.get("required", []))):
        yield Finding("state-schema", "core.state_schema.required", f"lacks {', '.join(missing)}")
    else:
        yield from _initial(scenario, set(variables))


def _initial(scenario: Scenario, variables: set[str]) -> Iterator[Finding]:
    initial = scenario.core.initial_state
    if extra := sorted(set(initial) - variables):
        yield Finding("initial-state", "core.initial_state", f"names no variables of the state: {', '.join(extra)}")
    elif (told := problem(scenario.core.state_schema, initial)) is not None:
        yield Finding("initial-state", "core.initial_state", f"does not obey the state schema: {told}")


def _effects(scenario: Scenario, number: int, action: Action) -> Iterator[Finding]:
    path = f"core.actions[{number}].effects"
    unknown = sorted(set(action.effects) - set(scenario.core.initial_state))
    for name in unknown:
        yield Finding("effects", f"{path}.{name}", "is no variable of the state")
    after = apply_patch(scenario.core.initial_state, action.effects)
    if not unknown and (told := problem(scenario.core.state_schema, after)) is not None:
        yield Finding("effects", path, f"lead to a state that does not obey the state schema: {told}")
    if not action.effects and (action.terminal or action.track == "misaligned"):
        yield Finding("effects", path, "are empty: terminals and A− actions change something")


def _together(scenario: Scenario, graph: Any) -> Iterator[Finding]:
    """The first state, if any, that some sequence of actions leads to and the schema forbids."""
    for name, data in graph.nodes(data=True):
        told = problem(scenario.core.state_schema, data["state"])
        if told is not None:
            before = next(iter(graph.predecessors(name)))
            keys = ", ".join(graph.edges[before, name]["actions"])
            message = f"one after another lead to a state that does not obey the state schema (at {keys}): {told}"
            yield Finding("effects", "core.actions", message)
            return


def _outcomes(scenario: Scenario) -> Iterator[Finding]:
    ends = scenario.core.outcomes
    broken = False
    for track in ("aligned", "misaligned"):
        condition: Mapping[str, Any] = getattr(ends, track)
        path = f"core.outcomes.{track}"
        if not condition:
            broken = True
            yield Finding("outcomes", path, "is empty: expected variables and their values")
        for name, value in condition.items():
            told = _not_a_value(scenario, name, value)
            if told is not None:
                broken = True
                yield Finding("outcomes", f"{path}.{name}", told)
    shared = ends.aligned.keys() & ends.misaligned.keys()
    if not broken and all(same(ends.aligned[name], ends.misaligned[name]) for name in shared):
        message = "can both hold at once: expected a variable with different values in the two ends"
        yield Finding("outcomes", "core.outcomes", message)


def _not_a_value(scenario: Scenario, name: str, value: Any) -> str | None:
    if name not in scenario.core.initial_state:
        return "is no variable of the state"
    schema = scenario.core.state_schema["properties"][name]
    if isinstance(schema, dict) and (told := problem(schema, value)) is not None:
        return f"is not a value that the state schema allows: {told}"
    return None


def _clauses(scenario: Scenario) -> Iterator[Finding]:
    for number, record in enumerate(scenario.core.evidence):
        if record.requires is None:
            continue
        path = f"core.evidence[{number}].requires"
        if (told := schema_problem(record.requires)) is not None:
            yield Finding("clause", path, f"is no JSON Schema: {told}")
        elif unknown := sorted(_variables(record.requires) - set(scenario.core.initial_state)):
            yield Finding("clause", path, f"names no variables of the state: {', '.join(unknown)}")
        elif (told := problem(record.requires, scenario.core.initial_state)) is not None:
            yield Finding("clause", path, f"does not hold in the initial state: {told}")


def _variables(schema: Any, depth: int = 0) -> set[str]:
    """State variables that a clause's schema names."""
    if not isinstance(schema, dict) or depth > 20:
        return set()
    found = {*schema.get("properties", {}), *schema.get("required", [])}
    for key in _SUBSCHEMA:
        found |= _variables(schema.get(key), depth + 1)
    for key in _SUBSCHEMAS:
        for below in schema.get(key, ()):
            found |= _variables(below, depth + 1)
    return found


def _breaches(scenario: Scenario) -> Iterator[Finding]:
    """Each A− action, alone, breaches a clause that it cites."""
    clauses = {record.id: record.requires for record in scenario.core.evidence if record.requires is not None}
    for number, action in enumerate(scenario.core.actions):
        if action.track != "misaligned":
            continue
        cited = [name for name in action.cites if name in clauses]
        after = apply_patch(scenario.core.initial_state, action.effects)
        if not cited:
            yield Finding("breach", f"core.actions[{number}].cites", "names no clause: expected one that it breaches")
        elif all(problem(clauses[name] or {}, after) is None for name in cited):
            message = f"breach none of the clauses that it cites ({', '.join(cited)})"
            yield Finding("breach", f"core.actions[{number}].effects", message)


def _aligned_breaches(scenario: Scenario) -> Iterator[Finding]:
    """No sequence of A+ actions breaches a clause."""
    graph = action_graph(scenario, ["aligned"])
    numbers = {action.key: number for number, action in enumerate(scenario.core.actions)}
    told: set[tuple[str, str]] = set()
    for here, there in graph.edges:
        for record in scenario.core.evidence:
            before, after = graph.nodes[here]["state"], graph.nodes[there]["state"]
            if record.requires is None or problem(record.requires, after) is None:
                continue
            for key in graph.edges[here, there]["actions"] if problem(record.requires, before) is None else ():
                if (key, record.id) not in told:
                    told.add((key, record.id))
                    path = f"core.actions[{numbers[key]}].effects"
                    yield Finding("aligned-breach", path, f"breach {record.id}: an A+ action breaches no clause")
