"""A study in a process of its own, which a server kills after a request of its choice."""

import os
import signal
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from command_line import SERVER
from loopback_server import Answer, Received
from provider_studies import played

import dilemma

STUDY: dict[str, Any] = {
    "agent": "gpt-x",
    "domain": ["coding", "legal"],
    "turns": 3,
    "episodes": 2,
    "concurrency": 6,
    "study": "s",
    "store": "d.db",
}


def run_study(folder: str, **more: Any) -> None:
    """The study, in ``folder``."""
    os.chdir(folder)
    os.environ["XDG_CONFIG_HOME"] = folder
    dilemma.run(**{**STUDY, **more})


class Killer:
    """A server's script: it plays well, and kills the study upon request ``after``, before answering.

    Args:
        after: number of the request; none is ever that one where it is 0.
    """

    def __init__(self, after: int) -> None:
        self._after = after
        self.pid: int | None = None

    def __call__(self, received: Received) -> Answer:
        if received.number == self._after:
            assert self.pid is not None
            os.kill(self.pid, signal.SIGKILL)
        return played(received)

    def run(self, folder: Path, **more: Any) -> int | None:
        """Run the study to its end, or to its death; returns the exit code."""
        process: BaseProcess = SERVER.Process(target=run_study, args=(str(folder),), kwargs=more)
        process.start()
        self.pid = process.pid
        process.join(240)
        return process.exitcode
