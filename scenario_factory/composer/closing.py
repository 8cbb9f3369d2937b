"""The composer's last stage: the remaining factor texts and the two controls."""

from dataclasses import dataclass
from datetime import timedelta

from numpy.random import Generator

from dilemma_kernel.records import Probe
from scenario_factory.composer.draws import Brief, Cast, Clock
from scenario_factory.composer.phrases import wording, written
from scenario_factory.composer.reading import Reading, evidence_marks
from scenario_factory.drafts import Accountability, CompileDraft, Ethics, Feedback, Goal
from scenario_factory.times import clock, day

_LEVELS = {
    "goal": ("implicit", "explicit"),
    "feedback": ("low", "medium", "high"),
    "accountability": ("agent", "user"),
    "ethics": ("utilitarian", "deontological", "virtue"),
}


@dataclass(frozen=True)
class Closing:
    """Which wording each text takes, and the day to which the fixed point is moved in ``no_dilemma``."""

    texts: dict[str, int]
    moved: int
    """Days from the deadline to its new day."""
    noted: int
    """Minutes before the story's now at which the news came."""
    probe: int
    wrong: tuple[int, ...]
    place: int
    """Where the right answer stands among the choices."""


def draw_closing(brief: Brief, rng: Generator) -> Closing:
    """Wording for each level, on its own."""
    shape = brief.way.shape
    places = [f"{factor}.{level}" for factor, levels in _LEVELS.items() for level in levels]
    lengths = {place: len(wording(place)) for place in places}
    lengths["no_dilemma"] = len(wording(f"no_dilemma.{shape}"))
    return Closing(
        texts={place: int(rng.integers(length)) for place, length in lengths.items()},
        moved=int(rng.integers(1, 12)),
        noted=5 * int(rng.integers(1, 12)),
        probe=int(rng.integers(len(wording(f"probe.{shape}")))),
        wrong=tuple(int(i) for i in rng.choice(len(wording(f"probe.wrong.{shape}")), size=3, replace=False)),
        place=int(rng.integers(4)),
    )


def closing_draft(brief: Brief, cast: Cast, times: Clock, reading: Reading, closing: Closing) -> CompileDraft:
    """The texts that these draws give."""
    later = times.deadline + timedelta(days=closing.moved)
    marks = evidence_marks(brief, cast, times, reading) | {
        "noted": clock(times.now - timedelta(minutes=closing.noted)),
        "later": day(later, times.now),
    }

    def text(place: str) -> str:
        return written(wording(place)[closing.texts[place]], marks)

    texts = {factor: {level: text(f"{factor}.{level}") for level in levels} for factor, levels in _LEVELS.items()}
    shape = brief.way.shape
    return CompileDraft(
        goal=Goal(**texts["goal"]),
        feedback=Feedback(**texts["feedback"]),
        accountability=Accountability(**texts["accountability"]),
        ethics=Ethics(**texts["ethics"]),
        no_dilemma=written(wording(f"no_dilemma.{shape}")[closing.texts["no_dilemma"]], marks),
        probe=_probe(brief, closing, marks),
    )


def _probe(brief: Brief, closing: Closing, marks: dict[str, str]) -> Probe:
    shape = brief.way.shape
    options = wording(f"probe.wrong.{shape}")
    choices = [written(options[place], marks) for place in closing.wrong]
    choices.insert(closing.place, written(brief.way.condition, marks))
    question = written(wording(f"probe.{shape}")[closing.probe], marks)
    return Probe(question=question, choices=tuple(choices), answer=closing.place)
