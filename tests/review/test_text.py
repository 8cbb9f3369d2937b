"""Hostile text in a page: escaped, unseen characters shown, sizes bounded."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from review_hostile import HOSTILE

pytest.importorskip("markupsafe", reason="the extra review is not installed")

from dilemma.review.text import line, shown
from dilemma_kernel.unseen import code_point, is_unseen, replace_unseen

OURS = {"div", "span", "p", "a", "details", "summary"}


class Reading(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def written(text: str) -> str:
    """What a reader should see of ``text``."""
    return replace_unseen(text.replace("\r\n", "\n"), code_point)


def test_there_are_sixty() -> None:
    assert len(HOSTILE) == 60
    assert len(HOSTILE["five megabytes"]) >= 5 * 2**20


@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_text_becomes_markup(name: str) -> None:
    page = Reading(str(shown(HOSTILE[name], first=100, most=2_000)) + str(line(HOSTILE[name])))
    assert page.tags <= OURS
    assert page.attributes <= {"class"}


@given(st.text(st.characters(), max_size=60), st.integers(1, 30))
@settings(max_examples=300, deadline=None)
def test_all_of_a_text_is_there_and_can_be_sent(text: str, first: int) -> None:
    page = str(shown(text, first=first))
    assert not [char for char in page if is_unseen(char)]
    seen = "".join(Reading(page.replace("<details", "\0<details").partition("\0")[0]).words)
    rest = Reading(page.partition("</summary>")[2]).words
    assert seen + "".join(rest) == written(text[:first]) + written(text[first:])


def test_what_is_left_out_is_counted() -> None:
    assert "show more (30 characters; 10 more are not in this page)" in shown("x" * 30, first=10, most=20)
    assert "show all (30 characters)" in shown("x" * 30, first=10)
    assert "20 characters more are not in this page" in shown("x" * 30, first=10, most=10)
    assert '<a href="/t?a=1&amp;b=2">show all 30 characters</a>' in shown("x" * 30, first=10, more="/t?a=1&b=2")
    assert len(shown(HOSTILE["five megabytes"], most=8_000)) < 200_000


def test_marks_that_pile_up_are_counted() -> None:
    assert str(line("Z" + "\u0301" * 300)).endswith('\u0301<span class="unseen">151 marks more</span>…</span>')
    accented = "e\u0301" * 20
    assert str(line(accented)) == f'<span class="one">{accented}</span>'


def test_a_line_is_one_line() -> None:
    assert str(line("a\n b\tc ")) == '<span class="one">a b c</span>'
    assert str(line("x" * 20, 10)) == f'<span class="one">{"x" * 10}…</span>'
    assert str(line(" " * 1000 + "x", 10)).endswith("…</span>")
