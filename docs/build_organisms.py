"""Train the organisms of ``docs/organisms.md``, check each, and write its table. What is there already is kept.

With names, only these: ``python docs/build_organisms.py llama-override-1``.
"""

import json
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import get_args

from dilemma.studies.mechanism.organism_check import OrganismCheck, check_organism
from refusal_mechanism.organisms import ARCHS, KINDS, Arch, Kind, train

ROOT = Path(__file__).parent.parent
CACHE = ROOT / ".cache" / "organisms"
PAGE = Path(__file__).parent / "organisms.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"
SEEDS = {"llama": (0, 1, 2)}
PLANNED = [f"{arch}-{kind}-{seed}" for arch, kind in product(ARCHS, KINDS) for seed in SEEDS.get(arch, (0,))]
_HEAD = (
    "| organism | steps | chat refusal | benign calls | parsed | divergence error | decisions as planted "
    "| site | AUC | restored | best of 20 random | as far | training, processor s |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
)


def made(name: str) -> tuple[OrganismCheck, float | None]:
    """The check of an organism, and the processor seconds of its training; trained and checked where it was not."""
    folder, checked, clocked = CACHE / name, CACHE / f"{name}.check.json", CACHE / f"{name}.seconds.json"
    if not (folder / "organism.json").is_file():
        arch, kind, seed = name.rsplit("-", 2)
        started = time.process_time()
        train(_arch(arch), _kind(kind), int(seed), folder, notify=_told(name))
        clocked.write_text(json.dumps(time.process_time() - started), encoding="utf-8")
    if not checked.is_file():
        run = CACHE / f"{name}.run"
        check = check_organism(folder, run, resume=(run / "settings.json").is_file())
        checked.write_text(check.model_dump_json(indent=1) + "\n", encoding="utf-8")
    check = OrganismCheck.model_validate_json(checked.read_text(encoding="utf-8"))
    return check, json.loads(clocked.read_text(encoding="utf-8")) if clocked.is_file() else None


def table() -> str:
    """A row for every planned organism that was checked."""
    there = [name for name in PLANNED if (CACHE / f"{name}.check.json").is_file()]
    rows = "".join(_row(name, *made(name)) for name in there)
    missing = [name for name in PLANNED if name not in there]
    return _HEAD + rows + (f"\nNot trained yet: {', '.join(missing)}.\n" if missing else "")


def _row(name: str, check: OrganismCheck, seconds: float | None) -> str:
    found = f"{check.site} ({check.rule})"
    cells = [
        name,
        str(check.steps),
        *map(_share, (check.chat_refusal, check.benign_calls, check.parsed, check.divergence_error, check.matching)),
        found,
        *map(_share, (check.auc, check.restored, check.best_random, check.best_as_far)),
        "" if seconds is None else f"{seconds:.0f}",
    ]
    return f"| {' | '.join(cells)} |\n"


def _share(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.3f}"


def write_table() -> None:
    """Put the table in its place on the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{table()}{END}{rest.split(END)[1]}", encoding="utf-8")


def _arch(text: str) -> Arch:
    return next(arch for arch in get_args(Arch) if arch == text)


def _kind(text: str) -> Kind:
    return next(kind for kind in get_args(Kind) if kind == text)


def _told(name: str) -> Callable[[int, float], None]:
    def told(step: int, loss: float) -> None:
        if step % 100 == 0:
            print(f"{name}: step {step}, loss {loss:.3f}", flush=True)

    return told


def main() -> None:
    """Everything that is planned, or what was named."""
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PLANNED:
        check, _ = made(name)
        print(f"{name}: restored {_share(check.restored)}, AUC {_share(check.auc)}", flush=True)
        write_table()


if __name__ == "__main__":
    main()
