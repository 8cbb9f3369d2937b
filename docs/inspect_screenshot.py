"""A screenshot of Inspect's own viewer showing an export: ``docs/images/inspect-{log,view}.png``.

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
SETTLE_MS = 5_000
"""Until a page of the viewer has read what it shows."""


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
            tab.set_default_timeout(120_000)
            tab.goto(f"http://127.0.0.1:{server.server_port}/")
            for name in (None, "inspect-log.png", "inspect-view.png"):
                tab.wait_for_timeout(SETTLE_MS)
                if name is not None:
                    tab.locator("[role=row]").nth(1).click()
                    tab.wait_for_timeout(SETTLE_MS)
                    tab.screenshot(path=out / name)
            browser.close()
        server.shutdown()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if sys.argv[3:] else IMAGES)
