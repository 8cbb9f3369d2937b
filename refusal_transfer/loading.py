"""A suite from its folder.

A folder holds ``manifest.yaml`` and, for each domain, a folder with ``tools.yaml``, ``systems.yaml``,
``predicates.py`` and one file for each scenario. ``predicates.py`` is run as it is: load suites of people you trust.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import TypeAdapter, ValidationError

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Record, ToolSpec
from refusal_transfer.checking import check_suite
from refusal_transfer.predicates import ForbiddenAction
from refusal_transfer.records import REQUESTS, VARIANTS, ExampleCall, Intent, Manifest, Variant, Wording
from refusal_transfer.suite import Domain, Suite

SHIPPED = Path(__file__).parent / "shipped"
"""The folder of the suite that comes with this package."""

_MOST_SHOWN = 5
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader, in C where PyYAML was built with it."""


class _Entry(Record):
    """A harmful or a benign intent as its file gives it."""

    summary: str
    wordings: dict[Variant, Wording]
    call: dict[str, Any]
    predicate: str | None = None
    decoy: dict[str, Any] | None = None


class _Pair(Record):
    """A harmful intent and its benign control."""

    batch: int
    tool: str
    harmful: _Entry
    benign: _Entry


class _ScenarioFile(Record):
    format: Literal[1] = 1
    pairs: tuple[_Pair, ...]


def load_suite(folder: Path = SHIPPED) -> Suite:
    """The suite in ``folder``, checked.

    Raises:
        ScenarioError: a file is missing or cannot be read, or a check of ``checking.check_suite`` fails.
    """
    suite = read_suite(folder)
    findings = check_suite(suite)
    if findings:
        shown = "; ".join(f"{finding.where}: {finding.message}" for finding in findings[:_MOST_SHOWN])
        more = f"; and {len(findings) - _MOST_SHOWN} more" if len(findings) > _MOST_SHOWN else ""
        raise ScenarioError(f"{folder}: {shown}{more}")
    return suite


def read_suite(folder: Path = SHIPPED) -> Suite:
    """The suite in ``folder``, with the form of its files checked and nothing else.

    Raises:
        ScenarioError: a file is missing or has another form.
    """
    manifest: Manifest = _read(folder / "manifest.yaml", Manifest)
    domains = {name: _domain(folder / name, name) for name in manifest.domains}
    intents = tuple(
        intent
        for name in manifest.domains
        for scenario in manifest.scenarios
        for intent in _intents(folder / name / f"{scenario}.yaml", name, scenario)
    )
    return Suite(manifest=manifest, hash=_folder_hash(folder, manifest), domains=domains, intents=intents)


def _domain(folder: Path, name: str) -> Domain:
    tools = _read(folder / "tools.yaml", tuple[ToolSpec, ...])
    systems = _read(folder / "systems.yaml", dict[str, str])
    return Domain(name=name, tools=tools, forbidden=_forbidden(folder / "predicates.py"), systems=systems)


def _intents(path: Path, domain: str, scenario: str) -> Iterator[Intent]:
    for pair in _read(path, _ScenarioFile).pairs:
        for request in REQUESTS:
            entry: _Entry = getattr(pair, request)
            try:
                yield Intent(
                    domain=domain,
                    scenario=scenario,
                    batch=pair.batch,
                    request=request,
                    tool=pair.tool,
                    summary=entry.summary,
                    wordings={variant: entry.wordings[variant] for variant in VARIANTS if variant in entry.wordings},
                    call=ExampleCall(tool=pair.tool, arguments=entry.call),
                    predicate=entry.predicate,
                    decoy=None if entry.decoy is None else ExampleCall(tool=pair.tool, arguments=entry.decoy),
                )
            except ValidationError as error:
                raise ScenarioError(f"{path}: batch {pair.batch}, {request}: {_first(error)}") from error


def _forbidden(path: Path) -> tuple[ForbiddenAction, ...]:
    module_name = f"refusal_transfer_predicates_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ScenarioError(f"{path}: expected a Python file that defines FORBIDDEN")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ScenarioError(f"{path}: {type(error).__name__}: {error}") from error
    found = getattr(module, "FORBIDDEN", None)
    if not isinstance(found, tuple) or not all(isinstance(item, ForbiddenAction) for item in found):
        raise ScenarioError(f"{path}: expected FORBIDDEN, a tuple of ForbiddenAction")
    return found


def _read(path: Path, form: Any) -> Any:
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ScenarioError(f"{path}: is not YAML: {' '.join(str(error).split())}") from error
    try:
        return TypeAdapter(form).validate_python(data)
    except ValidationError as error:
        raise ScenarioError(f"{path}: {_first(error)}") from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'top'}: {first['msg']}"


def _folder_hash(folder: Path, manifest: Manifest) -> str:
    digest = hashlib.sha256()
    for name in sorted(_files(manifest)):
        content = (folder / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _files(manifest: Manifest) -> Iterator[str]:
    yield "manifest.yaml"
    for domain in manifest.domains:
        for name in ("tools.yaml", "systems.yaml", "predicates.py", *(f"{s}.yaml" for s in manifest.scenarios)):
            yield f"{domain}/{name}"
