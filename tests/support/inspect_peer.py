"""Inspect AI, in the venv of its own that the benchmarks and ``make check-long`` make."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

PEER = Path(__file__).parents[2] / ".bench-venv" / "bin" / "python"
_READ = (
    "import json, sys\n"
    "from inspect_ai.log import list_eval_logs, read_eval_log\n"
    "logs = [read_eval_log(info) for info in list_eval_logs(sys.argv[1])]\n"
    "print(json.dumps([log.model_dump(mode='json') for log in logs]))"
)


def read_logs(folder: Path) -> list[Any]:
    """What ``inspect_ai.log.read_eval_log`` makes of each log in ``folder``; skips where there is no Inspect AI."""
    if not PEER.exists():
        pytest.skip("no venv with Inspect AI: python benchmarks/episode.py install makes it")
    env = {**os.environ, "INSPECT_DISPLAY": "none"}
    found = subprocess.run([PEER, "-c", _READ, folder], capture_output=True, text=True, env=env, timeout=600)
    if "No module named 'inspect_ai'" in found.stderr:
        pytest.skip("the peer's venv has no Inspect AI")
    assert found.returncode == 0, found.stderr[-2000:]
    logs: list[Any] = json.loads(found.stdout.strip().splitlines()[-1])
    assert logs
    return logs
