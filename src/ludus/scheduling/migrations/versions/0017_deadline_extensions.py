"""Deadlines of single students."""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import TIME

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLE = "deadline_extensions"


def upgrade() -> None:
    referred = {"assignment_id": "assignments", "user_id": "users", "author_id": "users"}
    op.create_table(
        TABLE,
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("assignment_id", "user_id")),
        sa.Column("deadline", TIME, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("assignment_id", "user_id", name=f"pk_{TABLE}"),
        *(
            sa.ForeignKeyConstraint([name], [f"{other}.id"], name=f"fk_{TABLE}_{name}_{other}")
            for name, other in referred.items()
        ),
    )
