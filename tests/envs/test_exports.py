"""What the package serves, and what it loads to do so."""

import subprocess
import sys

import envs


def test_every_public_name_is_served() -> None:
    names = {"ModelEnvironment", "RulesEnvironment", "check_environment", "fork_episode", "run_episode"}
    assert set(envs.__all__) == names
    assert all(getattr(envs, name).__name__ == name for name in envs.__all__)
    assert dir(envs) == envs.__all__


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "{'langgraph', 'pydantic', 'networkx', 'dilemma_kernel'}"
    code = f"import envs, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
