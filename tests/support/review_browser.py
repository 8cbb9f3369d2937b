"""A real browser: Debian's Chromium, driven by Playwright, that notes errors and requests off the machine."""

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = sync_api.expect
CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: apt-get install chromium")
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
SERIOUS = {"serious", "critical"}
_PATIENCE_MS = 60_000
LOCAL = {"127.0.0.1", "localhost"}


@dataclass
class Noted:
    """What went wrong while pages were open."""

    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """Addresses that are not on this machine."""


@contextmanager
def chromium() -> Iterator["sync_api.Browser"]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def watched(browser: "sync_api.Browser", **options: object) -> tuple["sync_api.Page", Noted]:
    """A page of a context of its own, and what is noted of it."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page()
    noted = Noted()
    page.on("console", lambda said: noted.errors.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: noted.errors.append(str(error)))
    page.on("request", lambda request: _note(request.url, noted))
    page.set_default_timeout(_PATIENCE_MS)
    expect.set_options(timeout=_PATIENCE_MS)
    return page, noted


def _note(address: str, noted: Noted) -> None:
    parts = urlsplit(address)
    if parts.scheme not in {"data", "blob", "about"} and parts.hostname not in LOCAL:
        noted.elsewhere.append(address)


def serious_faults(page: "sync_api.Page") -> list[str]:
    """What axe-core finds serious or critical."""
    return faults(page, SERIOUS)


def faults(page: "sync_api.Page", impacts: Collection[str]) -> list[str]:
    """What axe-core finds of these impacts: the rule, and the first place."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    found = axe.run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in impacts]
