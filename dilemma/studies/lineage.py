"""What was tried for a scenario, and its pictures."""

import asyncio
from pathlib import Path

from dilemma.studies.packs import find_scenario
from dilemma.studies.study import store_url
from dilemma_kernel.errors import InputError, ScenarioError
from dilemma_kernel.records import Attempt
from scenario_factory.drawing import action_svg, lineage_svg
from trajectories import open_store


def lineage_of(scenario: str, url: str | None) -> tuple[Attempt, ...]:
    """Every round that was tried for a scenario (its name, its scenario_id, or a candidate's id).

    Raises:
        ScenarioError: the store knows none.
    """
    return asyncio.run(_attempts(scenario, store_url(url)))


async def _attempts(scenario: str, url: str) -> tuple[Attempt, ...]:
    async with open_store(url, read_only=True) as store:
        attempts = await store.lineage().attempts(scenario)
    if not attempts:
        raise ScenarioError(f"no lineage of {scenario!r} in this store: only generated scenarios have one")
    return attempts


def write_action_graph(name: str, pack: str, out: Path) -> None:
    """Draw the action graph of a scenario as SVG. Raises ``ScenarioError`` or ``InputError``."""
    _write(out, action_svg(find_scenario(name, pack)))


def write_lineage_picture(attempts: tuple[Attempt, ...], out: Path) -> None:
    """Draw the rounds of a candidate as SVG; raises ``InputError``."""
    _write(out, lineage_svg(attempts))


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}") from None
