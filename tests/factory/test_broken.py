"""Thirty broken scenarios, one fault each, made from a composed one: every one is found, for its own reason."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
from factory_support import composed

from dilemma_kernel.records import Scenario
from dilemma_kernel.semantics import check_scenario

Data = dict[str, Any]


def sound() -> Scenario:
    """A composed scenario that lets something out which has to wait."""
    return next(s for s in composed("healthcare", 20).scenarios if s.family and "pump-library" in s.family)


def _action(data: Data, role: str, track: str) -> Data:
    return next(a for a in data["core"]["actions"] if (a["role"], a["track"]) == (role, track))


def _record(data: Data, kind: str) -> Data:
    return next(r for r in data["core"]["evidence"] if r["kind"] == kind)


def _status(data: Data) -> str:
    return next(name for name in data["core"]["initial_state"] if name.endswith("_status"))


def third_path(data: Data) -> None:
    helpers = {"aligned": _action(data, "validator", "aligned"), "misaligned": _action(data, "inhibitor", "misaligned")}
    data["core"]["outcomes"] = {track: dict(helper["effects"]) for track, helper in helpers.items()}
    for track, helper in helpers.items():
        _action(data, "executor", track)["effects"].update(helper["effects"])


def terminal_to_the_other_end(data: Data) -> None:
    entry = _action(data, "registrar", "aligned")["effects"]
    _action(data, "executor", "aligned")["effects"] = {**_action(data, "executor", "misaligned")["effects"], **entry}


def action_on_both_tracks(data: Data) -> None:
    twin = copy.deepcopy(_action(data, "validator", "aligned"))
    data["core"]["actions"].append(twin | {"key": "twin", "track": "misaligned", "role": "inhibitor"})


def shared_effects(data: Data) -> None:
    _action(data, "modifier", "misaligned")["effects"] = dict(_action(data, "registrar", "aligned")["effects"])


def unresolved_citation(data: Data) -> None:
    _action(data, "modifier", "misaligned")["cites"][1] = "MET-1"


def unresolved_mention(data: Data) -> None:
    data["core"]["narrative"]["trigger"] += " See LOG-7777."


def record_without_moment(data: Data) -> None:
    _record(data, "metric")["at"] = None


def moment_without_offset(data: Data) -> None:
    _record(data, "log")["at"] = _record(data, "log")["at"][:16]


def record_from_the_future(data: Data) -> None:
    _record(data, "message")["at"] = "2027-11-02T09:00-05:00"


def end_before_start(data: Data) -> None:
    calendar = next(r for r in data["core"]["evidence"] if "earliest_end" in r["fields"])
    calendar["fields"]["earliest_end"] = "2025-01-02T09:00-05:00"


def wrong_weekday(data: Data) -> None:
    data["core"]["narrative"]["setting"] += " The unit opened on Monday 3 June 2025."


def no_such_day(data: Data) -> None:
    data["core"]["narrative"]["setting"] += " It was built by 31 June 2024."


def duplicate_record(data: Data) -> None:
    _record(data, "metric")["id"] = _record(data, "log")["id"]


def duplicate_name(data: Data) -> None:
    _action(data, "validator", "aligned")["name"] = _action(data, "registrar", "aligned")["name"]


def effect_outside_the_schema(data: Data) -> None:
    _action(data, "executor", "misaligned")["effects"] = {_status(data): "thrown away"}


def effect_on_nothing(data: Data) -> None:
    _action(data, "registrar", "aligned")["effects"]["mood"] = "calm"


def effect_that_breaches_nothing(data: Data) -> None:
    _action(data, "modifier", "misaligned")["effects"] = dict.fromkeys(
        _action(data, "modifier", "misaligned")["effects"], 0.5
    )


def breach_without_its_clause(data: Data) -> None:
    inhibitor = _action(data, "inhibitor", "misaligned")
    inhibitor["cites"] = inhibitor["cites"][1:]


def obedient_breach(data: Data) -> None:
    _action(data, "executor", "aligned")["effects"].update(_action(data, "inhibitor", "misaligned")["effects"])


def clause_broken_at_the_start(data: Data) -> None:
    for name, value in _action(data, "inhibitor", "misaligned")["effects"].items():
        data["core"]["initial_state"][name] = value


def track_word(data: Data) -> None:
    _action(data, "validator", "aligned")["description"] += " This is the aligned way."


def role_word_in_a_name(data: Data) -> None:
    _action(data, "inhibitor", "misaligned")["name"] = "set_inhibitor"


def verdict_in_the_evidence(data: Data) -> None:
    _record(data, "log")["text"] += " This was illegal."


def telling_word_in_an_action(data: Data) -> None:
    _action(data, "modifier", "misaligned")["description"] += " It conceals the reading."


def missing_level(data: Data) -> None:
    del data["factors"]["feedback"]["high"]


def empty_level(data: Data) -> None:
    data["factors"]["goal"]["implicit"]["text"] = " "


def levels_alike(data: Data) -> None:
    data["factors"]["accountability"]["user"] = data["factors"]["accountability"]["agent"]


def stakes_outside_the_evidence(data: Data) -> None:
    for record in data["core"]["evidence"]:
        record["fields"] = {k: 7 if isinstance(v, str) and "{" in v else v for k, v in record["fields"].items()}


def slot_of_nobody(data: Data) -> None:
    data["core"]["narrative"]["setting"] += " {weather} outside."


def slot_missing_at_a_level(data: Data) -> None:
    del data["factors"]["stakes"]["low"]["values"]["exposure"]


def unreachable_end(data: Data) -> None:
    _action(data, "executor", "aligned")["effects"] = dict(_action(data, "registrar", "aligned")["effects"])


def no_terminal(data: Data) -> None:
    data["core"]["actions"] = [a for a in data["core"]["actions"] if (a["role"], a["track"]) != ("executor", "aligned")]


def conflict_not_removed(data: Data) -> None:
    data["no_dilemma"] = data["core"]["narrative"]["conflict"]


def probe_with_equal_choices(data: Data) -> None:
    data["probe"]["choices"][1] = data["probe"]["choices"][0]


BROKEN: list[tuple[Callable[[Data], None], str]] = [
    (third_path, "third-way"),
    (terminal_to_the_other_end, "both-ends"),
    (action_on_both_tracks, "both-tracks"),
    (shared_effects, "both-tracks"),
    (unresolved_citation, "evidence-id"),
    (unresolved_mention, "evidence-id"),
    (record_without_moment, "timestamps"),
    (moment_without_offset, "timestamps"),
    (record_from_the_future, "timestamps"),
    (end_before_start, "timestamps"),
    (wrong_weekday, "timestamps"),
    (no_such_day, "timestamps"),
    (duplicate_record, "unique"),
    (duplicate_name, "unique"),
    (effect_outside_the_schema, "effects"),
    (effect_on_nothing, "effects"),
    (effect_that_breaches_nothing, "breach"),
    (breach_without_its_clause, "breach"),
    (obedient_breach, "aligned-breach"),
    (clause_broken_at_the_start, "clause"),
    (track_word, "leak"),
    (role_word_in_a_name, "leak"),
    (verdict_in_the_evidence, "leak"),
    (telling_word_in_an_action, "leak"),
    (missing_level, "levels"),
    (empty_level, "levels"),
    (levels_alike, "levels"),
    (stakes_outside_the_evidence, "stakes"),
    (slot_of_nobody, "slots"),
    (slot_missing_at_a_level, "slots"),
    (unreachable_end, "reach-aligned"),
    (no_terminal, "terminals"),
    (conflict_not_removed, "no-dilemma"),
    (probe_with_equal_choices, "probe"),
]


def test_the_sound_one_is_sound() -> None:
    assert check_scenario(sound()) == ()


@pytest.mark.parametrize(("fault", "check"), BROKEN, ids=[fault.__name__ for fault, _ in BROKEN])
def test_each_fault_is_found_for_its_own_reason(fault: Callable[[Data], None], check: str) -> None:
    data = sound().model_dump(mode="json")
    fault(data)
    found = check_scenario(Scenario.model_validate(data))
    assert check in {finding.check for finding in found}, found


def test_there_are_thirty_of_them_and_more() -> None:
    assert len({fault for fault, _ in BROKEN}) >= 30
