"""Tokens get scopes, an expiry and a last use; devices from which people log in are recorded."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ALL = "read upload play admin"
"""The scopes of existing tokens: everything they could do, except for creating tokens."""


def upgrade() -> None:
    op.add_column(
        "tokens", sa.Column("scopes", sa.String(length=60), nullable=False, server_default=ALL)
    )
    op.add_column("tokens", sa.Column("until", sa.String(length=32), nullable=True))
    op.add_column("tokens", sa.Column("used", sa.String(length=32), nullable=True))
    op.create_table(
        "known_places",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_known_places_user_id_users")
        ),
        sa.PrimaryKeyConstraint("user_id", "digest", name=op.f("pk_known_places")),
    )
