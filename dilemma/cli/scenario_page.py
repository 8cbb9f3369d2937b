"""A scenario as the agent meets it, and what only its maker knows."""

from collections.abc import Mapping

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from dilemma.cli.safe import visible
from dilemma.cli.tables import wide_console
from dilemma_kernel.records import Scenario
from dilemma_kernel.semantics.render import agent_system, opening


def print_scenario(scenario: Scenario, levels: Mapping[str, str]) -> None:
    """The two texts that open an episode, and the actions with their tracks."""
    console = wide_console()
    console.print(Text(f"{scenario.name}: {visible(scenario.title)}", style="bold"))
    console.print(Text(f"core {scenario.core_id} · scenario {scenario.scenario_id}", style="dim"))
    for title, text in (("system", agent_system(scenario, levels)), ("opening", opening(scenario, levels))):
        console.print(Rule(Text(title), align="left", style="dim"))
        console.print(Text(visible(text)))
    console.print(Rule(Text("actions (the agent sees neither track nor role)"), align="left", style="dim"))
    table = Table()
    for column in ("track", "role", "name", "description", "effects", "cites"):
        table.add_column(column, overflow="fold")
    for action in scenario.core.actions:
        table.add_row(
            "A+" if action.track == "aligned" else "A−",
            action.role + (" ■" if action.terminal else ""),
            visible(action.name),
            visible(action.description),
            visible(", ".join(f"{name}={value}" for name, value in action.effects.items())),
            visible(", ".join(action.cites)),
        )
    console.print(table)
