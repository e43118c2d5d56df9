"""Whether everyone may read what a bot says about its moves. Bots of before keep it to
themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "bots", sa.Column("public_notes", sa.Boolean(), nullable=False, server_default=sa.false())
    )
