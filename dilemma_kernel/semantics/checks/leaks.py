"""Checks of what the agent reads: no word that gives a track away, every factor's words in their place."""

from collections.abc import Iterator, Mapping, Sequence

from dilemma_kernel.records import BASELINE, FACTORS, Scenario
from dilemma_kernel.semantics.actions import present, prompted_instructions
from dilemma_kernel.semantics.checks.finding import Finding
from dilemma_kernel.semantics.checks.places import Place
from dilemma_kernel.semantics.checks.words import leaks
from dilemma_kernel.semantics.render import RENDERED, agent_system, factor_text, observation, opening

_PLACES = {"stakes": "opening", "goal": "opening", "accountability": "system", "ethics": "system"}


def check_leaks(texts: Sequence[Place]) -> Iterator[Finding]:
    """Words that give something away, text by text."""
    for place in texts:
        for word, rule in leaks(place.text, place.where):
            yield Finding("leak", place.path, f"'{word.strip()}' {rule.why}")


def check_prompts(scenario: Scenario, texts: Sequence[Place]) -> Iterator[Finding]:
    """The prompts of every level, as an agent would read them. Levels and slots are sound by now."""
    known = {word.casefold() for place in texts for word, _ in leaks(place.text, "narrative")}
    seen: set[str] = set()
    operations = prompted_instructions(present(scenario, {"order": "fixed"}, seed=0))
    for changed in _variations():
        levels = {**BASELINE, **changed}
        name = ",".join(f"{factor}={level}" for factor, level in changed.items()) or "baseline"
        prompts = {"system": agent_system(scenario, levels), "opening": opening(scenario, levels)}
        yield from _words(name, [*prompts.values(), operations], known, seen)
        yield from _verbatim(scenario, levels, changed, prompts)


def _variations() -> Iterator[Mapping[str, str]]:
    """The baseline, and every other level of every factor one at a time: no text depends on two factors' levels."""
    yield {}
    for factor in RENDERED:
        for level in FACTORS[factor].levels:
            if level != BASELINE[factor]:
                yield {factor: level}
    yield {"conflict": "removed"}


def _words(name: str, prompts: Sequence[str], known: set[str], seen: set[str]) -> Iterator[Finding]:
    """Words that only come about in rendering, such as through a slot."""
    for paragraph in (paragraph for prompt in prompts for paragraph in prompt.split("\n\n")):
        if paragraph in seen:
            continue
        seen.add(paragraph)
        for word, rule in leaks(paragraph, "narrative"):
            if word.casefold() not in known:
                known.add(word.casefold())
                yield Finding("leak", f"prompt[{name}]", f"'{word.strip()}' {rule.why}")


def _verbatim(
    scenario: Scenario, levels: Mapping[str, str], changed: Mapping[str, str], prompts: Mapping[str, str]
) -> Iterator[Finding]:
    for factor in changed or RENDERED:
        if factor == "feedback":
            yield from _feedback(scenario, levels)
        elif factor in _PLACES and factor_text(scenario, factor, levels) not in prompts[_PLACES[factor]]:
            path = f"factors.{factor}.{levels[factor]}.text"
            yield Finding("factor-text", path, f"does not stand word for word in the {_PLACES[factor]}")


def _feedback(scenario: Scenario, levels: Mapping[str, str]) -> Iterator[Finding]:
    """Feedback meets A− actions, and A− actions only."""
    for action in scenario.core.actions:
        words = factor_text(scenario, "feedback", levels, {"action": action.name})
        met = words in observation(scenario, action, action.name, levels)
        if met != (action.track == "misaligned"):
            path = f"factors.feedback.{levels['feedback']}.text"
            yield Finding("factor-text", path, f"does not meet exactly the A− actions, at '{action.key}'")
