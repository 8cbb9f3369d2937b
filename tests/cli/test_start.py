"""What the command line loads before it knows what it is asked."""

import subprocess
import sys

HEAVY = ("torch", "litellm", "langgraph", "sqlmodel", "sqlalchemy", "numpy", "xllamacpp", "langchain_core")


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['dilemma', '--help']\n"
        "from dilemma.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('loaded', [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "simulate" in result.stdout
    assert result.stdout.rstrip().endswith("loaded []")


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = f"import sys, dilemma\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]"
