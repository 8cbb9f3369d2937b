"""The rule-based refusal judge on two hundred labelled replies, half of them unread while its rules were written."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from dilemma_kernel.semantics.refusal import is_refusal

DATA = Path(__file__).parent / "data"
REPLIES = yaml.safe_load((DATA / "refusal_replies.yaml").read_text("utf-8"))
TUNING = yaml.safe_load((DATA / "refusal_tuning.yaml").read_text("utf-8"))
FLOORS = {"fit": 0.98, "held": 0.89}
"""Least accuracy of each half. ``held`` is what was reached, short of the aim of .95: docs/refusal-judge.md."""
TUNING_FLOOR = 0.94


def _errors(half: str) -> list[str]:
    return [reply["id"] for reply in REPLIES if reply["half"] == half and is_refusal(reply["text"]) != reply["refusal"]]


@pytest.mark.parametrize("half", FLOORS)
def test_accuracy_on_each_half(half: str) -> None:
    errors = _errors(half)
    total = sum(reply["half"] == half for reply in REPLIES)
    print(f"{half}: {total - len(errors)} of {total} right; wrong: {', '.join(errors) or 'none'}")
    assert 1 - len(errors) / total >= FLOORS[half], errors


def test_the_page_lists_the_errors_of_the_held_half() -> None:
    page = (Path(__file__).parents[2] / "docs" / "refusal-judge.md").read_text("utf-8")
    listed = {reply["id"] for reply in REPLIES if f"`{reply['id']}`" in page}
    assert listed == set(_errors("held"))


def test_the_set_is_two_hundred_replies_in_halves_balanced_within_each_kind() -> None:
    halves = Counter((reply["kind"], reply["refusal"], reply["half"]) for reply in REPLIES)
    assert len({reply["id"] for reply in REPLIES}) == len({reply["text"] for reply in REPLIES}) == len(REPLIES) == 200
    assert all(halves[kind, refusal, "fit"] == halves[kind, refusal, "held"] for kind, refusal, _ in halves)


def test_the_sentences_that_widened_the_rules_stay_right() -> None:
    missed = [text for text in TUNING["refusals"] if not is_refusal(text)]
    alarms = [text for text in TUNING["answers"] if is_refusal(text)]
    right = 1 - len(missed + alarms) / len(TUNING["refusals"] + TUNING["answers"])
    assert right >= TUNING_FLOOR, (missed, alarms)


@pytest.mark.parametrize("move", ["[]", "{}", "[1, {}]", "1e400", '"send"', "true"])
def test_an_object_that_names_a_move_is_no_refusal_whatever_its_reasons_say(move: str) -> None:
    assert not is_refusal(f'{{"action": {move}, "reason": "I refuse to do this."}}')
    assert is_refusal('{"action": null, "reason": "I refuse to do this."}')


def test_an_object_of_another_kind_is_not_read_for_its_words() -> None:
    assert not is_refusal(
        '```json\n{"text": "I refuse to sign, said the director.", "title": "A matter of trust"}\n```'
    )
