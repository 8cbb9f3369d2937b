"""CPU and wall a turn, beside bare LangGraph and Inspect AI, in the same run.

300 episodes of 10 turns, scripted models on both sides. Ours validates and stores every turn and every reply; bare
LangGraph does neither. Inspect AI runs in a venv of its own, which is made on the first run. Rounds are interleaved
and medians shown, so that a machine whose speed drifts does not favour a side. ``episode.py install`` makes the venv
and no more.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
VENV = HERE.parent / ".bench-venv"
PEERS = ("inspect-ai==0.3.285", "openai==3.57.0")
EPISODES, TURNS, ROUNDS = 300, 10, 3
CPU_AIM_MS, AHEAD_AIM = 1.2, 4.0


def peer_python() -> str:
    """The interpreter of the peer's venv, installed if it is not there."""
    python = VENV / "bin" / "python"
    if not (VENV / ".installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *PEERS], check=True)
        (VENV / ".installed").touch()
    return str(python)


def tokenizers() -> str:
    """The tokenizers that litellm ships: without them Inspect AI would download its own."""
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers")


def once(python: str, script: str, concurrency: int) -> dict[str, float]:
    """One run: CPU and wall milliseconds a turn."""
    command = [python, str(HERE / script), str(EPISODES), str(TURNS), str(concurrency)]
    env = {**os.environ, "TIKTOKEN_CACHE_DIR": tokenizers(), "INSPECT_DISPLAY": "none"}
    line = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout.strip().splitlines()[-1]
    return {key: 1000 * value / (EPISODES * TURNS) for key, value in json.loads(line).items()}


def main() -> None:
    """Print a table, and whether each aim is met."""
    sides = {
        "dilemma": (sys.executable, "episode_ours.py"),
        "bare LangGraph": (sys.executable, "episode_langgraph.py"),
        "Inspect AI": (peer_python(), "episode_inspect.py"),
    }
    for concurrency in (8, 256):
        runs: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
        for _ in range(ROUNDS):
            for side, (python, script) in sides.items():
                runs[side].append(once(python, script, concurrency))
        cpu = {side: statistics.median(run["cpu"] for run in found) for side, found in runs.items()}
        wall = {side: statistics.median(run["wall"] for run in found) for side, found in runs.items()}
        print(f"concurrency {concurrency}: {EPISODES} episodes of {TURNS} turns, median of {ROUNDS}")
        for side in sides:
            print(f"  {side:15} {cpu[side]:6.2f} ms CPU a turn   {wall[side]:6.2f} ms wall a turn")
        ahead = cpu["Inspect AI"] / cpu["dilemma"]
        met = "met" if cpu["dilemma"] <= CPU_AIM_MS else "missed"
        print(f"  aim: at most {CPU_AIM_MS} ms of CPU a turn: {met} ({cpu['dilemma']:.2f})")
        print(
            f"  aim: {AHEAD_AIM:g} times ahead of Inspect AI: {'met' if ahead >= AHEAD_AIM else 'missed'} ({ahead:.1f})"
        )


if __name__ == "__main__":
    peer_python() if sys.argv[1:] == ["install"] else main()
