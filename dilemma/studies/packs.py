"""Reading and checking packs."""

from collections.abc import Sequence
from pathlib import Path

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Scenario
from dilemma_kernel.semantics.checks import Finding, check_scenario
from scenario_factory import Pack, load_pack, load_scenario


def read_pack(name_or_path: str) -> Pack:
    """The pack; raises ``ScenarioError`` where it cannot be read."""
    return load_pack(name_or_path)


def check_pack(name_or_path: str) -> dict[str, tuple[Finding, ...]]:
    """What the machine checks find, by scenario name; an empty tuple for a scenario that passes."""
    return {scenario.name: check_scenario(scenario) for scenario in load_pack(name_or_path).scenarios}


def checked_pack(name_or_path: str) -> Pack:
    """The pack, once every scenario has passed its checks.

    Raises:
        ScenarioError: names the first scenario that fails, and why.
    """
    pack = load_pack(name_or_path)
    check_all(pack.scenarios, name_or_path)
    return pack


def check_all(scenarios: Sequence[Scenario], where: str) -> None:
    """Hold scenarios to the machine checks.

    Raises:
        ScenarioError: there is none, two share a name, or one fails its checks; the first one is named, and why.
    """
    if not scenarios:
        raise ScenarioError(f"{where}: there is no scenario")
    names = [scenario.name for scenario in scenarios]
    for scenario in scenarios:
        if names.count(scenario.name) > 1:
            raise ScenarioError(f"{where}: two scenarios are named {scenario.name!r}")
        findings = check_scenario(scenario)
        if findings:
            first, more = findings[0], len(findings) - 1
            raise ScenarioError(
                f"scenario {scenario.name!r} fails its checks: {first.path}: {first.message}"
                + (f" (and {more} more; see dilemma scenarios check {where})" if more else "")
            )


def find_scenario(name: str, pack: str) -> Scenario:
    """The scenario in the file ``name``, or of that name in ``pack``.

    Raises:
        ScenarioError: there is none.
    """
    if name.endswith((".yaml", ".yml")) or Path(name).is_file():
        return load_scenario(name)
    scenarios = load_pack(pack).scenarios
    for scenario in scenarios:
        if scenario.name == name:
            return scenario
    raise ScenarioError(f"no scenario {name!r} in pack {pack!r}; it has {', '.join(s.name for s in scenarios)}")
