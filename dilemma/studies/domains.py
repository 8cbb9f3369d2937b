"""Domain libraries of one's own."""

import asyncio
from pathlib import Path

from dilemma_kernel.errors import InputError
from scenario_factory.domain_check import DomainCheck, check_domain
from scenario_factory.library import load_domain, new_domain


def write_new_domain(name: str, out: Path | None) -> Path:
    """Write the file of a new domain.

    Raises:
        InputError: ``name`` is no name for a domain, the file is there already, or it cannot be written.
    """
    text = new_domain(name)
    target = out or Path(f"{name}.yaml")
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{target} is there already: choose another name or --out") from None
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def checked_domain(name_or_path: str) -> DomainCheck:
    """Whether a domain works. Raises ``ScenarioError`` where it does not load."""
    return asyncio.run(check_domain(load_domain(name_or_path)))
