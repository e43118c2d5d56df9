"""Assignments, their submissions and marks; private bots."""

import sqlalchemy as sa
from alembic import op

from ludus.scheduling.schema.base import TIME

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "bots", sa.Column("private", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("contests", sa.Column("team_id", sa.Integer(), nullable=True))
    _create_assignments()
    _create_submissions()
    op.create_table(
        "gradings",
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(20), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("deal", sa.String(32), nullable=False),
        sa.Column("part", sa.String(10), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("contest_id", name="pk_gradings"),
        _refers("gradings", "contest_id", "contests"),
        _refers("gradings", "assignment_id", "assignments"),
        sa.UniqueConstraint(
            *("assignment_id", "owner", "digest", "deal", "part", "round"),
            name="one_grading_of_a_code",
        ),
    )
    op.create_table(
        "person_marks",
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("manual", sa.JSON(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("override", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("assignment_id", "user_id", name="pk_person_marks"),
        _refers("person_marks", "assignment_id", "assignments"),
        _refers("person_marks", "user_id", "users"),
        _refers("person_marks", "author_id", "users"),
    )


def _refers(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{to}.id"], name=f"fk_{table}_{column}_{to}")


def _create_assignments() -> None:
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("opens_at", TIME, nullable=True),
        sa.Column("deadline", TIME, nullable=False),
        sa.Column("closes_at", TIME, nullable=False),
        sa.Column("reveals_at", TIME, nullable=False),
        sa.Column("ladder_places", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_assignments"),
        _refers("assignments", "group_id", "groups"),
        _refers("assignments", "author_id", "users"),
    )
    op.create_index("ix_assignments_group_id", "assignments", ["group_id"])


def _create_submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(20), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
        _refers("submissions", "assignment_id", "assignments"),
        _refers("submissions", "author_id", "users"),
        _refers("submissions", "version_id", "versions"),
    )
    op.create_index("ix_submissions_assignment_id_id", "submissions", ["assignment_id", "id"])
    op.create_index("ix_submissions_state", "submissions", ["state"])
    op.create_table(
        "submission_people",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("submission_id", "user_id", name="pk_submission_people"),
        _refers("submission_people", "submission_id", "submissions"),
        _refers("submission_people", "user_id", "users"),
    )
    op.create_index("ix_submission_people_user_id", "submission_people", ["user_id"])
