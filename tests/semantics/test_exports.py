"""The package's public names, and what importing it costs."""

import subprocess
import sys

import pytest

from dilemma_kernel import semantics


def test_every_public_name_is_served() -> None:
    for name in semantics.__all__:
        assert getattr(semantics, name) is not None
    assert set(dir(semantics)) == set(semantics.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="none_such"):
        _ = semantics.none_such


def test_importing_loads_nothing_heavy() -> None:
    heavy = {"networkx", "numpy", "jsonschema", "pydantic", "litellm", "langgraph"}
    code = f"import sys, dilemma_kernel.semantics; sys.exit(' '.join({heavy!r} & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
