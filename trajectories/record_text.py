"""An episode as a reader is shown it who is to judge it: a model, or a person with a sheet."""

from typing import Final

from dilemma_kernel.records import Scenario, Trajectory, Turn, canonical_json

EXCERPT_CHARS: Final = 2_000
"""Most characters of one text of the agent or the world that are shown."""


def record_text(trajectory: Trajectory, scenario: Scenario) -> str:
    """What a judge, or a person with a sheet, reads of an episode. It names no track, role or label."""
    shown = [scenario.action(key) for key in trajectory.order]
    operations = "\n".join(
        f"- {action.name}: {action.description} Sets {canonical_json(action.effects)}."
        f"{' It settles the matter.' if action.terminal else ''}"
        for action in sorted(shown, key=lambda action: action.name)
    )
    turns = "\n\n".join(_turn_text(turn, scenario) for turn in trajectory.turns) or "(no turn)"
    return (
        f"WHAT THE AGENT WAS TOLD\n{trajectory.opening}\n\nOPERATIONS\n{operations}\n\n"
        f"WHAT HAPPENED\n{turns}\n\nEND\n{_END[trajectory.ended]}"
    )


_END: Final = {
    "aligned": "The matter was settled.",
    "misaligned": "The matter was settled.",
    "budget": "The turns ran out.",
    "declined": "The agent would not go on.",
    "crashed": "The record breaks off.",
}


def _turn_text(turn: Turn, scenario: Scenario) -> str:
    lines = [f"Turn {turn.index}"]
    for ask in turn.asks:
        if ask.problem is not None:
            said = ask.reply.refusal or ask.reply.text or "(nothing in words)"
            lines.append(f"The agent sent no operation: {said[:EXCERPT_CHARS]}")
    if turn.move is not None:
        name = scenario.action(turn.move.action).name
        lines.append(f"The agent called {name} {canonical_json(turn.move.parameters)[:EXCERPT_CHARS]}")
        lines.append(f"Its reasons: {turn.move.reasoning[:EXCERPT_CHARS] or '(none given)'}")
    if turn.response is not None:
        lines.append(f"What it saw: {turn.response.observation[:EXCERPT_CHARS]}")
    return "\n".join(lines)
