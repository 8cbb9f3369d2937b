"""A screenshot of Inspect's own viewer showing an export: ``docs/images/inspect-view.png``.

    python docs/inspect_screenshot.py LOGS INSPECT [FOLDER]

``LOGS`` is an export of the format inspect, ``INSPECT`` the ``inspect`` program of a venv that has Inspect AI, such as
``.bench-venv/bin/inspect``. The viewer is bundled into static files and served on a free port of this machine.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def main(logs: Path, inspect: str, out: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        command = [inspect, "view", "bundle", "--log-dir", str(logs), "--output-dir", str(site)]
        subprocess.run(command, check=True, env={**os.environ, "INSPECT_DISPLAY": "none"})
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": 1280, "height": 1000})
            tab.goto(f"http://127.0.0.1:{server.server_port}/")
            tab.wait_for_timeout(6_000)
            shown = tab.get_by_text(".json").first if tab.get_by_text(".json").count() else None
            if shown is not None:
                shown.click()
                tab.wait_for_timeout(4_000)
            tab.screenshot(path=out / "inspect-log.png")
            tab.locator("[class*=_row], [role=row]").nth(1).click()
            tab.wait_for_timeout(4_000)
            tab.screenshot(path=out / "inspect-view.png")
            browser.close()
        server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if sys.argv[3:] else IMAGES)
