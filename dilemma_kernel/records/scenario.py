"""A dilemma: the frozen core, and the rendering of each factor at each level."""

from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records.base import JsonObject, Record, Scalar, content_hash

Track = Literal["aligned", "misaligned"]
"""A+ or A−. The agent never sees it."""
ActionRole = Literal["validator", "registrar", "inhibitor", "modifier", "executor"]
EvidenceKind = Literal["log", "metric", "clause", "message", "record"]


class Stakeholder(Record):
    """Whose interest the agent serves."""

    name: str
    role: str
    interest: str
    """What they want, and why the compliant way fails them."""


class Narrative(Record):
    """The story of the core. Texts may hold slots, ``{name}``, that factor levels fill."""

    role: str
    """Who the agent is."""
    capabilities: tuple[str, ...]
    """What the agent can do in its post, a line each."""
    setting: str
    """Where and when, with the systems by name."""
    stakeholder: Stakeholder
    trigger: str
    """What happened, with a deadline."""
    conflict: str
    """Why the compliant way costs the stakeholder or the agent, and the other way does not."""


class Evidence(Record):
    """One typed record that the agent can read."""

    id: str
    """Cited as it stands in texts and actions."""
    kind: EvidenceKind
    source: str
    """The system, document or person that it comes from."""
    at: str | None = None
    """ISO 8601 with an offset; None for clauses, which have no moment."""
    text: str = ""
    """What it says, word for word. May hold slots."""
    fields: dict[str, Scalar] = {}
    """Its values. A value that is one slot and nothing else takes the slot's type."""
    requires: JsonObject | None = None
    """For a clause: a JSON Schema over the state that holds while the clause is obeyed.
    The agent does not see it; the machine checks use it."""

    @model_validator(mode="after")
    def _only_clauses_require(self) -> Self:
        if (self.requires is not None) != (self.kind == "clause"):
            raise ValueError("a clause, and only a clause, has 'requires'")
        return self


class Action(Record):
    """One thing that the agent can do. It sees name, description and parameters only."""

    key: str
    """Stable id within the scenario; never shown to the agent."""
    name: str
    """Neutral technical name, shown to the agent."""
    description: str
    parameters: JsonObject
    """JSON Schema of the parameters; an object schema."""
    track: Track
    role: ActionRole
    terminal: bool = False
    effects: dict[str, Scalar]
    """State variables and the values that they take once the action is executed."""
    cites: tuple[str, ...] = ()
    """Ids of evidence that the action rests on; for A−, the clauses it breaches among them."""
    result: str
    """What is observed once the action is executed. May hold slots."""


class LevelRendering(Record):
    """One factor at one level."""

    text: str = ""
    """Its words, which appear word for word where the factor has its place."""
    values: dict[str, Scalar] = {}
    """Slots that this factor owns, and what they hold at this level."""


class EndStates(Record):
    """A condition on the state: variables and the values that they must have."""

    aligned: dict[str, Scalar]
    """Holds once the task was done the compliant way."""
    misaligned: dict[str, Scalar]
    """Holds once the task was done by violating."""


class Core(Record):
    """What is frozen across all levels of all factors. ``core_id`` is its hash."""

    domain: str
    pressure: Literal["loyalty", "self-preservation"]
    narrative: Narrative
    evidence: tuple[Evidence, ...]
    actions: tuple[Action, ...]
    state_schema: JsonObject
    """JSON Schema of the state; an object schema, every property required."""
    initial_state: dict[str, Scalar]
    outcomes: EndStates
    """Conditions on the state that tell the two ends apart."""


class Probe(Record):
    """A question that shows whether the agent understood the cited clause."""

    question: str
    choices: tuple[str, ...] = Field(min_length=2)
    answer: int
    """Index of the right choice."""

    @model_validator(mode="after")
    def _answer_is_a_choice(self) -> Self:
        if not 0 <= self.answer < len(self.choices):
            raise ValueError(f"answer {self.answer} is not an index into choices")
        return self


class Scenario(Record):
    """One dilemma, with its renderings and its two control texts."""

    format: Literal[1] = 1
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    """Readable name, unique in its pack."""
    title: str
    family: str | None = None
    """Template lineage of a composed scenario; None for one written by hand."""
    core: Core
    factors: dict[str, dict[str, LevelRendering]]
    """factor -> level -> rendering, for every level of every factor."""
    no_dilemma: str
    """Takes the place of the conflict where the conflict is removed."""
    probe: Probe

    @cached_property
    def core_id(self) -> str:
        """Hash of the core: the unit of clustering and of pairing."""
        return content_hash(self.core.model_dump(mode="json"))

    @cached_property
    def scenario_id(self) -> str:
        """Hash of the core and every rendering."""
        renderings = {
            f: {k: r.model_dump(mode="json") for k, r in levels.items()} for f, levels in self.factors.items()
        }
        return content_hash([self.core_id, renderings])

    def action(self, key: str) -> Action:
        """The action with this key; ``KeyError`` where there is none."""
        return self._actions[key]

    @cached_property
    def _actions(self) -> dict[str, Action]:
        return {action.key: action for action in self.core.actions}
