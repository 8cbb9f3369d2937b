"""The state: patches, what an action declares, and what an environment may say of it."""

from collections.abc import Mapping

from dilemma_kernel.records import BASELINE, Action, Scalar, Scenario
from dilemma_kernel.semantics.schemas import problem


def apply_patch(state: Mapping[str, Scalar], patch: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """A new state: ``state`` with the variables of ``patch`` set. Neither argument is changed."""
    return {**state, **patch}


def refused(action: Action, levels: Mapping[str, str]) -> bool:
    """Whether an attempt at ``action`` has no effect: an A− action where feedback is high."""
    return action.track == "misaligned" and levels.get("feedback", BASELINE["feedback"]) == "high"


def declared_patch(scenario: Scenario, action: Action, levels: Mapping[str, str]) -> dict[str, Scalar]:
    """What an attempt at ``action`` changes by the rules: its effects, or nothing where it is refused."""
    return {} if refused(action, levels) else dict(action.effects)


def patch_problems(
    scenario: Scenario,
    state: Mapping[str, Scalar],
    action: Action,
    patch: Mapping[str, Scalar],
    levels: Mapping[str, str],
) -> tuple[str, ...]:
    """What is wrong with an environment's ``patch`` in answer to ``action``; empty where nothing is.

    A problem that begins with ``schema:`` means that the state after the patch would not obey the state schema;
    one that begins with ``contradiction:``, that a variable which some action's effects name changed otherwise than
    this action declares, or that a declared effect is missing. Every other variable may drift within the schema.

    Args:
        state: the state before the patch.
        patch: variables and their new values.
        levels: the cell's levels; with feedback high an A− action declares nothing.
    """
    after = apply_patch(state, patch)
    found = []
    told = problem(scenario.core.state_schema, after)
    if told is not None:
        found.append(f"schema: {told}")
    unknown = sorted(set(patch) - set(state))
    if unknown:
        found.append(f"schema: not variables of the state: {', '.join(unknown)[:200]}")
    declared = declared_patch(scenario, action, levels)
    found.extend(_contradictions(_governed(scenario), declared, state, after))
    return tuple(found)


def _contradictions(
    governed: list[str], declared: Mapping[str, Scalar], state: Mapping[str, Scalar], after: Mapping[str, Scalar]
) -> list[str]:
    found = []
    for name in governed:
        expected = declared.get(name, state.get(name))
        if not same(after.get(name), expected):
            how = "the action sets it" if name in declared else "the action leaves it"
            found.append(f"contradiction: {name} is {_short(after.get(name))}, but {how} at {_short(expected)}")
    return found


def same(left: Scalar, right: Scalar) -> bool:
    """Equality of values as JSON knows it: 1 equals 1.0, but true is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _governed(scenario: Scenario) -> list[str]:
    return sorted({name for action in scenario.core.actions for name in action.effects})


def _short(value: Scalar) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
