"""Connects Alembic to the database, by the connection that ``ludus.scheduling.migrate`` opens."""

from alembic import context

from ludus.scheduling.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
