"""Lineage: what was tried for each candidate scenario, and what came of it."""

from typing import Literal

from pydantic import Field

from dilemma_kernel.records.base import JsonObject, Record
from dilemma_kernel.records.chat import Usage
from dilemma_kernel.records.judgement import Outcome

Stage = Literal["story", "evidence", "actions", "compile"]
"""Stages of writing a scenario, in their order."""

Decision = Literal["accept", "rewrite", "rescore", "write", "reject", "crash"]
"""What followed a round. ``rescore``: nothing was measured, so the same text is judged again; ``write``: nothing
usable was written, so it is asked for again."""


class Attempt(Record):
    """One round of one stage."""

    generation: str
    """Id of the generation: what its settings hash to."""
    candidate: str
    """Id of the candidate within the generation."""
    family: str | None = None
    stage: Stage
    round: int = Field(ge=1)
    kind: Literal["write", "rewrite", "rescore"]
    text: JsonObject | None = None
    """The draft; None where nothing usable was written."""
    text_hash: str | None = None
    """Hash of ``text``. What is accepted has the hash of what was scored."""
    problem: str = ""
    """Why nothing usable was written, or what crashed."""
    findings: tuple[str, ...] = ()
    """What the machine checks found; a text with findings is not scored."""
    outcome: Outcome | None = None
    """What the discriminator measured; None where it was not asked."""
    scores: dict[str, float] = {}
    feedback: str = ""
    suggestion: str = ""
    decision: Decision
    author: str
    """Name of the writer or rewriter."""
    judge: str
    """Name of the discriminator."""
    seed: int
    author_usage: Usage = Usage()
    author_cost: float | None = 0.0
    """US dollars; None where a price is unknown."""
    judge_usage: Usage = Usage()
    judge_cost: float | None = 0.0
    scenario: str | None = None
    """Name of the scenario that the candidate became, on its last attempt."""
    scenario_id: str | None = None
