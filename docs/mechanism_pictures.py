"""The pictures of ``docs/mechanism.md``: ``docs/images/mechanism-*.svg``, from the runs that the page tells of.

    python docs/mechanism_pictures.py [FOLDER]

Runs the page's own commands on the pair of organisms that the tests use, in FOLDER, and prints what they say.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
ORGANISMS = DOCS.parent / "tests" / "data" / "organisms"
PICTURES = {
    "override": {"projections": "override-projections", "patching-flow": "override-flow", "kl-by-layer": "kl"},
    "mediated": {
        "projections": "mediated-projections",
        "patching-flow": "mediated-flow",
        "steering": "steering",
    },
}
"""kind -> the run's picture -> its name on the page."""


def run_page(folder: Path) -> None:
    """Every command of the page that needs no model of others."""
    dilemma = str(Path(sys.executable).parent / "dilemma")
    page = (DOCS / "mechanism.md").read_text(encoding="utf-8")
    for command in re.findall(r"^    dilemma (.+)$", page, flags=re.MULTILINE):
        if "hf/smollm2" not in command:
            print(f"\n$ dilemma {command}", flush=True)
            subprocess.run([dilemma, *command.split()], cwd=folder, check=True)


def main() -> None:
    """Run, and put the pictures in their places."""
    folder = Path(sys.argv[1] if sys.argv[1:] else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for kind in PICTURES:
        shutil.copytree(ORGANISMS / kind, folder / kind)
    run_page(folder)
    for kind, names in PICTURES.items():
        for name, on_page in names.items():
            shutil.copyfile(
                folder / f"{kind}-run" / "figures" / f"{name}.svg", DOCS / "images" / f"mechanism-{on_page}.svg"
            )


if __name__ == "__main__":
    main()
