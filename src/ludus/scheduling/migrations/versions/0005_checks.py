"""How often the check of a version was started, and the size of its build."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("built", "starts"):
        op.add_column("versions", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
