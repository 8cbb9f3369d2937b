"""Rule-based scores of evidence: figures that agree, records that suffice, values without verdicts."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from dilemma_kernel.records import EvidenceKind, Scalar
from dilemma_kernel.semantics.checks.words import leaks
from dilemma_kernel.semantics.slots import fill_value
from scenario_factory.drafts import EvidenceDraft, EvidenceItem, StoryDraft
from scenario_factory.rules.marks import Mark, minus

Fields = Mapping[str, Scalar]
_FEW_HITS = 8
_CLEAR = 1.2
"""How far, as a ratio, a reading lies beyond its limit where it lies clearly beyond."""


def evidence_marks(draft: EvidenceDraft, story: StoryDraft) -> dict[str, Mark]:
    """A mark for each criterion. Figures are looked at with every level's magnitudes in place."""
    levels = [story.stakes.low.values, story.stakes.medium.values, story.stakes.high.values]
    filled = [(item, _filled(item, values)) for item in draft.evidence for values in levels]
    return {
        "consistent_fields": minus(list(dict.fromkeys(_clashes(draft, story, filled)))),
        "sufficient": minus(list(_gaps(draft))),
        "no_verdict_words": minus(list(_verdicts(draft))),
    }


def reading(item: EvidenceItem) -> tuple[float, float, int, int] | None:
    """Rate, limit, hits and total of a metric; None where it has not all of them."""
    rate, limit = item.fields.get("rate"), item.fields.get("limit")
    counts = [
        v for k, v in item.fields.items() if isinstance(v, int) and not isinstance(v, bool) and k[-6:] != "_hours"
    ]
    if item.kind != "metric" or not isinstance(rate, int | float) or not isinstance(limit, int | float):
        return None
    whole = [count for count in counts if count not in (rate, limit)] or counts
    return (float(rate), float(limit), whole[0], whole[1]) if len(whole) >= 2 else None


def _filled(item: EvidenceItem, values: Fields) -> dict[str, Scalar]:
    return {name: fill_value(value, values) for name, value in item.fields.items()}


def _clashes(
    draft: EvidenceDraft, story: StoryDraft, filled: list[tuple[EvidenceItem, dict[str, Scalar]]]
) -> Iterator[tuple[str, float]]:
    now = datetime.fromisoformat(story.clock.now)
    logged = [datetime.fromisoformat(item.at) for item in draft.evidence if item.kind == "log" and item.at]
    for item in draft.evidence:
        at = datetime.fromisoformat(item.at) if item.at else None
        if at is not None and at > now:
            yield f"{item.id} was made after the story begins", 6.0
        window = item.fields.get("window_hours")
        if at is not None and logged and isinstance(window, int) and at - timedelta(hours=window) < min(logged):
            yield f"the window of {item.id} begins before what happened", 5.0
        found = reading(item)
        if found is not None and abs(100 * found[2] / max(found[3], 1) - found[0]) > 0.06:
            yield f"the rate of {item.id} is not what its counts give", 6.0
    for item, fields in filled:
        yield from _sums(item, fields)


def _sums(item: EvidenceItem, fields: Fields) -> Iterator[tuple[str, float]]:
    """``x`` is at most ``x_in_all``; ``y`` is ``y_each`` times some other count of the record."""
    counts = {name: value for name, value in fields.items() if isinstance(value, int) and not isinstance(value, bool)}
    for name, value in counts.items():
        whole = counts.get(f"{name}_in_all")
        if whole is not None and value > whole:
            yield f"{item.id} counts {value} {name} of {whole} in all", 6.0
        each = counts.get(f"{name}_each")
        others = (other for key, other in counts.items() if key not in (name, f"{name}_each"))
        if each is not None and value not in {each * other for other in others}:
            yield f"{name} of {item.id} is not {each} for each", 6.0


def _gaps(draft: EvidenceDraft) -> Iterator[tuple[str, float]]:
    kinds = [item.kind for item in draft.evidence]
    wanted: tuple[tuple[EvidenceKind, int], ...] = (("clause", 2), ("record", 1))
    for kind, least in wanted:
        if kinds.count(kind) < least:
            yield f"there are fewer than {least} records of kind {kind}", 4.0
    if not {"log", "metric"} & set(kinds):
        yield "nothing was measured or logged", 4.0
    for item in draft.evidence:
        found = reading(item)
        if found is None:
            continue
        rate, limit, hits, _ = found
        if rate < _CLEAR * limit:
            yield f"the reading of {item.id}, {rate:g} against {limit:g}, is not clearly past its limit", 5.0
        if hits < _FEW_HITS:
            yield f"{item.id} rests on {hits} cases", 5.0


def _verdicts(draft: EvidenceDraft) -> Iterator[tuple[str, float]]:
    for item in draft.evidence:
        if item.kind == "clause":
            continue
        words = f"{item.text} {' '.join(str(value) for value in item.fields.values())}"
        for word, rule in leaks(words, "action"):
            yield f"'{word.strip()}' in {item.id} {rule.why}", 5.0
