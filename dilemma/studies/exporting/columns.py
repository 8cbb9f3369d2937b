"""What the columns of rows mean."""

from collections.abc import Mapping

from dilemma_kernel.records import FACTORS, Trajectory
from trajectories.spreadsheet import COLUMNS

_OWN: Mapping[str, str] = {
    "agent": "the agent's name",
    "environment": "the environment's name",
    "label": "the rules' label; empty where there is none",
    "label_missing": "why there is no label",
    "executed_label": "the same of what was executed, not only attempted",
    "executed_label_missing": "why there is none",
    "arm": "of refusal transfer: how the triple was put",
    "system": "of refusal transfer: the system condition",
    "refusal": "of refusal transfer: refused or answered, by the rules",
    "refusal_missing": "why there is none",
    "tool_verdict": "of refusal transfer: what the calls were, by the rules",
    "tool_verdict_missing": "why there is none",
    "turns": "turns stored",
    "faults": "faults of the environment",
    "invalid_turns": "turns without a valid move",
    "prompt_tokens": "tokens in, over all replies",
    "completion_tokens": "tokens out, over all replies",
    "study": "the study's name",
    "episode_id": "the episode's id",
    "repeat": "number of the repeat, from 0",
    "seed": "the episode's seed",
    "domain": "the scenario's domain",
    "ended": "what ended it",
}


def csv_columns() -> dict[str, str]:
    """Column -> meaning, of a row an episode."""
    return {name: _meaning(name) for name in COLUMNS}


def _meaning(name: str) -> str:
    if name in _OWN:
        return _OWN[name]
    if name in FACTORS:
        return f"level of the factor {name}: {', '.join(FACTORS[name].levels)}"
    field = Trajectory.model_fields.get(name)
    return (field.description or "").replace("\n", " ") if field else ""
