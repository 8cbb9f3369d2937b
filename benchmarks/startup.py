"""CPU of ``dilemma --help`` beyond the interpreter's own start, in the same run."""

import resource
import statistics
import subprocess
import sys

HELP = "import sys; sys.argv = ['dilemma', '--help']; from dilemma.cli import main; main()"
ROUNDS = 7


def cpu_of(code: str) -> float:
    """CPU seconds of a fresh interpreter that runs ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the median of the paired differences."""
    beyond = statistics.median(cpu_of(HELP) - cpu_of("pass") for _ in range(ROUNDS))
    print(f"dilemma --help: {beyond:.3f} s of CPU beyond the interpreter's own start (aim: 0.3 at most)")


if __name__ == "__main__":
    main()
