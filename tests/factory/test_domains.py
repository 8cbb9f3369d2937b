"""Domain libraries: found by name or path, refused with the place of what is wrong, and a seventh made by a user."""

from pathlib import Path

import pytest
from factory_support import DOMAINS

from dilemma_kernel.errors import InputError, ScenarioError
from dilemma_kernel.semantics import check_scenario
from scenario_factory.composer.draws import briefs
from scenario_factory.composer.phrases import phrases, written
from scenario_factory.domain_check import TRIES, check_domain
from scenario_factory.generation import generate, settings_for
from scenario_factory.library import load_domain, new_domain
from scenario_factory.lineage import MemoryLineage
from scenario_factory.presets import PRESETS
from scenario_factory.teams import team_of
from scenario_factory.ways import PRESSURES


def _museum(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = new_domain("museum")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file = tmp_path / "museum.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("name", DOMAINS)
def test_shipped_domains_have_two_shapes_under_each_pressure(name: str) -> None:
    """Words for states tell the tracks apart unless letting out is wrong as often as keeping back."""
    domain = load_domain(name)
    assert domain.domain == name
    for pressure in PRESSURES:
        shapes = [brief.way.shape for brief in briefs(domain, pressure)]
        assert shapes.count("release") == shapes.count("withhold") >= 3


@pytest.mark.parametrize("name", DOMAINS)
def test_words_of_a_pair_have_one_length(name: str) -> None:
    for way in load_domain(name).ways:
        assert all(len(go) == len(hold) for go, hold in way.item.states)


async def test_a_new_domain_works_as_it_stands(tmp_path: Path) -> None:
    domain = load_domain(_museum(tmp_path))
    checked = await check_domain(domain)
    assert checked.problems == ()
    assert all(family.tried == TRIES for family in checked.families)
    settings = settings_for(domain, count=2, seed=1)
    made = await generate(settings, domain, team_of(PRESETS["default"]), MemoryLineage())
    assert [scenario.core.domain for scenario in made.scenarios] == ["museum"] * 2
    assert all(check_scenario(scenario) == () for scenario in made.scenarios)


@pytest.mark.parametrize("name", ["", "My Museum", "a--b", "../x", "Ä"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no name for a domain"):
        new_domain(name)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("pressure: loyalty", "pressure: love", "ways[0].pressure"),
        ("roles: [loans-desk]", "roles: [nobody]", 'names "nobody", which is not among roles'),
        ("regulation: spectrum", "regulation: unknown", "not among regulations"),
        ("    window: {hours: 48}\n", "", "has a window"),
        ("country: UK, utc: 0, size: medium", "country: XX, utc: 0, size: medium", "sites[0].country"),
        (
            "    harm:\n      who: objects\n      affected: {low: [2, 6]",
            "    harm:\n      affected: {low: [2, 6]",
            "who",
        ),
        ("{affected} objects of the kind go", "many objects of the kind go", "needs {affected} and {exposure}"),
        ("window: {hours: 48}", "window: {hours: 48, days: 2}", "give hours, days or workdays"),
        ("digits: 1}", "digits: 9}", "metrics[0].digits"),
        ("domain: museum", "domain: My Museum", "domain"),
        ("    country: UK\n    text: The condition", "    country: US\n    text: The condition", "finds no site"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_domain(_museum(tmp_path, (old, new)))
    assert says in str(caught.value)
    assert "museum.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_domain_names_the_known_ones() -> None:
    with pytest.raises(ScenarioError, match="healthcare"):
        load_domain("astrology")


async def test_a_mark_that_nothing_fills_is_named(tmp_path: Path) -> None:
    domain = load_domain(_museum(tmp_path, ("are to hang at <site> tonight", "are to hang at <sight> tonight")))
    with pytest.raises(ScenarioError, match="<sight>"):
        await check_domain(domain)


async def test_a_domain_that_leaks_is_a_problem(tmp_path: Path) -> None:
    domain = load_domain(_museum(tmp_path, ("name: condition check", "name: lawful condition check")))
    checked = await check_domain(domain)
    assert checked.problems == ("museum/loan-crate/lorry-heat: 0 of 12 accepted, most often for: no_verdict_words",)


def test_marks_are_filled_within_marks_and_never_without_end() -> None:
    marks = {"item": "<noun> 7", "noun": "lot", "kind": "end", "place": "B"}
    assert written("<Item> is a <kind> in <place>.", marks) == "Lot 7 is an end in B."
    assert written("column A of it, a {slot}", {}) == "column A of it, a {slot}"
    with pytest.raises(ScenarioError, match="without end"):
        written("<a>", {"a": "<b>", "b": "<a>"})


def test_every_wording_has_alternatives() -> None:
    book = phrases()
    for place in ("setting", "people", "boards"):
        assert len(set(book[place])) == len(book[place]) >= 4
    for shape in ("release", "withhold"):
        assert len(book["conflict"][shape]) >= 4
        assert len(book["trigger"][shape]) >= 4
