"""What bouts are searched by, in the rows of their seats: bot, version, result, fault and time."""

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

SEARCHED = ("version_id", "name", "result", "fault", "began_s", "ended_s", "void")
INDEXES = {
    "seats_newest": ("bout_id", "seat", "contest_id", "bot_id", *SEARCHED),
    "seats_of_bot": ("bot_id", "bout_id", "seat", "contest_id", *SEARCHED),
    "seats_of_contest": ("contest_id", "bout_id", "seat", "bot_id", *SEARCHED),
}
BATCH = 2000
BOUTS = sa.text(
    "SELECT id, contest_id, scores, faults, began_at, wall, void, names FROM bouts"
    " WHERE id > :last AND contest_id IN (SELECT id FROM contests WHERE kind <> 'local')"
    f" ORDER BY id LIMIT {BATCH}"
)
UPDATE = sa.text(
    "UPDATE seats SET bot_id = :bot_id, version_id = :version_id, result = :result,"
    " fault = :fault, began_s = :began_s, ended_s = :ended_s, void = :void"
    " WHERE bout_id = :bout_id AND seat = :seat"
)


def upgrade() -> None:
    for column in (
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("result", sa.String(length=5), nullable=False, server_default=""),
        sa.Column("fault", sa.String(length=20), nullable=False, server_default=""),
        sa.Column("began_s", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("ended_s", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("void", sa.Boolean(), nullable=False, server_default=sa.false()),
    ):
        op.add_column("seats", column)
    _fill(op.get_bind())
    op.drop_index(op.f("ix_seats_contest_id_name_bout_id"), "seats")
    for name, columns in INDEXES.items():
        op.create_index(name, "seats", list(columns))


def _fill(connection: sa.Connection) -> None:
    found = connection.execute(
        sa.text("SELECT contest_id, name, bot_id, version_id FROM entrants WHERE bot_id > 0")
    )
    entrants = {(row.contest_id, row.name): (row.bot_id, row.version_id) for row in found}
    last = 0
    while bouts := connection.execute(BOUTS, {"last": last}).all():
        last = bouts[-1].id
        connection.execute(UPDATE, [row for bout in bouts for row in _make_rows(bout, entrants)])


def _make_rows(
    bout: Any, entrants: dict[tuple[int, str], tuple[int, int | None]]
) -> Iterator[dict[str, Any]]:
    names, scores, faults, wall = map(_parse, (bout.names, bout.scores, bout.faults, bout.wall))
    best = max(scores)
    winner = scores.index(best) if scores.count(best) == 1 else None
    kinds = {fault["seat"]: str(fault["kind"]) for fault in reversed(faults)}
    began_s = _parse_seconds(bout.began_at)
    for seat, name in enumerate(names):
        bot_id, version_id = entrants.get((bout.contest_id, name), (None, None))
        yield {
            "bout_id": bout.id,
            "seat": seat,
            "bot_id": bot_id,
            "version_id": version_id,
            "result": "drawn" if winner is None else "won" if seat == winner else "lost",
            "fault": kinds.get(seat, ""),
            "began_s": began_s,
            "ended_s": math.ceil(began_s + sum(wall) + 1),
            "void": bool(bout.void),
        }


def _parse(value: Any) -> Any:
    """JSON, which PostgreSQL's driver has parsed already."""
    return json.loads(value) if isinstance(value, str | bytes) else value


def _parse_seconds(moment: str) -> int:
    try:
        return int(datetime.fromisoformat(moment).astimezone(UTC).timestamp())
    except (ValueError, OverflowError):
        return 0
