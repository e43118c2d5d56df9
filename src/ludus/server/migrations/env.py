"""How Alembic reaches the database: over the connection that the arena gives it."""

from alembic import context

from ludus.scheduling.schema import Base
from ludus.server import tables  # noqa: F401  (their metadata)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
