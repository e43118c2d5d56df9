"""Comments and announcements; e-mail. Addresses of before are not verified, and get no mail."""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import BIG_ID, TIME

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("email_verified", "mail_notices"):
        op.add_column(
            "users", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.add_column(
        "users", sa.Column("mailed_notice_id", BIG_ID, nullable=False, server_default="0")
    )
    op.create_table(
        "posts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("bout_id", BIG_ID, nullable=True),
        sa.Column("contest_id", sa.Integer(), nullable=True),
        sa.Column("group_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name="pk_posts"),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name="fk_posts_author_id_users"),
        sa.ForeignKeyConstraint(["bout_id"], ["bouts.id"], name="fk_posts_bout_id_bouts"),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name="fk_posts_contest_id_contests"
        ),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name="fk_posts_group_id_groups"),
    )
    for place in ("bout_id", "contest_id", "group_id"):
        op.create_index(f"ix_posts_{place}_id", "posts", [place, "id"])
    op.create_table(
        "mails",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("after_notice", BIG_ID, nullable=False),
        sa.Column("last_notice", BIG_ID, nullable=False),
        sa.Column("code_digest", sa.String(64), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_mails"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_mails_user_id_users"),
    )
    op.create_index("ix_mails_state_due_at", "mails", ["state", "due_at"])
    op.create_index("ix_mails_user_id", "mails", ["user_id"])
    op.create_index("ix_mails_code_digest", "mails", ["code_digest"])
