"""Pictures: the action graph of a scenario, and the rounds that a scenario went through."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dilemma_kernel.records import Attempt, Scalar, Scenario, canonical_json
from dilemma_kernel.semantics import action_graph
from scenario_factory.drafts import STAGES
from scenario_factory.presets import HIGHEST
from scenario_factory.svg import COLOURS, INK, PALE, SIGNS, Picture, clean

MOST_STATES = 48
"""Most states that are drawn; the first ones that a walk over the actions finds."""
_STATE, _HEIGHT, _COLUMN, _ROW = 178.0, 50.0, 212.0, 68.0
"""Of a state: its width and height, and how far the columns and rows are apart. Five columns fit a page."""
_LINE = 28
"""Characters of a state's lines."""
_SMALL = 10.5
"""Size of a state's words."""
_WIDTH = 190.0
"""Of a round."""
_DECISIONS = {"accept": "#2f855a", "reject": "#c53030", "crash": "#c53030"}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One move of an episode, as a step over the graph."""

    turn: int
    action: str
    """Key of the action."""
    before: Mapping[str, Scalar]
    """The state that it was made in."""
    after: Mapping[str, Scalar]


def action_svg(scenario: Scenario, walk: Sequence[Step] = ()) -> str:
    """The action graph as SVG: states in columns by how much of them has changed, the two ends at the right.

    Lines are actions, in the colour of their track; terminals are faint but from the first state. Below stands what
    each action is. The picture shows tracks, so it is for the makers of scenarios, never for an agent.

    Args:
        scenario: whose graph it is.
        walk: the path of an episode: wide lines, each with the number of its turn. A step to or from a state that is
            not drawn is left out.
    """
    graph = action_graph(scenario)
    picture = Picture(f"Action graph of {scenario.name}")
    picture.words(16, 26, scenario.title, size=15, bold=True)
    places = _states(picture, graph)
    ends = _ends(picture, scenario, places)
    for here, there, keys in graph.edges(data="actions"):
        for key in keys if here in places else ():
            _move(picture, scenario, graph, (here, there, key), places, ends, behind=bool(walk))
    _walk(picture, scenario, graph, walk, places, ends)
    _legend(picture, scenario)
    return picture.svg()


def _states(picture: Picture, graph: Any) -> dict[str, tuple[float, float]]:
    """State -> its upper left corner, of those that no terminal led to."""
    held = [name for name, final in graph.nodes(data="final") if not final]
    columns: dict[int, list[str]] = defaultdict(list)
    for name in held[:MOST_STATES]:
        columns[len(graph.nodes[name]["changed"])].append(name)
    tallest = max(map(len, columns.values()))
    places = {}
    for number, column in enumerate(sorted(columns)):
        top = 50 + (tallest - len(columns[column])) * _ROW / 2
        for row, name in enumerate(columns[column]):
            places[name] = (16 + number * _COLUMN, top + row * _ROW)
            _state(picture, places[name], graph.nodes[name]["changed"])
    if len(held) > MOST_STATES:
        picture.words(16, picture.height + 18, f"and {len(held) - MOST_STATES} states more", colour=PALE)
    return places


def _state(picture: Picture, place: tuple[float, float], changed: dict[str, Any]) -> None:
    x, y = place
    picture.box(x, y, _STATE, _HEIGHT, PALE)
    lines = [_fact(name, value) for name, value in changed.items()] or ["as it begins"]
    for number, line in enumerate(lines[:3]):
        picture.words(x + 8, y + 15 + 14 * number, line, size=_SMALL)


def _fact(name: str, value: object) -> str:
    """A variable with its value on one line; where both are too long the name is cut, for the value says more."""
    told = clean(f"{value}", _LINE - 11)
    return f"{clean(name, _LINE - 3 - len(told))} = {told}"


def _ends(
    picture: Picture, scenario: Scenario, places: dict[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Track -> the upper left corner of its end."""
    right = max(x for x, _ in places.values()) + _COLUMN
    middle = (min(y for _, y in places.values()) + max(y for _, y in places.values())) / 2
    ends = {"aligned": (right, middle - 0.8 * _ROW), "misaligned": (right, middle + 0.8 * _ROW)}
    for track, (x, y) in ends.items():
        condition = getattr(scenario.core.outcomes, track)
        picture.box(x, y, _STATE, _HEIGHT, COLOURS[track], "#f7fafc")
        picture.words(x + 8, y + 18, f"{SIGNS[track]} end", bold=True, colour=COLOURS[track])
        for number, (name, value) in enumerate(list(condition.items())[:2]):
            picture.words(x + 8, y + 31 + 13 * number, _fact(name, value), size=_SMALL)
    return ends


