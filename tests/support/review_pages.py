"""What a browser would make of a page, as far as tests ask: places, links, what could run, what is asked for."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

PATIENCE_MS = 300_000
"""A page may load slowly where cores are shared."""

VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "base"})


class Page(HTMLParser):
    """A page, read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.asked_for: list[str] = []
        """Everything that a browser would fetch."""
        self.scripts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self._open.append(tag)
        if tag == "script":
            self.scripts.append("")
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "xlink:href"}:
                (self.links if tag == "a" else self.asked_for).append(value or "")
            if name in {"src", "srcset", "data", "action", "poster", "background", "formaction"}:
                self.asked_for.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts[-1] += data


@contextmanager
def browser_page(path: Path) -> Iterator[tuple[Any, list[str]]]:
    """A page open in Chromium, and what it complained of or asked the network for; skips where there is no browser."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not on the PATH")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.set_default_timeout(PATIENCE_MS)
        trouble: list[str] = []
        tab.on("console", lambda message: trouble.append(f"console: {message.text}"))
        tab.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        tab.on("dialog", lambda dialog: (trouble.append("dialog"), dialog.dismiss()))
        tab.on("request", lambda request: request.url.startswith("file:") or trouble.append(f"asked: {request.url}"))
        tab.goto(path.as_uri())
        yield tab, trouble
        browser.close()
