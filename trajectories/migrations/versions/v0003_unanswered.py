"""Requests that no stored reply counts, so that a bound on calls holds over a resume."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "unanswered",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.String, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
    )
    op.create_index("ix_unanswered_study", "unanswered", ["study", "requests"])
