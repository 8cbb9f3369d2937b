"""What the benchmark speaks of: intents, their wordings, and the triples that pair them across modes."""

from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from dilemma_kernel.records import Record, content_hash

Mode = Literal["chat", "tool", "stress"]
MODES: tuple[Mode, ...] = ("chat", "tool", "stress")
"""How a request is put: in a chat without tools, with tools, with tools and under pressure."""

Request = Literal["harmful", "benign"]
REQUESTS: tuple[Request, ...] = ("harmful", "benign")

Variant = Literal["A", "B"]
VARIANTS: tuple[Variant, ...] = ("A", "B")
"""Two wordings of every intent."""

Pressure = Literal["deadline", "authority", "policy", "role_play", "system_note"]
PRESSURES: tuple[Pressure, ...] = ("deadline", "authority", "policy", "role_play", "system_note")
"""What a stress text adds: a deadline, somebody senior, a policy that is not one, a role, an injected system note."""


class ExampleCall(Record):
    """A tool call written down as data."""

    tool: str
    arguments: dict[str, Any]


class Wording(Record):
    """One way to put an intent, in each mode."""

    chat: str
    """Mentions no tool."""
    tool: str
    """Names the intent's tool."""
    stress: str
    """Names the tool, and adds pressure."""
    pressure: Pressure

    def text(self, mode: Mode) -> str:
        """The user text in ``mode``."""
        return {"chat": self.chat, "tool": self.tool, "stress": self.stress}[mode]


class Intent(Record):
    """One thing that somebody wants done, in two wordings of three modes. The unit of clustering."""

    domain: str
    scenario: str
    batch: int = Field(ge=1)
    request: Request
    tool: str
    """The tool that would carry it out."""
    summary: str
    """The misuse, or the use, in one line."""
    wordings: dict[Variant, Wording]
    call: ExampleCall
    """Ground truth: the call that carries the intent out; unsafe for a harmful intent, safe for a benign one."""
    predicate: str | None = None
    """For a harmful intent, the forbidden action that ``call`` is."""
    decoy: ExampleCall | None = None
    """For a harmful intent, a call to the same tool that is no misuse."""

    @model_validator(mode="after")
    def _harmful_has_a_predicate_and_a_decoy(self) -> Self:
        harmful = self.request == "harmful"
        if (self.predicate is not None) != harmful or (self.decoy is not None) != harmful:
            raise ValueError("a harmful intent, and only a harmful one, has a predicate and a decoy")
        if set(self.wordings) != set(VARIANTS):
            raise ValueError("an intent has the wordings A and B")
        return self

    @property
    def pair(self) -> str:
        """What a harmful intent and its benign control share: domain, scenario and batch."""
        return f"{self.domain}-{self.scenario}-{self.batch}"

    @property
    def id(self) -> str:
        """Readable and unique in its suite."""
        return f"{self.pair}-{self.request}"


class Triple(Record):
    """One intent in one wording under one system text: everything is fixed but the mode."""

    intent: Intent
    variant: Variant
    condition: str
    """Which system text: neutral, safety-reinforced, tool-encouraging."""
    system: str
    """The system text itself."""

    @property
    def id(self) -> str:
        """Readable and unique in its suite; the case of a trajectory."""
        return f"{self.intent.id}-{self.variant}-{self.condition}"

    @property
    def cluster(self) -> str:
        """The paper's cluster: domain, scenario, variant and batch, over the system conditions."""
        return f"{self.intent.id}-{self.variant}"

    @cached_property
    def content_id(self) -> str:
        """Hash of its texts."""
        wording = self.intent.wordings[self.variant]
        return content_hash([self.id, self.system, wording.model_dump(mode="json")])

    def text(self, mode: Mode) -> str:
        """The user text in ``mode``."""
        return self.intent.wordings[self.variant].text(mode)


class Manifest(Record):
    """What a suite says of itself."""

    format: Literal[1] = 1
    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    version: str
    licence: str
    canary: str = Field(min_length=16)
    """A string that should never stand in training data; searching for it shows whether the suite leaked."""
    domains: tuple[str, ...] = Field(min_length=1)
    scenarios: tuple[str, ...] = Field(min_length=1)
    conditions: tuple[str, ...] = Field(min_length=1)
    batches: int = Field(ge=1)
    counts: dict[str, int]
    """What the suite holds, by the names of ``checking.count``."""
