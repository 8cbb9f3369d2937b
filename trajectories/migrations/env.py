"""Run by alembic: migrates on the connection, and in the transaction, that the store hands in."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
