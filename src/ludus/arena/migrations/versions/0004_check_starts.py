"""How often the check of a version was begun."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("versions", sa.Column("starts", sa.Integer(), nullable=False, server_default="0"))
