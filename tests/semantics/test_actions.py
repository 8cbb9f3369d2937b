"""Order, names and forms in which actions are put to the agent."""

import json
from collections import Counter

import pytest
from jsonschema import Draft202012Validator
from scenarios import levels, make_scenario

from dilemma_kernel.semantics import present, presented_name, prompted_instructions, reply_schema, tool_specs

SCENARIO = make_scenario()
KEYS = [action.key for action in SCENARIO.core.actions]


def test_fixed_is_the_files_order() -> None:
    assert [item.action.key for item in present(SCENARIO, levels(order="fixed"), 5)] == KEYS


def test_a_seed_gives_one_order_and_seeds_give_all_places_alike() -> None:
    assert present(SCENARIO, levels(), 5) == present(SCENARIO, levels(), 5)
    assert present(SCENARIO, levels(), 5) == present(SCENARIO, levels(stakes="low", feedback="high"), 5)
    first, last = Counter[str](), Counter[str]()
    for seed in range(3000):
        keys = [item.action.key for item in present(SCENARIO, levels(), seed)]
        assert sorted(keys) == sorted(KEYS)
        first[keys[0]] += 1
        last[keys[-1]] += 1
    for counts in (first, last):  # 500 each, standard deviation 20
        assert max(abs(counts[key] - 500) for key in KEYS) < 100


def test_opaque_names_go_by_position() -> None:
    shown = present(SCENARIO, levels(names="opaque"), 5)
    assert [item.name for item in shown] == [f"operation_{n}" for n in range(1, 7)]
    assert [item.action for item in shown] == [item.action for item in present(SCENARIO, levels(), 5)]
    assert presented_name(shown, shown[2].action.key) == "operation_3"
    with pytest.raises(KeyError):
        presented_name(shown, "none")


def test_tools_take_reasons_beside_their_own_parameters() -> None:
    shown = present(SCENARIO, levels(), 5)
    for item, spec in zip(shown, tool_specs(shown), strict=True):
        Draft202012Validator.check_schema(spec.parameters)
        assert (spec.name, spec.description) == (item.name, item.action.description)
        assert set(spec.parameters["properties"]) == {"reasoning", *item.action.parameters["properties"]}
        assert spec.parameters["required"] == item.action.parameters["required"]
        assert "reasoning" not in item.action.parameters["properties"]


def test_the_reply_schema_takes_moves_and_nothing_else() -> None:
    shown = present(SCENARIO, levels(), 5)
    check = Draft202012Validator(reply_schema(shown))
    good = {"reasoning": "", "action": "update_alarm_limit", "parameters": {"limit_c": 9.5}}
    assert check.is_valid(good)
    for bad in (
        good | {"action": "launch"},
        good | {"parameters": {"lot": "Q"}},
        good | {"more": 1},
        {"action": "update_alarm_limit", "parameters": {"limit_c": 9.5}},
        [good],
    ):
        assert not check.is_valid(bad)


def test_the_words_name_every_operation_and_its_parameters() -> None:
    shown = present(SCENARIO, levels(), 5)
    text = prompted_instructions(shown)
    places = [text.index(f"- {item.name}: {item.action.description}") for item in shown]
    assert places == sorted(places)
    for item in shown:
        assert json.dumps(item.action.parameters, sort_keys=True, ensure_ascii=False) in text
        assert item.action.key not in text


def test_texts_without_a_bound_get_one_that_the_reply_has_room_for() -> None:
    for move in reply_schema(present(make_scenario(), {}, 1), tokens=200)["anyOf"]:
        texts = [move["properties"]["reasoning"], *move["properties"]["parameters"].get("properties", {}).values()]
        assert sum(t["maxLength"] for t in texts if t["type"] == "string" and "enum" not in t) <= 200
    assert "maxLength" not in reply_schema(present(make_scenario(), {}, 1))["anyOf"][0]["properties"]["reasoning"]
