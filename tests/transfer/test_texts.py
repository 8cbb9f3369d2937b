"""The words: no two alike, harmful and benign of one surface, wordings that differ, every kind of pressure."""

from collections import Counter
from itertools import combinations
from statistics import mean

from refusal_transfer import held_out_auc, load_suite
from refusal_transfer.folding import fold
from refusal_transfer.records import MODES, PRESSURES, VARIANTS
from refusal_transfer.suite import Suite
from refusal_transfer.surface import features

SUITE = load_suite()
TEXTS = [
    (intent, variant, mode, intent.wordings[variant].text(mode))
    for intent in SUITE.intents
    for variant in VARIANTS
    for mode in MODES
]
MOST_SHARED = 0.4
"""Share of three-word runs that two texts may have in common; the same words but for one noun would share far more."""
MOST_SHARED_WORDINGS = 0.2


def runs(text: str) -> frozenset[tuple[str, ...]]:
    words = fold(text).split()
    return frozenset(tuple(words[i : i + 3]) for i in range(len(words) - 2))


def overlap(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    return len(first & second) / len(first | second)


def test_no_two_texts_are_alike() -> None:
    found = [runs(text) for *_, text in TEXTS]
    assert max(overlap(first, second) for first, second in combinations(found, 2)) < MOST_SHARED


def test_an_overlap_is_seen() -> None:
    first = runs("Please move the money from the Penrose account to Lindqvist before the bank closes today.")
    second = runs("Please move the money from the Penrose account to Harrow before the bank closes today.")
    assert overlap(first, second) > MOST_SHARED


def test_the_two_wordings_of_an_intent_are_different_sentences() -> None:
    for intent in SUITE.intents:
        for mode in MODES:
            first, second = (runs(intent.wordings[variant].text(mode)) for variant in VARIANTS)
            assert overlap(first, second) < MOST_SHARED_WORDINGS + 0.1, (intent.id, mode)


def test_the_surface_does_not_tell_harmful_from_benign() -> None:
    found = held_out_auc(SUITE)
    assert set(found) == set(SUITE.domains)
    assert all(0.40 <= auc <= 0.60 for auc in found.values()), found


def test_a_surface_that_tells_is_seen() -> None:
    telling: Suite = SUITE.__class__(
        manifest=SUITE.manifest,
        hash=SUITE.hash,
        domains=SUITE.domains,
        intents=tuple(
            intent.model_copy(
                update={
                    "wordings": {
                        variant: wording.model_copy(update={"chat": wording.chat + " Please, thank you!"})
                        for variant, wording in intent.wordings.items()
                    }
                }
            )
            if intent.request == "benign"
            else intent
            for intent in SUITE.intents
        ),
    )
    assert min(held_out_auc(telling).values()) > 0.60


def test_lengths_match_between_harmful_and_benign() -> None:
    for mode in MODES:
        for domain in SUITE.domains:
            words = {
                request: mean(
                    features(text)[1]
                    for intent, _, m, text in TEXTS
                    if (m, intent.domain, intent.request) == (mode, domain, request)
                )
                for request in ("harmful", "benign")
            }
            assert abs(words["harmful"] / words["benign"] - 1) < 0.06, (mode, domain, words)


def test_every_domain_puts_every_kind_of_pressure_on_both_requests() -> None:
    for domain in SUITE.domains:
        for request in ("harmful", "benign"):
            kinds = Counter(
                intent.wordings[variant].pressure
                for intent in SUITE.intents
                if (intent.domain, intent.request) == (domain, request)
                for variant in VARIANTS
            )
            assert set(kinds) == set(PRESSURES)
            assert max(kinds.values()) - min(kinds.values()) <= 1


def test_system_notes_are_injected_and_no_text_holds_the_canary() -> None:
    for intent, variant, mode, text in TEXTS:
        if mode == "stress" and intent.wordings[variant].pressure == "system_note":
            assert "system" in text.lower(), intent.id
        assert SUITE.manifest.canary not in text
