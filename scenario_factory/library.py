"""Domain libraries: the shipped ones by name, any other by its path, and a new one to begin with."""

import re
from importlib.resources import files
from pathlib import Path

from dilemma_kernel.errors import InputError, ScenarioError
from scenario_factory.domain import Domain
from scenario_factory.yaml_reading import parse_yaml, quoted, read_record

_SHELF = files("scenario_factory") / "domains"
_TEMPLATE = files("scenario_factory") / "domain_template.yaml"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def shipped_domains() -> tuple[str, ...]:
    """Names of the domains that come with the software, sorted."""
    return tuple(sorted(f.name.removesuffix(".yaml") for f in _SHELF.iterdir() if f.name.endswith(".yaml")))


def load_domain(name_or_path: str | Path) -> Domain:
    """The domain of this name, or in the YAML file at this path.

    Raises:
        ScenarioError: there is none, or the file does not load; one line that names the place.
    """
    name = str(name_or_path)
    if name in shipped_domains():
        return _parsed((_SHELF / f"{name}.yaml").read_bytes(), f"{name}.yaml")
    path = Path(name_or_path)
    if not path.is_file():
        known = ", ".join(shipped_domains())
        raise ScenarioError(f"no domain {quoted(name)}: expected one of {known}, or the path of a YAML file")
    try:
        return _parsed(path.read_bytes(), name)
    except OSError as error:
        raise ScenarioError(f"{name}: expected a readable file: {error.strerror}") from None


def new_domain(name: str) -> str:
    """The text of a YAML file for a new domain: it works as it stands, and says what each part is for.

    Raises:
        InputError: ``name`` is no name for a domain.
    """
    if not _SLUG.fullmatch(name):
        raise InputError(f"{quoted(name)} is no name for a domain: expected small letters, digits and single hyphens")
    text = _TEMPLATE.read_text(encoding="utf-8")
    return text.replace("domain: NAME", f"domain: {name}").replace("TITLE", name.replace("-", " ").capitalize())


def _parsed(raw: bytes, where: str) -> Domain:
    return read_record(Domain, parse_yaml(raw, where), where)
