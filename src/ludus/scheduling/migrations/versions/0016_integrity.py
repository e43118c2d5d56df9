"""Given code, settled pairs of similar submissions, and how a version was made."""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import TIME

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    made_with = sa.Column("made_with", sa.String(length=10), nullable=False, server_default="")
    op.add_column("versions", made_with)
    op.create_table(
        "base_code",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=60), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(length=60), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_base_code"),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name="fk_base_code_group_id_groups"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_base_code_user_id_users"),
    )
    op.create_index("ix_base_code_game", "base_code", ["game"])
    pair = ("first_version_id", "second_version_id")
    op.create_table(
        "settled_pairs",
        *(sa.Column(name, sa.Integer(), nullable=False) for name in pair),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("settled_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint(*pair, name="pk_settled_pairs"),
        *(
            sa.ForeignKeyConstraint(
                [name], ["versions.id"], name=f"fk_settled_pairs_{name}_versions"
            )
            for name in pair
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_settled_pairs_user_id_users"),
    )
