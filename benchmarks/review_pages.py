"""What the pages of the review app take on a store of 100,000 episodes (1,000,000 turns): medians, over HTTP.

    python benchmarks/review_store.py make STORE.db
    python benchmarks/review_pages.py STORE.db [ROUNDS]

The server is a process of its own. Beside the time that a reader waits stands the processor time of the server, which
other work on the machine leaves as it is.
"""

import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import httpx

STUDY = "large"
AIMS_MS = {"study": 300.0, "episode": 150.0}
WORDS = ("held", "counter certificate", "zebra")
DILEMMA = str(Path(sys.executable).parent / "dilemma")
_TICKS = os.sysconf("SC_CLK_TCK")


def study_pages(rng: random.Random) -> Mapping[str, str]:
    """Name -> address, of the study's list as people ask for it."""
    asked: dict[str, dict[str, object]] = {
        "first page": {},
        "a late page": {"page": rng.randrange(500, 1500)},
        "a label": {"label": rng.choice(["strategic", "robust"])},
        "a label, sorted by turns": {"label": "direct", "sort": "turns", "down": "1"},
        "an agent with trouble": {"agent": "scripted/one", "trouble": "any"},
        "disagreement": {"differ": "sides"},
        "the most contested first": {"sort": "differ", "down": "1"},
        "the dearest first": {"sort": "cost", "down": "1"},
        **{f"words: {words}": {"text": words} for words in WORDS},
    }
    return {name: f"/study?{urlencode({'study': STUDY, **more})}" for name, more in asked.items()}


class Server:
    """The app over a store, and a client that was let in."""

    def __init__(self, store: Path) -> None:
        command = [DILEMMA, "review", STUDY, "--store", str(store), "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        link = next(line.strip() for line in self.process.stdout if line.startswith("http"))
        self.client = httpx.Client(base_url=link.split("/open")[0], timeout=600)
        self.client.get(link)

    def timed(self, address: str) -> tuple[float, float, str]:
        """Milliseconds that a reader waits, those of the server's processor, and the page."""
        busy, started = self._busy(), time.perf_counter()
        answer = self.client.get(address)
        waited = time.perf_counter() - started
        assert answer.status_code == 200, (address, answer.status_code)
        return 1000 * waited, 1000 * (self._busy() - busy), answer.text

    def _busy(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def close(self) -> None:
        self.client.close()
        self.process.terminate()
        self.process.wait(30)


def index(server: Server) -> float:
    """Seconds until the words of every episode are known; a search begins it."""
    started = time.perf_counter()
    while "still being read" in server.timed(f"/study?{urlencode({'study': STUDY, 'text': 'zebra'})}")[2]:
        time.sleep(2)
    return time.perf_counter() - started


def episodes(server: Server, rng: random.Random, n: int) -> Iterator[str]:
    """Addresses of episodes from all over the list, each first opened by this."""
    for _ in range(n):
        page = server.client.get(f"/study?{urlencode({'study': STUDY, 'page': rng.randrange(1, 2000)})}").text
        yield rng.choice(re.findall(r'href="(/episode/[^"]+)"', page)).replace("&amp;", "&")


def main(store: Path, rounds: int) -> None:
    rng = random.Random(0)
    server = Server(store)
    try:
        print(f"words of the store read in {index(server):.0f} s")
        taken: dict[str, list[tuple[float, float]]] = {}
        for _ in range(rounds):
            for name, address in study_pages(rng).items():
                taken.setdefault(f"study: {name}", []).append(server.timed(address)[:2])
        for address in episodes(server, rng, 3 * rounds):
            taken.setdefault("episode", []).append(server.timed(address)[:2])
        taken["the studies"] = [server.timed("/")[:2] for _ in range(rounds)]
        for kind, aim in AIMS_MS.items():
            waits = [wait for name, pairs in taken.items() if name.startswith(kind) for wait, _ in pairs]
            median = statistics.median(waits)
            print(f"{kind:10} median {median:6.0f} ms (aim {aim:.0f}): {'met' if median < aim else 'missed'}")
        print(f"{'':34} {'waited':>9} {'server':>9}   median, ms")
        for name, pairs in taken.items():
            waited, busy = (statistics.median(column) for column in zip(*pairs, strict=True))
            print(f"{name:34} {waited:9.0f} {busy:9.0f}")
    finally:
        server.close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case [store]:
            main(Path(store), 9)
        case [store, rounds]:
            main(Path(store), int(rounds))
        case _:
            sys.exit(__doc__)