def _move(
    picture: Picture,
    scenario: Scenario,
    graph: Any,
    edge: tuple[str, str, str],
    places: dict[str, tuple[float, float]],
    ends: dict[str, tuple[float, float]],
    *,
    behind: bool,
) -> None:
    here, there, key = edge
    action = scenario.action(key)
    x, y = places[here]
    target = ends.get(next(iter(graph.nodes[there]["ends"]), "")) if action.terminal else places.get(there)
    if target is None or target == places[here]:
        return
    end = (target[0], target[1] + _HEIGHT / 2)
    start = (x + _STATE if target[0] > x else x, y + _HEIGHT / 2)
    faint = behind or (action.terminal and here != "s0")
    picture.line(start, end, COLOURS[action.track], title=f"{SIGNS[action.track]} {action.name}", faint=faint)


def _walk(
    picture: Picture,
    scenario: Scenario,
    graph: Any,
    walk: Sequence[Step],
    places: dict[str, tuple[float, float]],
    ends: dict[str, tuple[float, float]],
) -> None:
    names = {(canonical_json(data["state"]), data["final"]): name for name, data in graph.nodes(data=True)}
    turns: dict[tuple[tuple[float, float], tuple[float, float], str], list[int]] = {}
    for step in walk:
        action = scenario.action(step.action)
        here = places.get(names.get((canonical_json(step.before), False), ""))
        there = names.get((canonical_json(step.after), action.terminal), "")
        target = places.get(there)
        if action.terminal:
            reached = graph.nodes[there]["ends"] if there else ()
            target = ends[reached[0]] if reached else here
        if here is not None and target is not None:
            turns.setdefault((here, target, step.action), []).append(step.turn)
    standing: Counter[tuple[float, float]] = Counter()
    for (here, target, key), numbers in turns.items():
        _walked(picture, scenario, (here, target, key), numbers, standing[here])
        standing[here] += here == target


def _walked(
    picture: Picture,
    scenario: Scenario,
    edge: tuple[tuple[float, float], tuple[float, float], str],
    turns: Sequence[int],
    beside: int,
) -> None:
    """One line of the path; a move that led nowhere is a badge on its state, beside those that are there."""
    (x, y), target, key = edge
    action = scenario.action(key)
    colour, told = COLOURS[action.track], ", ".join(map(str, turns))
    if target == (x, y):
        picture.badge(x + _STATE - 10 - 24 * beside, y - 2, told, colour)
        return
    start = (x + _STATE if target[0] > x else x, y + _HEIGHT / 2)
    end = (target[0], target[1] + _HEIGHT / 2)
    picture.line(start, end, colour, title=f"turn {told}: {SIGNS[action.track]} {action.name}", wide=True)
    picture.badge((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, told, colour)


def _legend(picture: Picture, scenario: Scenario) -> None:
    top = picture.height + 34
    for number, action in enumerate(scenario.core.actions):
        y = top + 18 * number
        picture.words(16, y, SIGNS[action.track], bold=True, colour=COLOURS[action.track])
        picture.words(44, y, action.role)
        picture.words(122, y, clean(f"{action.name}: {action.description}", 190))


def lineage_svg(attempts: Sequence[Attempt]) -> str:
    """The rounds of one candidate as SVG: a row for each stage, a box for each round, what followed between them."""
    name = next((a.scenario or a.candidate for a in reversed(attempts)), "no attempts")
    picture = Picture(f"Rounds of {name}")
    picture.words(16, 26, name, size=15, bold=True)
    tall = 74.0
    for row, stage in enumerate(STAGES):
        rounds = [attempt for attempt in attempts if attempt.stage == stage]
        y = 48 + row * (tall + 26)
        picture.words(16, y + tall / 2 + 4, stage, bold=True)
        for number, attempt in enumerate(rounds):
            x = 96 + number * (_WIDTH + 50)
            _round(picture, (x, y, tall), attempt)
            if number + 1 < len(rounds):
                picture.line((x + _WIDTH, y + tall / 2), (x + _WIDTH + 48, y + tall / 2), PALE, title=attempt.decision)
    return picture.svg()


def _round(picture: Picture, place: tuple[float, float, float], attempt: Attempt) -> None:
    x, y, tall = place
    colour = _DECISIONS.get(attempt.decision, PALE)
    picture.box(x, y, _WIDTH, tall, colour)
    picture.words(x + 8, y + 16, f"{attempt.round}. {attempt.kind}", bold=True)
    picture.words(x + 8, y + 32, clean(_told(attempt), 36), size=9.5)
    name, score = min(attempt.scores.items(), key=lambda item: item[1], default=("", HIGHEST))
    if score < HIGHEST:
        picture.words(x + 8, y + 46, clean(f"lowest: {name} {score:g}", 36), size=9.5, colour=INK)
    picture.words(x + 8, y + tall - 8, attempt.decision, colour=colour, bold=True)


def _told(attempt: Attempt) -> str:
    if attempt.problem:
        return attempt.problem
    if attempt.findings:
        return f"check: {attempt.findings[0]}"
    outcome = attempt.outcome
    if outcome is not None and outcome.kind == "measured":
        return f"scored {outcome.value:.2f}"
    return f"unmeasured: {outcome.why}" if outcome is not None and outcome.kind == "unmeasured" else ""
