"""What bouts are compared by to find copies; it is not known of bouts that were played before."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("start_digest", "moves_digest"):
        op.add_column(
            "bouts", sa.Column(name, sa.String(length=32), nullable=False, server_default="")
        )
