"""What the package gives away, and that it loads nothing heavy before it is asked."""

import subprocess
import sys

import pytest

from dilemma_kernel import statistics


def test_every_public_name_is_there() -> None:
    assert list(statistics.__all__) == sorted(statistics.__all__)
    for name in statistics.__all__:
        found = getattr(statistics, name)
        assert getattr(found, "__name__", name) == name, "a module hides a name"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'mean'"):
        _ = statistics.mean


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = {"numpy", "scipy", "statsmodels"}
    code = f"import sys, dilemma_kernel.statistics; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
