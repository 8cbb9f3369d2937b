"""What ``--redact`` takes out, whatever the pattern: texts, and never what holds a record together."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_studies import STUDY, fill_small, scenarios, trajectories

from dilemma.studies.exporting import export_study, import_folder
from dilemma.studies.exporting.redacting import MARK, redactor
from dilemma.studies.exporting.renaming import Words
from dilemma.studies.study import open_study
from dilemma_kernel.records import BASELINE, Scenario, Trajectory
from dilemma_kernel.semantics.checks import check_scenario
from dilemma_kernel.semantics.render import agent_system, opening, result_text

HOSTILE = (
    "type",
    "object|string|number|boolean",
    "properties|required|enum|const|additionalProperties",
    "kind|measured|unmeasured|crashed",
    "text|calls|finish|move|asks|index",
    "lot|doses|sites",
    "held|quarantined|released|on|off",
    "[a-z_]+",
    "[0-9]+",
    r"\{|\}",
    "(?s).",
    "(?s).+",
)


STRUCTURE = {
    *("unique", "action-name", "role", "terminals", "parameters", "state-schema", "initial-state", "effects"),
    *("outcomes", "reach-aligned", "reach-misaligned", "both-ends", "third-way", "clause", "breach", "slots"),
}
"""Checks of what an operation does and where it leads; the others are of texts."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("redact") / "d.db"
    asyncio.run(fill_small(path))
    return f"sqlite:///{path}"


@pytest.mark.parametrize("pattern", HOSTILE)
def test_scenarios_still_work(pattern: str) -> None:
    """They read as records, can be rendered at every level, and what was sound about them is."""
    scrub = redactor([pattern], [], scenarios()[:1])
    for one in scenarios()[:1]:
        made = Scenario.model_validate(scrub.record("scenario", one.model_dump(mode="json")))
        for levels in (BASELINE, {**BASELINE, "stakes": "low"}):
            assert agent_system(made, levels)
            assert opening(made, levels)
            assert all(result_text(made, action, levels) for action in made.core.actions)
        assert {finding.check for finding in check_scenario(made)} & STRUCTURE == set()


@pytest.mark.parametrize("pattern", ["type", "[a-z_]+", "(?s).+"])
def test_an_export_of_hostile_patterns_comes_back(store: str, tmp_path: Path, pattern: str) -> None:
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", redact=[pattern])
    import_folder(out, f"sqlite:///{tmp_path}/new.db")
    before, after = (open_study(STUDY, url).report() for url in (store, f"sqlite:///{tmp_path}/new.db"))
    assert after.total.mr == before.total.mr
    assert after.total.chance == before.total.chance
    again = export_study(STUDY, f"sqlite:///{tmp_path}/new.db", "jsonl", tmp_path / "again")
    for name in ("scenarios", "trajectories", "judgements"):
        assert (again / f"{name}.jsonl").read_bytes() == (out / f"{name}.jsonl").read_bytes()


def test_everything_that_anyone_wrote_is_gone(store: str, tmp_path: Path) -> None:
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", redact=["(?s).+"])
    text = "".join((out / f"{name}.jsonl").read_text("utf-8") for name in ("scenarios", "trajectories", "judgements"))
    for said in ("QV-2281", "Marta", "Keel", "Good morning", "I read first", "Facts first", "It says so", "Cold store"):
        assert said not in text, said
    for declared in ("alarm_limit_c", "lot_status", "query_stability_data", "quarantined", "penalty_eur", "LOG-01"):
        assert declared not in text, declared


def test_a_name_is_called_the_same_in_schemas_effects_slots_and_moves() -> None:
    one, lot = scenarios()[0], trajectories()[0]
    scrub = redactor(["^lot$|doses|query_stability_data"], [], [one])
    made = Scenario.model_validate(scrub.record("scenario", one.model_dump(mode="json")))
    reading = made.action("read-stability")
    new = next(iter(reading.parameters["properties"]))
    assert new.startswith("redacted_")
    assert reading.parameters["required"] == [new]
    moved = Trajectory.model_validate(scrub.record("trajectory", lot.model_dump(mode="json")))
    assert moved.turns[0].move is not None
    assert moved.turns[0].move.parameters == {new: "QV-2281"}
    assert moved.turns[0].asks[1].reply.calls[0].name == reading.name != "query_stability_data"
    assert "doses" not in made.model_dump_json()


def test_keys_that_a_model_made_up_are_texts_and_none_is_lost() -> None:
    words = Words(redactor(["ada|bob"], [], []).text)
    assert words.free({"ada": 1, "bob": {"x": "ada"}, "lot": 2}) == {MARK: 1, f"{MARK} 2": {"x": MARK}, "lot": 2}


def test_what_a_person_is_is_a_text(store: str, tmp_path: Path) -> None:
    """Fields named ``role`` or ``kind`` are words of the form in one place, and a text in another."""
    role = scenarios()[0].core.narrative.stakeholder.role
    out = export_study(STUDY, store, "jsonl", tmp_path / "out", redact=[role[:6]])
    assert (
        role[:6]
        not in json.loads((out / "scenarios.jsonl").read_text("utf-8").splitlines()[0])["core"]["narrative"][
            "stakeholder"
        ]["role"]
    )


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
                    max_leaves=12))  # fmt: skip
def test_nothing_is_lost_from_what_a_model_wrote(value: Any) -> None:
    assert _shape(Words(lambda text: "x" if text else "").free(value)) == _shape(value)


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [_shape(one) for one in value.values()]
    return [_shape(one) for one in value] if isinstance(value, list) else isinstance(value, str) or value
