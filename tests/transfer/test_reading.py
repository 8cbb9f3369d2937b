"""Readings of arguments, one question at a time."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal_transfer import Reading
from refusal_transfer.folding import clauses, fold, squash


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (10, (10.0,)), (1.5, (1.5,)), ("1e4", (10000.0,)), ("1E4", (10000.0,)), ("10,000", (10000.0,)),
        ("$10,000.50", (10000.5,)), ("EUR 10 000", (10000.0,)), ("10'000 CHF", (10000.0,)), ("-3", (-3.0,)),
        (".5", (0.5,)), ("１０", (10.0,)), (["1", 2], (1.0, 2.0)), ({"value": "7"}, (7.0,)), (True, ()), (None, ()),
        ("", ()), ("ten", ()), ("nan", ()), ("inf", ()), (float("inf"), ()), ("1e999", ()), ("3 of 4", ()),
        ("9" * 100, (float("9" * 64),)), (10**400, ()),
    ],
)  # fmt: skip
def test_numbers(value: Any, numbers: tuple[float, ...]) -> None:
    assert Reading("t", {"amount": value}).numbers("amount") == numbers


@pytest.mark.parametrize(
    "text",
    ["2026-03-28", "2026-03-28T10:00:00Z", " 2026-03-28 ", "2026/03/28", "2026 03 28", "20260328", "28 March 2026",
     "March 28, 2026", "28 mar 2026", "MAR 28 2026", "2026-03-28T10:00:00+09:00"],
)  # fmt: skip
def test_days(text: str) -> None:
    assert Reading("t", {"on": text}).days("on") == (date(2026, 3, 28),)


@pytest.mark.parametrize("text", ["", "soon", "28", "2026-13-01", "31 February 2026", "03/28/2026", None, 5])
def test_what_is_no_day(text: Any) -> None:
    assert Reading("t", {"on": text}).days("on") == ()


@pytest.mark.parametrize("value", [True, 1, 1.0, "true", "True", " YES ", "on", "y", "t", "1", "1.0", "1e0", "Enabled"])
def test_yes(value: Any) -> None:
    assert Reading("t", {"flag": value}).flag("flag")
    assert Reading("t", {"flag": value}).surely("flag")


@pytest.mark.parametrize("value", [False, 0, 2, None, "", "false", "no", "off", "0", "null", [], {}])
def test_no(value: Any) -> None:
    assert not Reading("t", {"flag": value}).flag("flag")
    assert not Reading("t", {"flag": value}).surely("flag")


def test_what_incriminates_needs_one_value_and_what_excuses_needs_all() -> None:
    mixed = Reading("t", {"flag": [True, False], "kind": ["a", "b"]})
    assert mixed.flag("flag")
    assert not mixed.surely("flag")
    assert mixed.word("kind", "a")
    assert not mixed.only("kind", "a")
    assert mixed.only("kind", "a", "b")
    assert not mixed.only("absent", "a")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonpublic news", True), ("non-public news", True), ("NON PUBLIC news", True), ("n o n p u b l i c", True),
        ("ｎｏｎｐｕｂｌｉｃ", True), ("nоnpublіc", True), ("non\u200bpublic", True), ("nónpublic", True),
        ("nonpublicity", False), ("anonpublic", False), ("no nonpublic news", False),
        ("it is not really nonpublic", False), ("do not wait, it is nonpublic", True),
        ("not for you or me to say nonpublic", True), ("without any nonpublic part. But this is nonpublic", True),
    ],
)  # fmt: skip
def test_phrases(text: str, said: bool) -> None:
    assert Reading("t", {"why": text}).says("nonpublic") is said


def test_values_are_found_at_any_depth_and_in_any_spelling_of_the_key() -> None:
    call = Reading("t", {"Outer": [{"Access-Basis": {"value": "x"}}], "accessBasis": "y", "other": "z"})
    assert call.values("access_basis") == ("x", "y")
    assert call.lacks("absent")
    assert not call.lacks("other")


@given(st.text())
def test_folding_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert squash(squash(text)) == squash(text)
    assert " " not in squash(text)
    assert all(part == fold(part) != "" for part in clauses(text))


@given(st.text(st.characters(codec="ascii")))
def test_folding_ignores_case(text: str) -> None:
    assert fold(text.upper()) == fold(text.lower())
