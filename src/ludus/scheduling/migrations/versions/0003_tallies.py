"""Totals per pair of a ladder; a contest's delay. Newer contests have ``tallies`` already."""

import json
from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COUNTED = ("won", "drawn", "lost", "first_faults", "second_faults")


def upgrade() -> None:
    if not sa.inspect(op.get_bind()).has_table("tallies"):
        op.create_table(
            "tallies",
            sa.Column("contest_id", sa.Integer(), nullable=False),
            sa.Column("first", sa.String(length=100), nullable=False),
            sa.Column("second", sa.String(length=100), nullable=False),
            *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTED),
            sa.Column("latest", sa.Integer(), nullable=False),
            sa.Column("bout_id", sa.BigInteger(), nullable=False),
            sa.ForeignKeyConstraint(
                ["contest_id"], ["contests.id"], name=op.f("fk_tallies_contest_id_contests")
            ),
            sa.PrimaryKeyConstraint("contest_id", "first", "second", name=op.f("pk_tallies")),
        )
    op.add_column("events", sa.Column("delay", sa.Integer(), nullable=False, server_default="0"))
    connection = op.get_bind()
    for (contest_id,) in connection.execute(sa.text(LADDERS)).all():
        fill(connection, contest_id)


LADDERS = "SELECT contest_id FROM events WHERE kind = 'ladder' AND contest_id IS NOT NULL"
BOUTS = (
    "SELECT id, match_id, CAST(names AS TEXT), CAST(scores AS TEXT), CAST(faults AS TEXT)"
    " FROM bouts WHERE contest_id = :id AND NOT void"
)


def fill(connection: sa.Connection, contest_id: int) -> None:
    """Count the bouts of a ladder, one after the other."""
    connection.execute(sa.text("DELETE FROM tallies WHERE contest_id = :id"), {"id": contest_id})
    found: dict[tuple[str, str], dict[str, int]] = defaultdict(
        lambda: dict.fromkeys((*COUNTED, "latest", "bout_id"), 0)
    )
    streaming = connection.execution_options(yield_per=1000)
    for id, match, names, scores, faults in streaming.execute(sa.text(BOUTS), {"id": contest_id}):
        seated, (one, other) = json.loads(names), json.loads(scores)
        if len(seated) != 2:
            continue
        line = found[seated[0], seated[1]]
        line["won" if one > other else "lost" if other > one else "drawn"] += 1
        for fault in json.loads(faults):
            line["first_faults" if fault["seat"] == 0 else "second_faults"] += 1
        line["latest"] = max(line["latest"], int(match.rpartition("/")[2]))
        line["bout_id"] = max(line["bout_id"], id)
    if found:
        keys = ("first", "second", *COUNTED, "latest", "bout_id")
        insert = sa.text(
            f"INSERT INTO tallies (contest_id, {', '.join(keys)})"
            f" VALUES (:contest_id, {', '.join(':' + key for key in keys)})"
        )
        rows = [
            {"contest_id": contest_id, "first": first, "second": second, **line}
            for (first, second), line in found.items()
        ]
        connection.execute(insert, rows)
