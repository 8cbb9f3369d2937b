"""What every answer of an environment has to obey, whoever wrote the environment."""

from collections.abc import Iterator, Mapping
from typing import Final

from dilemma_kernel.records import Action, EnvironmentReply, Move, Scalar, Scenario, canonical_json
from dilemma_kernel.semantics.state import patch_problems, refused

KEPT_VERDICTS: Final = 4_096
"""Most verdicts kept at hand. Patches repeat: a scenario's rules know a dozen or two."""

_verdicts: dict[tuple[str, ...], tuple[str, ...]] = {}


def response_problems(
    scenario: Scenario, world: Mapping[str, Scalar], move: Move, response: EnvironmentReply, levels: Mapping[str, str]
) -> tuple[str, ...]:
    """What is wrong with an answer to ``move``; empty where nothing is.

    A refused action must not be executed. An executed one has the effects that it declares. An environment may also
    say of an action that is not refused that it took no effect; then it changes nothing that actions govern.

    Args:
        scenario: the scenario of the episode.
        world: the state variables before the answer.
        move: what the agent attempted.
        response: the answer.
        levels: the levels of the episode's cell.
    """
    action = scenario.action(move.action)
    if response.executed and refused(action, levels):
        return (f"refused: {action.key} is refused at this feedback level, and was executed",)
    if not all(storable(text) for text in _texts(response)):
        return ("schema: the answer holds a character that cannot be stored",)
    return known_patch_problems(scenario, world, action, response.patch, levels, executed=response.executed)


def storable(text: str) -> bool:
    """Whether JSON and a database take ``text``: it holds no NUL and no lone surrogate."""
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False


def _texts(response: EnvironmentReply) -> Iterator[str]:
    yield response.observation
    for name, value in response.patch.items():
        yield name
        if isinstance(value, str):
            yield value


def known_patch_problems(
    scenario: Scenario,
    world: Mapping[str, Scalar],
    action: Action,
    patch: Mapping[str, Scalar],
    levels: Mapping[str, str],
    *,
    executed: bool,
) -> tuple[str, ...]:
    """``patch_problems``, asked once for equal questions; an action that is not executed declares nothing."""
    if not executed:
        action = action.model_copy(update={"effects": {}})
    declares = str(executed and not refused(action, levels))
    key = (scenario.core_id, action.key, declares, canonical_json(world), canonical_json(patch))
    found = _verdicts.get(key)
    if found is None:
        if len(_verdicts) >= KEPT_VERDICTS:
            _verdicts.clear()
        found = _verdicts[key] = patch_problems(scenario, world, action, patch, levels)
    return found
