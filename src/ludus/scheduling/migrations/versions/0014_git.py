"""Repositories of bots, remotes and pushes; the commit that a version was made from."""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import BIG_ID, TIME

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "versions", sa.Column("commit_id", sa.String(64), nullable=False, server_default="")
    )
    op.add_column(
        "bots",
        sa.Column("ladder_pushes", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "git_repositories",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("refs", sa.JSON(), nullable=False),
        sa.Column("pack", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("bot_id", name="pk_git_repositories"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_git_repositories_bot_id_bots"),
    )
    op.create_table(
        "git_remotes",
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(500), nullable=False),
        sa.Column("host_kind", sa.String(10), nullable=False),
        sa.Column("branch", sa.String(100), nullable=False),
        sa.Column("webhook_secret", sa.String(80), nullable=False),
        sa.Column("access_token", sa.String(300), nullable=False),
        sa.Column("deploy_key", sa.Text(), nullable=False),
        sa.Column("public_key", sa.String(200), nullable=False),
        sa.Column("known_hosts", sa.Text(), nullable=False),
        sa.Column("site_url", sa.String(300), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("bot_id", name="pk_git_remotes"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_git_remotes_bot_id_bots"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_git_remotes_user_id_users"),
    )
    op.create_index("ix_git_remotes_user_id", "git_remotes", ["user_id"])
    op.create_table(
        "git_pushes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("origin", sa.String(10), nullable=False),
        sa.Column("ref", sa.String(200), nullable=False),
        sa.Column("announced_id", sa.String(64), nullable=False),
        sa.Column("commit_id", sa.String(64), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("reason", sa.JSON(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_git_pushes"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_git_pushes_bot_id_bots"),
    )
    op.create_index("ix_git_pushes_bot_id_id", "git_pushes", ["bot_id", "id"])
    op.create_index("ix_git_pushes_state", "git_pushes", ["state"])
    op.create_index("ix_git_pushes_status", "git_pushes", ["status"])
