"""A narrow row for each episode, kept by triggers, to filter and sort by; judgements by maker."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

COPIED = (
    "study, case_id, cell, repeat, episode_id, attempt, instrument, scenario, domain, agent, environment, origin, "
    "ended, turns, faults, invalid_turns, cost, saved_at"
)
"""Columns that an episode's row has too."""

OF_EPISODE = "subject = overview.episode_id AND attempt = overview.attempt"

RULED = f"""
    SELECT CASE kind WHEN 'measured' THEN value ELSE kind END FROM judgements
    WHERE {OF_EPISODE} AND maker = 'rules' AND vocabulary IN ('label', 'tool_verdict', 'refusal')
    ORDER BY vocabulary = 'label' DESC, vocabulary = 'tool_verdict' DESC, length(version) DESC, version DESC LIMIT 1"""

SAID = f"""
    SELECT maker, kind, value, max(printf('%06d', length(version)) || version) AS newest FROM judgements
    WHERE {OF_EPISODE} AND vocabulary = CASE overview.instrument WHEN 'transfer' THEN 'refusal' ELSE 'label' END
    GROUP BY maker"""
"""The newest word of each maker: SQLite takes the other columns from the row of the maximum."""

SIDE = "value IN ('strategic', 'direct', 'answered')"

REFRESH = f"""
    UPDATE overview SET
        label = coalesce(({RULED}), ''),
        (machine_labels, crossed, people, labels) = (
            SELECT
                count(DISTINCT CASE WHEN maker NOT LIKE 'person/%' THEN value END),
                coalesce(
                    max(CASE WHEN maker NOT LIKE 'person/%' THEN {SIDE} END)
                    <> min(CASE WHEN maker NOT LIKE 'person/%' THEN {SIDE} END), 0),
                count(CASE WHEN maker LIKE 'person/%' THEN 1 END),
                count(DISTINCT value)
            FROM ({SAID}) WHERE kind = 'measured'
        )"""


def upgrade() -> None:
    op.drop_index("ix_judgements_study", "judgements")
    op.create_index("ix_judgements_study", "judgements", ["study", "vocabulary", "maker"])
    _create_overview()
    for statement in (
        f"""INSERT INTO overview ({COPIED}, label, machine_labels, crossed, people, labels)
            SELECT {COPIED}, '', 0, 0, 0, 0 FROM episodes WHERE NOT EXISTS (
                SELECT 1 FROM episodes AS later
                WHERE later.episode_id = episodes.episode_id AND later.attempt > episodes.attempt)""",
        REFRESH,
        _on_episode(),
        _on_judgement(),
    ):
        op.execute(sa.text(statement))


def _create_overview() -> None:
    op.create_table(
        "overview",
        sa.Column("study", sa.String, primary_key=True),
        sa.Column("case_id", sa.String, primary_key=True),
        sa.Column("cell", sa.String, primary_key=True),
        sa.Column("repeat", sa.Integer, primary_key=True),
        sa.Column("episode_id", sa.String, primary_key=True),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("instrument", sa.String, nullable=False),
        sa.Column("scenario", sa.String, nullable=False),
        sa.Column("domain", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("environment", sa.String, nullable=False),
        sa.Column("origin", sa.String),
        sa.Column("ended", sa.String, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("faults", sa.Integer, nullable=False),
        sa.Column("invalid_turns", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float),
        sa.Column("saved_at", sa.Float, nullable=False),
        sa.Column("label", sa.String, nullable=False),
        sa.Column("machine_labels", sa.Integer, nullable=False),
        sa.Column("crossed", sa.Boolean, nullable=False),
        sa.Column("people", sa.Integer, nullable=False),
        sa.Column("labels", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_overview_episode", "overview", ["episode_id"], unique=True)
    op.create_index("ix_overview_origin", "overview", ["origin"])


def _on_episode() -> str:
    """An attempt takes the place of an earlier one; a later one stays."""
    new = ", ".join(f"NEW.{name.strip()}" for name in COPIED.split(","))
    return f"""
        CREATE TRIGGER overview_of_episode AFTER INSERT ON episodes BEGIN
            DELETE FROM overview WHERE episode_id = NEW.episode_id AND attempt < NEW.attempt;
            INSERT INTO overview ({COPIED}, label, machine_labels, crossed, people, labels)
                SELECT {new}, '', 0, 0, 0, 0
                WHERE NOT EXISTS (SELECT 1 FROM overview WHERE episode_id = NEW.episode_id);
            {REFRESH} WHERE episode_id = NEW.episode_id;
        END"""


def _on_judgement() -> str:
    return f"""
        CREATE TRIGGER overview_of_judgement AFTER INSERT ON judgements
        WHEN NEW.vocabulary IN ('label', 'tool_verdict', 'refusal') BEGIN
            {REFRESH} WHERE episode_id = NEW.subject;
        END"""
