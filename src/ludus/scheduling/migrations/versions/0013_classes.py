"""Roles in a class, what its roster says of its members, and archived classes.

Teachers and admins who were in a class taught it.
"""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import TIME

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("groups", sa.Column("archived_at", TIME, nullable=True))
    for name, length in (("student_number", 40), ("real_name", 60), ("section", 60)):
        op.add_column(
            "group_members",
            sa.Column(name, sa.String(length=length), nullable=False, server_default=""),
        )
    op.add_column(
        "group_members",
        sa.Column("role", sa.String(length=10), nullable=False, server_default="student"),
    )
    op.execute(
        "UPDATE group_members SET role = 'teacher' WHERE user_id IN"
        " (SELECT id FROM users WHERE role IN ('teacher', 'organiser'))"
    )
