"""The command line in a process of its own that has its imports behind it.

Each command is forked from a server that has loaded what commands load: a real process, with its own working folder,
environment, streams and exit status, and without the seconds of importing. What holds of a cold start is tested by
``tests/cli/test_start.py``, in cold processes.
"""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    [
        "dilemma.cli.app",
        "dilemma.cli.simulate",
        "dilemma.cli.tables",
        "dilemma.cli.transcript",
        "dilemma.studies.report",
        "dilemma.studies.simulate",
        "dilemma.studies.generate",
        "dilemma_kernel.models.litellm",
    ]
)


def dilemma(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """``dilemma ARGUMENTS`` in ``cwd``, its settings looked for there too, no provider's key in its environment.

    Raises:
        subprocess.TimeoutExpired: it took longer than ``timeout`` seconds, and was killed.
    """
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ = {**clean, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(cwd), "COLUMNS": "200", **(env or {})}
    with TemporaryDirectory() as told:
        streams = [Path(told, name) for name in ("out", "err")]
        process = SERVER.Process(target=_run, args=(arguments, str(cwd), environ, [str(file) for file in streams]))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["dilemma", *arguments], timeout)
        out, err = (file.read_text(encoding="utf-8") for file in streams)
        return subprocess.CompletedProcess(["dilemma", *arguments], process.exitcode, out, err)


def _run(arguments: Sequence[str], folder: str, environ: Mapping[str, str], streams: Sequence[str]) -> None:
    """In the child: become the command."""
    for number, file in enumerate(streams, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", buffering=1, encoding="utf-8")  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    sys.path[:0] = ["", *environ["PYTHONPATH"].split(os.pathsep)]
    sys.argv = ["dilemma", *arguments]
    from dilemma.cli import main  # noqa: PLC0415

    main()
