"""The house keeps its own rules: layers, exports, schemas, shipped files."""

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def test_arrows_point_down() -> None:
    result = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports")], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", [*PACKAGES, "dilemma_kernel.records", "dilemma_kernel.statistics"])
def test_exports_are_what_all_says(name: str) -> None:
    package = importlib.import_module(name)
    for exported in getattr(package, "__all__", ()):
        assert getattr(package, exported) is not None
    with pytest.raises(AttributeError):
        _ = package.no_such_name


def test_the_wheel_names_every_package_with_code() -> None:
    top = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert top - {"benchmarks"} == set(PACKAGES)
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == set(PACKAGES)
    assert set(PROJECT["tool"]["mypy"]["packages"]) == set(PACKAGES)


def test_schemas_in_docs_are_the_records() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        schemas = importlib.import_module("build_reference").schemas()
    finally:
        sys.path.remove(str(ROOT / "docs"))
    for name, text in schemas.items():
        assert (ROOT / "docs" / "reference" / "schemas" / name).read_text() == text, f"run make docs: {name}"
        assert json.loads(text)["type"] == "object"


def test_links_in_the_docs_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_settings_page_names_every_option() -> None:
    simulate = importlib.import_module("dilemma.studies.options").SimulateOptions
    page = (ROOT / "docs" / "settings.md").read_text()
    for name, field in simulate.model_fields.items():
        option = (field.alias or name).replace("_", "-")
        assert option == "set" or f"--{option}" in page, option
