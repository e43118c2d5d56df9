"""Contests, as they were before there were accounts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contests")),
        sa.UniqueConstraint("name", name=op.f("uq_contests_name")),
    )
    op.create_table(
        "entrants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("bot", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("group", sa.String(length=100), nullable=False),
        sa.Column("dropped", sa.Boolean(), nullable=False),
        sa.Column("joined", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name=op.f("fk_entrants_contest_id_contests")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entrants")),
        sa.UniqueConstraint("contest_id", "name", name=op.f("uq_entrants_contest_id_name")),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name=op.f("fk_journal_contest_id_contests")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
    op.create_index(op.f("ix_journal_contest_id"), "journal", ["contest_id"], unique=False)
    op.create_table(
        "leases",
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(length=100), nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name=op.f("fk_leases_contest_id_contests")
        ),
        sa.PrimaryKeyConstraint("contest_id", name=op.f("pk_leases")),
    )
    op.create_table(
        "matches",
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=300), nullable=False),
        sa.Column("entrants", sa.JSON(), nullable=False),
        sa.Column("stage", sa.String(length=20), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("title", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name=op.f("fk_matches_contest_id_contests")
        ),
        sa.PrimaryKeyConstraint("contest_id", "id", name=op.f("pk_matches")),
    )
    op.create_table(
        "bouts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(length=300), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("names", sa.JSON(), nullable=False),
        sa.Column("scores", sa.JSON(), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("cpu", sa.JSON(), nullable=False),
        sa.Column("wall", sa.JSON(), nullable=False),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.JSON(), nullable=False),
        sa.Column("faults", sa.JSON(), nullable=False),
        sa.Column("hung", sa.Boolean(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("began", sa.String(length=40), nullable=False),
        sa.Column("void", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id", "match_id"],
            ["matches.contest_id", "matches.id"],
            name=op.f("fk_bouts_contest_id_match_id_matches"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bouts")),
    )
    op.create_index(op.f("ix_bouts_contest_id_id"), "bouts", ["contest_id", "id"], unique=False)
    op.create_index(
        "one_bout_counts",
        "bouts",
        ["contest_id", "match_id", "number"],
        unique=True,
        sqlite_where=sa.text("void = 0"),
        postgresql_where=sa.text("NOT void"),
    )
    op.create_table(
        "records",
        sa.Column("bout_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["bout_id"], ["bouts.id"], name=op.f("fk_records_bout_id_bouts")),
        sa.PrimaryKeyConstraint("bout_id", name=op.f("pk_records")),
    )
