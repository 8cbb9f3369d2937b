"""Public names are those in ``__all__``, each served, and importing the package loads nothing heavy."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import dilemma_kernel.models.toolcalls as toolcalls
import refusal_transfer


@pytest.mark.parametrize("package", [refusal_transfer, toolcalls], ids=lambda package: package.__name__)
def test_every_public_name_is_served(package: object) -> None:
    names = package.__all__  # type: ignore[attr-defined]
    assert len(set(names)) == len(names)
    for path in package.__path__:  # type: ignore[attr-defined]
        for module in iter_modules([path]):
            import_module(f"{package.__name__}.{module.name}")  # type: ignore[attr-defined]
    assert not any(isinstance(getattr(package, name), ModuleType) for name in names)
    with pytest.raises(AttributeError):
        _ = package.nothing_of_this_name  # type: ignore[attr-defined]


def test_importing_the_packages_loads_nothing_heavy() -> None:
    code = (
        "import sys, refusal_transfer, dilemma_kernel.models.toolcalls;"
        "print([m for m in ('numpy', 'sklearn', 'yaml', 'litellm', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
