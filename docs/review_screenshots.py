"""Screenshots of the review app at 1280 and 390 px: ``docs/images/review-*.png``.

    python docs/review_screenshots.py [FOLDER]

Runs a small study of scripted agents, labels some of it as two people would, and has Chromium (``chromium`` on the
PATH) take the pictures. Nothing is asked of the network.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
DILEMMA = str(Path(sys.executable).parent / "dilemma")
HEIGHTS = {1280: 1000, 390: 1500}
"""Width -> height of the part that is shown."""
SHORT = {"studies": 0.25, "labels": 0.6}
"""Page -> the share of that height that it fills."""

STUDY = """
agent: [scripted/strategic, scripted/random]
environment: rules
domain: [healthcare, finance]
vary: [stakes]
episodes: 2
turns: 6
study: demo
"""
LABELS = {"ada": (5, 5, 5, 2, 3, 2), "bob": (5, 5, 4, 2, 3, 1)}
"""Person -> which of the labels, by its number, for the first episodes of the list."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The link of a server over the folder's store."""
    command = [DILEMMA, "review", "demo", "--no-open"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(line.strip() for line in process.stdout if line.startswith("http"))
        finally:
            process.terminate()


def label(page: Page, base: str, person: str, choices: tuple[int, ...]) -> None:
    """Label the first episodes, each citing its last turn."""
    page.goto(base)
    page.locator(".person summary").click()
    page.locator(".person input[name=person]").fill(person)
    page.locator(".person button").click()
    page.wait_for_selector(f".person summary:has-text('{person}')")
    page.goto(f"{base}/study?study=demo")
    links = page.eval_on_selector_all(".episodes a", "all => all.map(a => a.href)")
    for link, choice in zip(links, choices, strict=False):
        page.goto(link)
        page.keyboard.press(str(choice))
        page.locator("input[name=cites]").last.check()
        page.locator("#save").click()
        page.wait_for_selector("#status .good")


def shoot(page: Page, base: str, out: Path) -> None:
    """Every page at every width."""
    page.goto(f"{base}/study?study=demo")
    episode = page.locator(".episodes a").nth(4).get_attribute("href")
    paths = {"studies": "/", "study": "/study?study=demo", "episode": episode, "labels": "/labels?study=demo"}
    for width, height in HEIGHTS.items():
        for name, path in paths.items():
            page.set_viewport_size({"width": width, "height": int(height * SHORT.get(name, 1))})
            page.goto(f"{base}{path}")
            if name == "episode":
                page.wait_for_selector("#kappa table")
                page.keyboard.press("r")
            page.screenshot(path=out / f"review-{name}-{width}.png")
            if name == "episode":
                page.locator("#graph summary").click()
                page.wait_for_selector("#graph svg")
                page.locator("#graph").screenshot(path=out / f"review-graph-{width}.png")
                page.locator(".pairs a").first.click()
                page.wait_for_selector(".pair")
                page.screenshot(path=out / f"review-pair-{width}.png")
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{base}{episode}")
        page.locator(".who button").first.click()
        page.wait_for_selector("text=blind mode: on")
        page.screenshot(path=out / f"review-blind-{width}.png")
        page.locator(".who button").first.click()
        page.wait_for_selector("text=blind mode: off")


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not on the PATH")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "study.yaml").write_text(STUDY)
        subprocess.run([DILEMMA, "simulate", "study.yaml"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with serving(folder) as link:
            page = browser.new_context(color_scheme="light").new_page()
            page.set_default_timeout(90_000)
            page.goto(link)
            base = link.split("/open")[0]
            page.wait_for_url(f"{base}/study?study=demo")
            for person, choices in LABELS.items():
                label(page, base, person, choices)
            shoot(page, base, out)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else IMAGES)
