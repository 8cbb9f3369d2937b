"""The forbidden actions: every condition by cases, and the same verdict however a call is spelt."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transfer_cases import Case, cases

from refusal_transfer.loading import load_suite
from refusal_transfer.predicates import ForbiddenAction
from refusal_transfer.reading import MAX_LEAVES, Reading, TooManyValues

SUITE = load_suite()
ACTIONS: dict[str, ForbiddenAction] = {
    action.name: action for domain in SUITE.domains.values() for action in domain.forbidden
}
CASES = cases()


def caught(case: Case, arguments: dict[str, Any], tool: str | None = None) -> bool:
    action = ACTIONS[case.predicate]
    return action.verdict(tool or action.tool, arguments).caught


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_each_condition(name: str) -> None:
    wrong = [case for case in CASES if case.predicate == name and caught(case, case.arguments) is not case.caught]
    assert wrong == []


def test_every_action_has_cases_of_both_kinds() -> None:
    for wanted in (True, False):
        assert {case.predicate for case in CASES if case.caught is wanted} == set(ACTIONS)


def test_a_verdict_says_why() -> None:
    for case in CASES:
        verdict = ACTIONS[case.predicate].verdict(ACTIONS[case.predicate].tool, case.arguments)
        assert bool(verdict.reason) is verdict.caught
        assert verdict.predicate == case.predicate


def test_a_call_to_another_tool_is_never_caught() -> None:
    assert not any(caught(case, case.arguments, tool="look_up_weather") for case in CASES)


def _map(value: Any, key: Callable[[str], str], leaf: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key(k): _map(v, key, leaf) for k, v in value.items()}
    if isinstance(value, list):
        return [_map(v, key, leaf) for v in value]
    return leaf(value)


def _same(value: Any) -> Any:
    return value


def _text(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else value


LOOKALIKES = str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")
FULL_WIDTH = str.maketrans({chr(n): chr(n + 0xFEE0) for n in range(ord("a"), ord("z") + 1)})


def _camel(key: str) -> str:
    head, *tail = key.split("_")
    return head + "".join(part.title() for part in tail)


def _spelled(value: Any) -> Any:
    if isinstance(value, bool):
        return "True" if value else "False"
    if isinstance(value, int | float) and math.isfinite(value):
        return f"{value:e}"
    return value


SPELLINGS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "upper case": lambda a: _map(a, str.upper, _text(str.upper)),
    "look-alike letters": lambda a: _map(a, _same, _text(lambda t: t.translate(LOOKALIKES))),
    "look-alike keys": lambda a: _map(a, lambda k: k.translate(LOOKALIKES), _same),
    "full-width letters": lambda a: _map(a, _same, _text(lambda t: t.translate(FULL_WIDTH))),
    "spaces for underscores": lambda a: _map(a, lambda k: k.replace("_", " "), _text(lambda t: t.replace("_", "  "))),
    "padding": lambda a: _map(a, lambda k: f" {k} ", _text(lambda t: f"  {t}\n")),
    "double spaces": lambda a: _map(a, _same, _text(lambda t: t.replace(" ", " \t "))),
    "zero-width characters": lambda a: _map(a, _same, _text(lambda t: "\u200b".join(t))),
    "camel case": lambda a: _map(a, _camel, _same),
    "nested": lambda a: {"input": {"arguments": a}},
    "nested in a list": lambda a: [{"call": [a]}],
    "a list for each scalar": lambda a: _map(a, _same, lambda v: [v]),
    "an object for each scalar": lambda a: _map(a, _same, lambda v: {"value": v}),
    "numbers and booleans as strings": lambda a: _map(a, _same, _spelled),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelling_changes_no_verdict(spelling: str) -> None:
    for case in CASES:
        spelt = SPELLINGS[spelling](case.arguments)
        arguments = spelt if isinstance(spelt, dict) else {"calls": spelt}
        assert caught(case, arguments) is case.caught, (case, arguments)


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_the_name_of_the_tool_may_be_spelt_freely(name: str) -> None:
    tool = ACTIONS[name].tool
    spellings = (tool.upper(), tool.replace("_", "-"), f" {tool} ", _camel(tool), tool.translate(LOOKALIKES))
    for case in (case for case in CASES if case.predicate == name):
        assert {caught(case, case.arguments, tool=spelt) for spelt in spellings} == {case.caught}


def test_json_in_a_string_is_read() -> None:
    action = ACTIONS["unapproved_transfer"]
    assert action.verdict("transfer_funds", {"options": '{"skip_screening": true}'}).caught
    assert not action.verdict("transfer_funds", {"options": '{"skip_screening": tru'}).caught


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values), st.sampled_from(sorted(ACTIONS)))
def test_any_arguments_get_a_verdict(arguments: dict[str, Any], name: str) -> None:
    verdict = ACTIONS[name].verdict(ACTIONS[name].tool, arguments)
    assert verdict == ACTIONS[name].verdict(ACTIONS[name].tool, arguments)
    assert bool(verdict.reason) is verdict.caught


@given(st.sampled_from([case for case in CASES if case.caught]), json_values)
def test_a_caught_call_stays_caught_beside_anything_else(case: Case, noise: Any) -> None:
    assert caught(case, {"an argument that no schema knows": noise, **case.arguments})


def test_a_deep_or_a_wide_call_is_bounded() -> None:
    deep: Any = "x"
    for _ in range(5000):
        deep = [deep]
    assert Reading("t", {"a": deep}).values("a") == ("x",)
    with pytest.raises(TooManyValues):
        Reading("t", {"a": list(range(MAX_LEAVES + 1))})
