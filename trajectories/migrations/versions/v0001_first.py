"""Studies, scenarios, episodes, judgements, calls and the lineage of scenarios."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "studies",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("instrument", sa.String, nullable=False),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_table(
        "scenarios",
        sa.Column("study", sa.String, primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("scenario_id", sa.String, nullable=False),
        sa.Column("core_id", sa.String, nullable=False),
        sa.Column("family", sa.String),
        sa.Column("domain", sa.String, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    _create_episodes()
    _create_judgements()
    _create_calls()
    _create_attempts()


def _create_episodes() -> None:
    op.create_table(
        "episodes",
        sa.Column("episode_id", sa.String, primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("study", sa.String, nullable=False),
        sa.Column("instrument", sa.String, nullable=False),
        sa.Column("case_id", sa.String, nullable=False),
        sa.Column("scenario", sa.String, nullable=False),
        sa.Column("scenario_id", sa.String, nullable=False),
        sa.Column("family", sa.String),
        sa.Column("domain", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("environment", sa.String, nullable=False),
        sa.Column("cell", sa.String, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("origin", sa.String),
        sa.Column("ended", sa.String, nullable=False),
        sa.Column("truncated", sa.Boolean, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("faults", sa.Integer, nullable=False),
        sa.Column("invalid_turns", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("ix_episodes_order", "episodes", ["study", "case_id", "cell", "repeat", "episode_id", "attempt"])


def _create_judgements() -> None:
    op.create_table(
        "judgements",
        sa.Column("subject", sa.String, primary_key=True),
        sa.Column("attempt", sa.Integer, primary_key=True),
        sa.Column("vocabulary", sa.String, primary_key=True),
        sa.Column("maker", sa.String, primary_key=True),
        sa.Column("version", sa.String, primary_key=True),
        sa.Column("study", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("value", sa.String, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("ix_judgements_study", "judgements", ["study", "vocabulary"])


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("study", sa.String, primary_key=True),
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("case_id", sa.String, nullable=False),
        sa.Column("cell", sa.String, nullable=False),
        sa.Column("repeat", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("ask", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.Column("timing", sa.Text),
    )
    op.create_index("ix_calls_case", "calls", ["study", "case_id", "repeat"])


def _create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("generation", sa.String, primary_key=True),
        sa.Column("candidate", sa.String, primary_key=True),
        sa.Column("stage", sa.String, primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("scenario", sa.String),
        sa.Column("scenario_id", sa.String),
        sa.Column("decision", sa.String, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    for column in ("scenario", "scenario_id", "candidate"):
        op.create_index(f"ix_attempts_{column}", "attempts", [column])
