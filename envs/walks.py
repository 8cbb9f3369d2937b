"""Scripted walks through an environment, and what each of its answers does wrong. Used by ``check_environment``."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from dilemma_kernel.models.instances import instance
from dilemma_kernel.ports import Environment
from dilemma_kernel.records import (
    Action,
    Ask,
    Cell,
    ChatReply,
    EnvironmentReply,
    Episode,
    Move,
    Scalar,
    Scenario,
    Turn,
    derive_seed,
)
from dilemma_kernel.semantics.graph import holds
from dilemma_kernel.semantics.state import apply_patch, refused
from envs.contract import response_problems, storable
from envs.turns import untimed


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which an environment broke its contract."""

    check: str
    """Name of the rule that it broke."""
    detail: str

    def __str__(self) -> str:
        return f"{self.check}: {self.detail}"


class Unfit(Exception):
    """An answer with which no walk can go on."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(slots=True)
class Walk:
    """An episode that follows a script of actions."""

    scenario: Scenario
    cell: Cell
    seed: int
    script: tuple[str, ...]
    """Keys of the actions to attempt, in order."""
    said: list[str] = field(default_factory=list)
    """What the environment answered, each as JSON without timing."""
    problems: list[Problem] = field(default_factory=list)


async def walked(environment: Environment, walk: Walk) -> Walk:
    """``walk`` taken to its end, or to an answer with which it cannot go on."""
    async for _ in steps(environment, walk):
        pass
    return walk


async def steps(environment: Environment, walk: Walk) -> AsyncIterator[None]:
    """Takes ``walk`` a step at a time, so that two walks can be interleaved. Fills it in as it goes."""
    scenario = walk.scenario.model_copy(deep=True)
    try:
        episode = await _opened(environment, scenario, walk)
        yield
        for key in walk.script:
            episode = await _stepped(environment, episode, scenario.action(key), walk)
            yield
    except Unfit as unfit:
        walk.problems.append(unfit.problem)
    except Exception as error:
        walk.problems.append(Problem("raises", f"{type(error).__name__}: {error}"[:300]))


def scripts(scenario: Scenario) -> Iterator[tuple[str, ...]]:
    """Each terminal at once and after every helper, helpers repeated; and a helper after an A− terminal."""
    actions = scenario.core.actions
    helpers = tuple(action.key for action in actions if not action.terminal)
    for terminal in (action for action in actions if action.terminal):
        yield (terminal.key,)
        yield (*helpers, *helpers[:1], terminal.key)
        if terminal.track == "misaligned":
            yield (terminal.key, *helpers)


async def _opened(environment: Environment, scenario: Scenario, walk: Walk) -> Episode:
    before = scenario.model_dump_json(), walk.cell.model_dump_json()
    opening = await environment.open(scenario, walk.cell, walk.seed)
    if not isinstance(opening, str) or not opening.strip():
        raise Unfit(Problem("opening", f"open gave {_kind(opening)}, where a text with words in it belongs"))
    if (scenario.model_dump_json(), walk.cell.model_dump_json()) != before:
        raise Unfit(Problem("mutation", "open changed the scenario or the cell that it was handed"))
    if not storable(opening):
        raise Unfit(Problem("json", "the opening holds characters that cannot be stored"))
    walk.said.append(opening)
    state = dict(scenario.core.initial_state)
    return Episode(scenario=scenario, cell=walk.cell, repeat=0, seed=walk.seed, opening=opening, state=state)


async def _stepped(environment: Environment, episode: Episode, action: Action, walk: Walk) -> Episode:
    index = len(episode.turns) + 1
    parameters = instance(action.parameters, Random(derive_seed(walk.seed, "parameters", index)))
    move = Move(action=action.key, parameters=parameters, rung="tools")
    seed = derive_seed(walk.seed, "environment", index)
    before = episode.model_dump_json(), move.model_dump_json()
    response = await environment.respond(episode, move, seed)
    if (episode.model_dump_json(), move.model_dump_json()) != before:
        raise Unfit(Problem("mutation", f"respond to {action.key} changed the episode or the move that it was handed"))
    walk.said.append(_as_json(response, action))
    walk.problems += _wrong(episode, move, action, response)
    turn = Turn(index=index, asks=(Ask(reply=ChatReply()),), move=move, response=response)
    state = apply_patch(episode.state, response.patch)
    return episode.model_copy(update={"turns": (*episode.turns, turn), "state": state})


def _as_json(response: EnvironmentReply, action: Action) -> str:
    """The answer as JSON, without timing; it must come back from JSON as it went."""
    if not isinstance(response, EnvironmentReply):
        raise Unfit(Problem("record", f"respond to {action.key} gave {_kind(response)}, not an EnvironmentReply"))
    try:
        replies = tuple(untimed(reply) for reply in response.replies)
        plain = response.model_copy(update={"replies": replies})
        text = plain.model_dump_json(warnings="error")
        same = EnvironmentReply.model_validate_json(text) == plain
    except (ValueError, AttributeError, TypeError):
        same = False
    if not same or "\\u0000" in text:
        raise Unfit(Problem("json", f"the answer to {action.key} does not come back from JSON as it went"))
    return text


def _wrong(episode: Episode, move: Move, action: Action, response: EnvironmentReply) -> Iterator[Problem]:
    scenario, levels = episode.scenario, episode.cell.levels
    after = apply_patch(episode.state, response.patch)
    if not response.observation.strip():
        yield Problem("record", f"the answer to {action.key} holds no observation")
    found = response_problems(scenario, episode.state, move, response, levels)
    if not action.terminal and _undone(episode, after):
        yield Problem("terminal", f"{action.key} undid the end that a terminal had led to")
        return
    for problem in found:
        yield Problem(_check(problem, refused(action, levels)), f"{action.key}: {problem}")
    if action.terminal and not found and not refused(action, levels):
        met = [holds(condition, after) for condition in _ends(scenario, action)]
        if not response.executed or met != [True, False]:
            yield Problem("terminal", f"{action.key} was attempted, and the state is not in the end that it leads to")


def _check(problem: str, is_refused: bool) -> str:
    if problem.startswith("schema:"):
        return "schema"
    return "refused" if is_refused else "effects"


def _undone(episode: Episode, after: Mapping[str, Scalar]) -> bool:
    """Whether the end that the last executed terminal led to holds no longer."""
    done = [
        turn.move.action
        for turn in episode.turns
        if turn.move and turn.response and turn.response.executed and episode.scenario.action(turn.move.action).terminal
    ]
    if not done:
        return False
    end, _ = _ends(episode.scenario, episode.scenario.action(done[-1]))
    return holds(end, episode.state) and not holds(end, after)


def _ends(scenario: Scenario, action: Action) -> tuple[dict[str, Scalar], dict[str, Scalar]]:
    ends = scenario.core.outcomes
    pair = (ends.aligned, ends.misaligned)
    return pair if action.track == "aligned" else pair[::-1]


def _kind(value: object) -> str:
    return "an empty text" if isinstance(value, str) else type(value).__name__
