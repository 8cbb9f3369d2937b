"""Episodes a second over HTTP, beside Inspect AI on the same server, in the same run; and in two processes.

300 episodes of 10 turns, 256 at once, two calls a turn, at 0 and 200 ms of latency. Ours goes through litellm's real
path, validates every turn and stores every reply; Inspect AI sends the shorter conversation, without tools, and writes
its own log. It runs in a venv of its own, made on the first run. Sides are interleaved, so that a machine whose speed
drifts does not favour one.

``python over_http.py [ROUNDS [LATENCY_MS]]``, 1 by default; each run is told on stderr as it ends.
``python over_http.py profile`` shows where the CPU of ours goes.
"""

import json
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from episode import HERE, peer_python, tokenizers
from http_ours import helper_call

EPISODES, TURNS, CONCURRENCY = 300, 10, 256
CALLS_A_TURN = 2
LATENCIES_MS = (0, 200)
AHEAD_AIM, SHARE_AIM = 2.5, 0.1
PROFILED = 60
"""Episodes of the profile."""
ROOT = HERE.parent
Run = dict[str, float]


@contextmanager
def serving() -> Iterator[str]:
    """The server, in a process of its own; gives the start of its URL."""
    command = [sys.executable, str(HERE / "http_server.py"), *helper_call()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def once(python: str, script: str, url: str, *more: str, episodes: int = EPISODES) -> Run:
    """One run: CPU and wall seconds."""
    command = [python, str(HERE / script), url, str(episodes), str(TURNS), str(CONCURRENCY), *more]
    settings = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "INSPECT_DISPLAY": "none", "TIKTOKEN_CACHE_DIR": tokenizers()}
    env = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, text=True, env=env)
    if ended.returncode:
        raise SystemExit(f"{script} failed:\n{ended.stderr[-2000:]}")
    found: Run = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def compare(rounds: int, latencies: Sequence[int]) -> None:
    """Print a table for each latency, and whether the aim is met."""
    sides = {
        "dilemma": (sys.executable, "http_ours.py"),
        "Inspect AI": (peer_python(), "http_inspect.py"),
        "dilemma, 2 processes": (sys.executable, "http_ours.py", "2"),
    }
    with serving() as base:
        for latency in latencies:
            runs: dict[str, list[Run]] = {side: [] for side in sides}
            for _ in range(rounds):
                for side, (python, script, *more) in sides.items():
                    runs[side].append(once(python, script, f"{base}/{latency}/v1", *more))
                    print(latency, side, runs[side][-1], file=sys.stderr, flush=True)
            show(
                latency,
                {side: {k: statistics.median(r[k] for r in found) for k in found[0]} for side, found in runs.items()},
            )


def show(latency: int, found: dict[str, Run]) -> None:
    """One latency's table."""
    ideal = EPISODES * TURNS * CALLS_A_TURN * latency / 1000 / CONCURRENCY
    print(f"{latency} ms of latency: {EPISODES} episodes of {TURNS} turns, {CONCURRENCY} at once, two calls a turn")
    for side, run in found.items():
        bound = f"   {ideal / run['wall']:.2f} of the latency-bound ideal" if ideal else ""
        turn_ms = 1000 * run["cpu"] / (EPISODES * TURNS)
        print(f"  {side:21} {EPISODES / run['wall']:6.2f} episodes/s   {turn_ms:6.2f} ms CPU a turn{bound}")
    ours, peer, crew = (found[side]["wall"] for side in ("dilemma", "Inspect AI", "dilemma, 2 processes"))
    ahead = peer / ours
    print(f"  aim: {AHEAD_AIM:g} times Inspect AI's episodes a second: {verdict(ahead >= AHEAD_AIM)} ({ahead:.2f})")
    print(f"  2 processes against 1: {ours / crew:.2f} times as fast, on {os.cpu_count()} cores, server included")


def profile() -> None:
    """Print where the CPU of the main thread goes, by package, and the functions of ours that take most."""
    with serving() as base, tempfile.NamedTemporaryFile() as file:
        once(sys.executable, "http_ours.py", f"{base}/0/v1", "1", f"--profile={file.name}", episodes=PROFILED)
        stats = pstats.Stats(file.name).stats  # type: ignore[attr-defined]
    spent: Counter[str] = Counter()
    ours: Counter[str] = Counter()
    for (path, _, name), (_, _, own, _, callers) in stats.items():
        for where, seconds in by_caller(path, own, callers):
            spent[home(where)] += seconds
        if path.startswith(str(ROOT)) and "/.venv/" not in path:
            ours[f"{Path(path).relative_to(ROOT)}:{name}"] += own
    total = sum(spent.values())
    for package, seconds in spent.most_common(16):
        print(f"  {package:22} {seconds / total:6.1%}")
    for function, seconds in ours.most_common(8):
        print(f"  {function:60} {seconds / total:6.1%}")
    most = max(seconds for package, seconds in spent.items() if (ROOT / package).is_dir()) / total
    print(f"  aim: nothing of ours over {SHARE_AIM:.0%} of the CPU: {verdict(most <= SHARE_AIM)} ({most:.1%} at most)")


def by_caller(
    path: str, own: float, callers: dict[tuple[str, int, str], tuple[int, int, float, float]]
) -> list[tuple[str, float]]:
    """A built-in's time belongs to whoever called it."""
    if path != "~":
        return [(path, own)]
    return [(where, seconds) for (where, _, _), (_, _, seconds, _) in callers.items()]


def home(path: str) -> str:
    """The package that a file belongs to."""
    for mark in ("/site-packages/", f"{ROOT}/"):
        if mark in path:
            return path.split(mark, 1)[1].split("/")[0].removesuffix(".py")
    return "Python's own" if path.startswith("/") else path


def verdict(holds: bool) -> str:
    return "met" if holds else "missed"


if __name__ == "__main__":
    if sys.argv[1:] == ["profile"]:
        profile()
    else:
        given = [int(argument) for argument in sys.argv[1:]]
        compare(*given[:1] or [1], given[1:] or LATENCIES_MS)
