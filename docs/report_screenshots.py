"""Screenshots of the report pages, light and dark, 1280 and 390 px wide: ``docs/images/report-*.png``.

    python docs/report_screenshots.py [FOLDER]

Runs a small study of scripted agents and one of refusal transfer, writes their pages, and has Chromium (``chromium``
on the PATH) take the pictures. Nothing is asked of the network.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent / "images"
WIDTHS = {1280: 1600, 390: 2400}
"""Width -> height of the part that is shown."""

SIMULATE = (
    "simulate --agent scripted/random --agent scripted/strategic --environment rules --vary stakes "
    "--control order --domain legal --domain healthcare --domain finance --episodes 3 --turns 6 --study demo"
)
TRANSFER = "transfer run --model scripted/transfer --arms all --sample 12 --study transfer"


def make_pages(folder: Path) -> dict[str, Path]:
    """Name -> page."""
    dilemma = str(Path(sys.executable).parent / "dilemma")
    for command in (
        SIMULATE,
        "report demo --html study.html",
        TRANSFER,
        "transfer report transfer --html transfer.html",
    ):
        subprocess.run([dilemma, *command.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return {"study": folder / "study.html", "transfer": folder / "transfer.html"}


def shoot(browser: Browser, name: str, page: Path, out: Path) -> None:
    """The top of the page at each width and colour scheme, and a transcript."""
    for width, height in WIDTHS.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            tab = context.new_page()
            tab.set_default_timeout(300_000)
            tab.goto(page.as_uri())
            tab.screenshot(path=out / f"report-{name}-{scheme}-{width}.png")
            tab.click("#episodes details.listing > summary")
            tab.click("#episodes details.listing[open] a")
            tab.wait_for_function("document.querySelector('details.episode[open]')")
            tab.screenshot(path=out / f"report-{name}-episode-{scheme}-{width}.png")
            context.close()


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not on the PATH")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, page in make_pages(Path(folder)).items():
            shoot(browser, name, page, out)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else IMAGES)
