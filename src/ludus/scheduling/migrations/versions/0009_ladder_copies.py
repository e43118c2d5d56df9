"""Copies of bouts on ladders, and mirrored pairs. Older bouts are still counted one by one."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COUNTS = {"tallies": ("copied_won", "copied_drawn", "copied_lost"), "ratings": ("copies",)}


def upgrade() -> None:
    op.add_column(
        "bouts", sa.Column("copied", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_index(
        op.f("ix_bouts_contest_id_start_digest_moves_digest"),
        "bouts",
        ["contest_id", "start_digest", "moves_digest"],
    )
    for table, names in COUNTS.items():
        for name in names:
            column = sa.Column(name, sa.Integer(), nullable=False, server_default="0")
            op.add_column(table, column)
    op.create_table(
        "mirrored_pairs",
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("one", sa.String(length=100), nullable=False),
        sa.Column("other", sa.String(length=100), nullable=False),
        sa.Column("score_halves", sa.Integer(), nullable=False),
        sa.Column("reply_halves", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name=op.f("fk_mirrored_pairs_contest_id_contests")
        ),
        sa.PrimaryKeyConstraint(
            "contest_id",
            "one",
            "other",
            "score_halves",
            "reply_halves",
            name=op.f("pk_mirrored_pairs"),
        ),
    )
