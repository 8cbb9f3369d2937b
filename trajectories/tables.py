"""The tables. A row is its key, the columns that people filter on, and the record's JSON.

Records validate; rows do not. The migration in ``trajectories/migrations`` makes these tables: a test holds the two
to each other.
"""

from sqlalchemy import Column, Index, Text
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel


class Row(SQLModel, registry=registry()):
    """Base of the tables, with metadata of its own."""


class StudyRow(Row, table=True):
    """A study's settings."""

    __tablename__ = "studies"

    name: str = Field(primary_key=True)
    instrument: str
    saved_at: float
    """Seconds since the epoch. Never exported."""
    record: str = Field(sa_column=Column(Text, nullable=False))


class ScenarioRow(Row, table=True):
    """A scenario as a study ran it: ``scenario_id`` does not cover its name, its probe or its control text."""

    __tablename__ = "scenarios"

    study: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    scenario_id: str
    core_id: str
    family: str | None
    domain: str
    record: str = Field(sa_column=Column(Text, nullable=False))


class EpisodeRow(Row, table=True):
    """One attempt at an episode."""

    __tablename__ = "episodes"
    __table_args__ = (Index("ix_episodes_order", "study", "case_id", "cell", "repeat", "episode_id", "attempt"),)

    episode_id: str = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    study: str
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
    repeat: int
    origin: str | None
    ended: str
    truncated: bool
    turns: int
    faults: int
    invalid_turns: int
    cost: float | None
    saved_at: float
    record: str = Field(sa_column=Column(Text, nullable=False))


class JudgementRow(Row, table=True):
    """What one maker says of one attempt at an episode."""

    __tablename__ = "judgements"
    __table_args__ = (Index("ix_judgements_study", "study", "vocabulary", "maker"),)

    subject: str = Field(primary_key=True)
    """episode_id."""
    attempt: int = Field(primary_key=True)
    vocabulary: str = Field(primary_key=True)
    maker: str = Field(primary_key=True)
    version: str = Field(primary_key=True)
    study: str
    kind: str
    """``measured``, ``unmeasured`` or ``crashed``."""
    value: str
    """The value, the reason or the error, as text."""
    record: str = Field(sa_column=Column(Text, nullable=False))


class OverviewRow(Row, table=True):
    """An episode at its latest attempt, with what is said of it: narrow, so that 100,000 are filtered in a moment.

    Triggers of the database keep it, whoever writes episodes and judgements.
    """

    __tablename__ = "overview"
    __table_args__ = (
        Index("ix_overview_episode", "episode_id", unique=True),
        Index("ix_overview_origin", "origin"),
        {"sqlite_with_rowid": False},
    )

    study: str = Field(primary_key=True)
    case_id: str = Field(primary_key=True)
    cell: str = Field(primary_key=True)
    repeat: int = Field(primary_key=True)
    episode_id: str = Field(primary_key=True)
    attempt: int
    instrument: str
    scenario: str
    domain: str
    agent: str
    environment: str
    origin: str | None
    ended: str
    turns: int
    faults: int
    invalid_turns: int
    cost: float | None
    saved_at: float
    label: str
    """What the rules say: a label, a tool verdict, or ``refused`` and ``answered``; else why there is none."""
    machine_labels: int
    """Different labels that rules and models gave."""
    crossed: bool
    """Whether rules and models differ on whether the episode is misaligned; of a benchmark's arm, on refusal."""
    people: int
    """People who labelled it."""
    labels: int
    """Different labels that anyone gave."""


class CallRow(Row, table=True):
    """One reply: the checkpoint of every study."""

    __tablename__ = "calls"
    __table_args__ = (Index("ix_calls_case", "study", "case_id", "repeat"),)

    study: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    model: str
    case_id: str
    cell: str
    repeat: int
    turn: int
    role: str
    ask: int
    cost: float | None
    attempts: int
    """Requests that were sent for the reply."""
    request: str = Field(sa_column=Column(Text, nullable=False))
    reply: str = Field(sa_column=Column(Text, nullable=False))
    """The reply without its timing."""
    timing: str | None = Field(sa_column=Column(Text))


class UnansweredRow(Row, table=True):
    """Requests of a study that no stored reply counts: what is in ``calls`` and the sum of these is all that was sent.

    Under a bound a request is added before it is sent, and taken off again with its reply, in one transaction.
    """

    __tablename__ = "unanswered"
    __table_args__ = (Index("ix_unanswered_study", "study", "requests"),)

    id: int | None = Field(default=None, primary_key=True)
    study: str
    requests: int
    """Added up over a study; less than 0 where a reply counts them."""


class AttemptRow(Row, table=True):
    """One round of one stage in writing a scenario."""

    __tablename__ = "attempts"
    __table_args__ = (
        Index("ix_attempts_scenario", "scenario"),
        Index("ix_attempts_scenario_id", "scenario_id"),
        Index("ix_attempts_candidate", "candidate"),
    )

    generation: str = Field(primary_key=True)
    candidate: str = Field(primary_key=True)
    stage: str = Field(primary_key=True)
    round: int = Field(primary_key=True)
    position: int
    """Place among the attempts of its candidate, from 0."""
    scenario: str | None
    scenario_id: str | None
    decision: str
    record: str = Field(sa_column=Column(Text, nullable=False))


METADATA = Row.metadata
STUDIES = METADATA.tables["studies"]
SCENARIOS = METADATA.tables["scenarios"]
EPISODES = METADATA.tables["episodes"]
JUDGEMENTS = METADATA.tables["judgements"]
OVERVIEW = METADATA.tables["overview"]
CALLS = METADATA.tables["calls"]
UNANSWERED = METADATA.tables["unanswered"]
ATTEMPTS = METADATA.tables["attempts"]
