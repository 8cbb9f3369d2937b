"""What the store answers beside whole records: enough to list, count and resume without reading any JSON."""

from dilemma_kernel.records import ChatReply, ChatRequest, Ended, Record


class StudySummary(Record):
    """A study at a glance. Counts are of episodes at their latest attempt, forks left out."""

    name: str
    instrument: str
    agents: tuple[str, ...]
    environments: tuple[str, ...]
    planned: int
    """Episodes that its settings ask for: cells × scenarios × repeats."""
    episodes: int
    """Episodes that are stored, crashed ones too."""
    crashed: int
    cost: float | None
    """US dollars over the stored episodes; None where a price is unknown."""
    started: float
    """When it was first saved, in seconds since the epoch."""


class EpisodeSummary(Record):
    """The columns of an episode."""

    episode_id: str
    attempt: int
    instrument: str
    case_id: str
    """core_id, or a triple's id."""
    scenario: str
    scenario_id: str
    family: str | None
    domain: str
    agent: str
    environment: str
    cell: str
    """Key of the cell."""
    repeat: int
    origin: str | None
    ended: Ended
    truncated: bool
    turns: int
    whole_turns: int
    """Turns that passed: without one that a refusal or a crash cut short. Invalid turns are among them."""
    faults: int
    invalid_turns: int
    cost: float | None


class StoredCall(Record):
    """One reply in the call log, with what was asked."""

    key: str
    model: str
    """The name by which the model was asked for."""
    request: ChatRequest
    reply: ChatReply


class Served(Record):
    """What answered to a model's name, by the endpoint's own account."""

    model: str
    """The name by which the model was asked for."""
    served: str | None
    """The model name that came with the replies."""
    fingerprint: str | None
    """The ``system_fingerprint`` that came with them."""
    replies: int


class Spent(Record):
    """What the calls of a study have used so far."""

    calls: int
    """Replies stored."""
    attempts: int
    """Requests sent, retries and those that brought no reply included."""
    cost: float
    """US dollars over the calls whose price is known."""
    unpriced: int
    """Calls whose price is not known."""
