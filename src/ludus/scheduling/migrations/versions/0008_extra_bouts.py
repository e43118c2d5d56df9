"""Old contests keep their rule for level matches.

A setting that is left out means its default, and two defaults have changed: level knockout matches
were decided by lot at once (``extra``: 0), and extra bouts were played one at a time
(``extra_seats``: drawn). Contests that were made before say so now. The settings of a contest that
has begun are its ``play_settings``; the others are only shown and stay as they were given.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

CONTESTS = sa.table(
    "contests",
    sa.column("id", sa.Integer()),
    sa.column("settings", sa.JSON()),
    sa.column("play_settings", sa.JSON(none_as_null=True)),
)
KNOCKOUT_FORMATS = ("knockout", "double-elimination", "staged")
OLD_DEFAULTS = {"extra": 0, "extra_seats": "drawn"}


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(*CONTESTS.columns)).all():
        column = "settings" if row.play_settings is None else "play_settings"
        settings: dict[str, Any] = getattr(row, column)
        if settings.get("format", {}).get("name") in KNOCKOUT_FORMATS:
            match = {**OLD_DEFAULTS, **settings.get("match", {})}
            connection.execute(
                sa.update(CONTESTS)
                .where(CONTESTS.c.id == row.id)
                .values({column: {**settings, "match": match}})
            )
