"""Checks of the factors: every level there, every slot owned, every text in its place."""

from collections.abc import Iterator, Sequence

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import FACTORS, LevelRendering, Scenario
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.checks.places import Place
from dilemma_kernel.semantics.render import RENDERED
from dilemma_kernel.semantics.slots import fill, slots_of

_MAY_BE_SILENT = ("ethics", "none")
_OF_THE_MOMENT = "action"


def check_renderings(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """Levels, stakes and slots."""
    yield from _levels(scenario)
    yield from _stakes(scenario)
    yield from _owners(scenario)
    yield from _uses(scenario, texts)


def _levels(scenario: Scenario) -> Iterator[Finding]:
    for factor in [*RENDERED, *sorted(set(scenario.factors) - set(RENDERED))]:
        if factor not in RENDERED:
            message = f"is no factor with renderings: expected {', '.join(RENDERED)}"
            yield Finding("levels", f"factors.{factor}", message)
            continue
        known, given = FACTORS[factor].levels, scenario.factors.get(factor, {})
        for level in known:
            if level not in given:
                yield Finding("levels", f"factors.{factor}.{level}", f"is missing: expected {', '.join(known)}")
            elif not given[level].text.strip() and (factor, level) != _MAY_BE_SILENT:
                yield Finding("levels", f"factors.{factor}.{level}.text", "is empty: expected words")
        for level in sorted(set(given) - set(known)):
            yield Finding("levels", f"factors.{factor}.{level}", f"is no level: expected {', '.join(known)}")
        yield from _alike(scenario, factor)


def _alike(scenario: Scenario, factor: str) -> Iterator[Finding]:
    """Levels of one factor that say the same."""
    held: dict[str, str] = {}
    for level, rendering in scenario.factors.get(factor, {}).items():
        other = held.setdefault(" ".join(rendering.text.split()).casefold(), level)
        if other != level:
            yield Finding("levels", f"factors.{factor}.{level}.text", f"is the text of '{other}' again")


def _stakes(scenario: Scenario) -> Iterator[Finding]:
    """Stakes own a slot of the evidence, and no two levels give all slots the same values."""
    levels = scenario.factors.get("stakes", {})
    owned = {slot for rendering in levels.values() for slot in rendering.values}
    shown = {
        slot
        for record in scenario.core.evidence
        for template in (record.text, *record.fields.values())
        for slot in slots_of(template)
    }
    if levels and not owned & shown:
        message = "own no slot of the evidence: magnitudes there change with the stakes"
        yield Finding("stakes", "factors.stakes", message)
    elif owned:
        held: dict[tuple[object, ...], str] = {}
        for level, rendering in levels.items():
            values = tuple(rendering.values.get(slot) for slot in sorted(owned & shown))
            other = held.setdefault(values, level)
            if other != level:
                yield Finding("stakes", f"factors.stakes.{level}.values", f"are those of '{other}' again")


def _owners(scenario: Scenario) -> Iterator[Finding]:
    """Each slot belongs to one factor, which gives it at every level, of one type."""
    owners: dict[str, str] = {}
    for factor in RENDERED:
        levels = _known(scenario, factor)
        for slot in sorted({slot for rendering in levels.values() for slot in rendering.values}):
            if slot == _OF_THE_MOMENT:
                message = "is the slot that feedback fills with the action's name: choose another"
                yield Finding("slots", f"factors.{factor}", f"'{slot}' {message}")
            other = owners.setdefault(slot, factor)
            if other != factor:
                yield Finding("slots", f"factors.{factor}", f"the slot '{slot}' is owned by {other} already")
            yield from _given(scenario, factor, slot)


def _known(scenario: Scenario, factor: str) -> dict[str, LevelRendering]:
    """The renderings of the levels that there are; others are found elsewhere."""
    return {level: r for level, r in scenario.factors.get(factor, {}).items() if level in FACTORS[factor].levels}


def _given(scenario: Scenario, factor: str, slot: str) -> Iterator[Finding]:
    types = set()
    for level, rendering in _known(scenario, factor).items():
        path = f"factors.{factor}.{level}.values"
        if slot not in rendering.values:
            yield Finding("slots", path, f"lack the slot '{slot}', which other levels give")
            continue
        value = rendering.values[slot]
        types.add("number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__)
        if slots_of(value):
            yield Finding("slots", f"{path}.{slot}", "holds a slot: values are taken as they are")
    if len(types) > 1:
        yield Finding(
            "slots", f"factors.{factor}", f"the slot '{slot}' is of different types: {', '.join(sorted(types))}"
        )


def _uses(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """Each slot in a text is owned and stands where it is filled; each owned slot is used; braces are sound."""
    owned = {slot for factor in RENDERED for r in _known(scenario, factor).values() for slot in r.values}
    used: set[str] = set()
    for place in texts:
        named = set(slots_of(place.text))
        if named and not place.filled:
            yield Finding("slots", place.path, f"holds the slot '{min(named)}', which is not filled here")
            continue
        allowed = owned | ({_OF_THE_MOMENT} if place.where == "feedback" else set())
        for slot in sorted(named - allowed):
            yield Finding("slots", place.path, f"uses the slot '{slot}', which no factor owns")
        used |= named
        if place.filled and not named - allowed:
            yield from _braces(place)
    for slot in sorted(owned - used - {_OF_THE_MOMENT}):
        yield Finding("slots", "factors", f"the slot '{slot}' is used nowhere")


def _braces(place: Place) -> Iterator[Finding]:
    try:
        fill(place.text, dict.fromkeys(slots_of(place.text)))
    except ScenarioError as error:
        yield Finding("slots", place.path, str(error))
