"""How Alembic reaches the database: over the connection that the arena gives it."""

from alembic import context

from ludus.arena.club import tables  # noqa: F401  (their metadata)
from ludus.contest.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
