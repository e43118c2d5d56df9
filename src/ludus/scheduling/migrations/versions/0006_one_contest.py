"""One pair of tables for contests: ``events`` and ``entries`` become part of ``contests`` and
``entrants``. All times are in UTC; columns and tables get descriptive names.

A contest of a server gets the id of its event, which appears in links and notices; its bouts
follow. Contests run from the command line have no event and keep their ids unless an event has the
same one.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Rows = list[dict[str, Any]]
MOVED_TABLES = ("matches", "bouts", "seats", "tallies", "journal", "leases")
"""Tables that refer to a contest by ``contest_id``."""
RENAMED_TABLES = {
    "known_places": "known_devices",
    "resets": "password_resets",
    "spent": "quota_use",
    "settings": "site_settings",
    "code": "version_files",
    "trials": "check_records",
}
RENAMED_COLUMNS = {
    "users": {"shown": "display_name", "password": "password_hash", "joined": "created_at"},
    "sessions": {"began": "created_at", "until": "expires_at"},
    "tokens": {"made": "created_at", "until": "expires_at", "used": "last_used_at"},
    "known_devices": {"at": "seen_at"},
    "password_resets": {"until": "expires_at"},
    "notices": {"at": "created_at"},
    "audit": {"at": "created_at", "who": "user_name", "what": "action"},
    "quota_use": {"what": "kind"},
    "bots": {"about": "description", "current_id": "ladder_version_id", "made": "created_at"},
    "versions": {
        "at": "created_at",
        "size": "size_bytes",
        "remark": "comment",
        "wish": "enter_ladder_when_checked",
        "check": "check_result",
        "built": "build_bytes",
        "starts": "check_starts",
    },
    "bouts": {"began": "began_at"},
    "journal": {"at": "created_at"},
}
NO_VERSION = "no version of it had passed its check when sign-up closed"
"""The text of entries that were dropped for this cause."""


def upgrade() -> None:
    connection = op.get_bind()
    events, entries = _read(connection, EVENTS), _read(connection, ENTRIES)
    contests, entrants = _read(connection, CONTESTS), _read(connection, ENTRANTS)
    ratings = _read(connection, RATINGS)
    ids = _new_ids([row["id"] for row in events], contests, events)
    _drop_old_tables()
    _create_tables()
    op.bulk_insert(NEW_CONTESTS, _merge_contests(events, contests, ids))
    op.bulk_insert(NEW_ENTRANTS, _merge_entrants(events, entries, entrants, ids))
    _move_bouts(connection, ids)
    _add_foreign_keys()
    _add_leases(connection)
    _rename()
    _create_ratings(ratings)
    _create_rating_history()
    _to_utc(connection, "bouts", "began_at")
    _to_utc(connection, "journal", "created_at")
    if connection.dialect.name == "postgresql":
        for table in ("contests", "entrants", "rating_history"):
            connection.execute(
                sa.text(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'),"
                    f" (SELECT coalesce(max(id), 1) FROM {table}))"
                )
            )


# What there was


def _table(name: str, *columns: str, **kinds: Any) -> sa.TableClause:
    typed = [sa.column(key, kind) for key, kind in kinds.items()]
    return sa.table(name, *(sa.column(key) for key in columns), *typed)


EVENTS = _table(
    "events",
    *("id", "kind", "title", "game", "contest_id", "state", "author_id", "group_id"),
    *("opens", "closes", "starts", "publishes", "delay", "preset", "about", "at", "ended"),
    settings=sa.JSON(),
    why=sa.JSON(),
    imports=sa.JSON(),
    hidden=sa.Boolean(),
)
ENTRIES = _table(
    "entries",
    *("id", "event_id", "entrant", "bot_id", "version_id", "house", "seed", "why", "at"),
    dropped=sa.Boolean(),
)
CONTESTS = _table("contests", "id", "name", "folder", "changes", settings=sa.JSON())
ENTRANTS = _table(
    "entrants",
    *("id", "contest_id", "name", "bot", "digest", "seed", "group", "joined", "left"),
    dropped=sa.Boolean(),
)
RATINGS = _table(
    "ratings",
    *("event_id", "entrant", "place", "elo", "low", "high", "bouts", "won", "drawn", "lost"),
    *("faults", "at"),
    apart=sa.Boolean(),
)


def _read(connection: sa.Connection, table: sa.TableClause) -> Rows:
    rows = connection.execute(sa.select(*table.columns)).mappings()
    keys = [column.name for column in table.columns]
    found = [{key: row[key] for key in keys} for row in rows]
    return sorted(found, key=lambda row: row.get("id", 0))


# What becomes of it


def _new_ids(event_ids: list[int], contests: Rows, events: Rows) -> dict[int, int]:
    """The new id of every contest by its old one."""
    found = {row["contest_id"]: row["id"] for row in events if row["contest_id"] is not None}
    taken = set(event_ids)
    free = max([*event_ids, *(row["id"] for row in contests)], default=0) + 1
    for row in contests:
        if row["id"] in found:
            continue
        if row["id"] in taken:
            found[row["id"]], free = free, free + 1
        else:
            found[row["id"]] = row["id"]
    return found


def _merge_contests(events: Rows, contests: Rows, ids: dict[int, int]) -> Rows:
    by_id = {row["id"]: row for row in contests}
    owned = {row["contest_id"] for row in events}
    return [
        *(_from_event(row, by_id.get(row["contest_id"])) for row in events),
        *(_from_local(row, ids[row["id"]]) for row in contests if row["id"] not in owned),
    ]


def _from_event(event: dict[str, Any], contest: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": event["id"],
        "kind": event["kind"],
        "name": event["title"],
        "game": event["game"],
        "settings": event["settings"],
        "play_settings": contest["settings"] if contest else None,
        "folder": "",
        "changes": contest["changes"] if contest else 0,
        "state": event["state"],
        "stop_reason": event["why"],
        "author_id": event["author_id"],
        "group_id": event["group_id"],
        "opens_at": event["opens"],
        "closes_at": event["closes"],
        "starts_at": event["starts"],
        "publishes_at": event["publishes"],
        "hidden": event["hidden"],
        "delay_s": event["delay"],
        "allowed_imports": event["imports"],
        "preset": event["preset"],
        "description": event["about"],
        "created_at": event["at"],
        "ended_at": event["ended"],
    }


def _from_local(contest: dict[str, Any], id: int) -> dict[str, Any]:
    return {
        "id": id,
        "kind": "local",
        "name": contest["name"],
        "game": contest["settings"]["game"],
        "settings": contest["settings"],
        "play_settings": contest["settings"],
        "folder": contest["folder"],
        "changes": contest["changes"],
        "state": "running",
        "stop_reason": None,
        "author_id": None,
        "group_id": None,
        "opens_at": None,
        "closes_at": None,
        "starts_at": None,
        "publishes_at": None,
        "hidden": False,
        "delay_s": 0,
        "allowed_imports": None,
        "preset": "",
        "description": "",
        "created_at": "",
        "ended_at": None,
    }


def _merge_entrants(events: Rows, entries: Rows, entrants: Rows, ids: dict[int, int]) -> Rows:
    """Entries keep their ids, which staff and pages refer to."""
    kinds = {row["id"]: row["kind"] for row in events}
    playing = {(ids[row["contest_id"]], row["name"]): row for row in entrants}
    found = []
    for entry in entries:
        row = playing.pop((entry["event_id"], entry["entrant"]), None)
        found.append(_from_entry(entry, row, kinds[entry["event_id"]]))
    next_id = max((row["id"] for row in entries), default=0) + 1
    for number, ((contest_id, _), row) in enumerate(playing.items()):
        id = next_id + number if entries else row["id"]
        found.append(_from_entrant(row, id, contest_id))
    return found


def _from_entry(entry: dict[str, Any], entrant: dict[str, Any] | None, kind: str) -> dict[str, Any]:
    dropped = entry["dropped"] or bool(entrant and entrant["dropped"])
    unchecked = entry["why"] == NO_VERSION
    cause = "no_version" if unchecked else "disqualified" if entry["dropped"] else "withdrawn"
    return {
        "id": entry["id"],
        "contest_id": entry["event_id"],
        "name": entry["entrant"],
        "bot": entry["house"],
        "bot_id": entry["bot_id"],
        "version_id": entry["version_id"],
        "digest": "",
        "seed": entry["seed"],
        "group": "",
        "dropped": dropped,
        "drop_cause": cause if dropped else "",
        "drop_reason": "" if unchecked else entry["why"],
        "joined": entrant["joined"] if entrant else 0,
        "left": entrant["left"] if entrant else 0,
        "created_at": entry["at"],
    }


def _from_entrant(entrant: dict[str, Any], id: int, contest_id: int) -> dict[str, Any]:
    return {
        "id": id,
        "contest_id": contest_id,
        "name": entrant["name"],
        "bot": entrant["bot"],
        "bot_id": None,
        "version_id": None,
        "digest": entrant["digest"],
        "seed": entrant["seed"],
        "group": entrant["group"],
        "dropped": entrant["dropped"],
        "drop_cause": "withdrawn" if entrant["dropped"] else "",
        "drop_reason": "",
        "joined": entrant["joined"],
        "left": entrant["left"],
        "created_at": "",
    }


# Tables


def _drop_old_tables() -> None:
    tail = " CASCADE" if op.get_bind().dialect.name == "postgresql" else ""
    for table in ("ratings", "entries", "entrants", "events", "contests"):
        op.execute(f"DROP TABLE {table}{tail}")


def _contest_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("game", sa.String(length=60), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("play_settings", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("stop_reason", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("author_id", sa.Integer(), nullable=True),
        sa.Column("group_id", sa.Integer(), nullable=True),
        sa.Column("opens_at", sa.String(length=32), nullable=True),
        sa.Column("closes_at", sa.String(length=32), nullable=True),
        sa.Column("starts_at", sa.String(length=32), nullable=True),
        sa.Column("publishes_at", sa.String(length=32), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("delay_s", sa.Integer(), nullable=False),
        sa.Column("allowed_imports", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("preset", sa.String(length=40), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        sa.Column("ended_at", sa.String(length=32), nullable=True),
    ]


def _entrant_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("bot", sa.Text(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("group", sa.String(length=100), nullable=False),
        sa.Column("dropped", sa.Boolean(), nullable=False),
        sa.Column("drop_cause", sa.String(length=20), nullable=False),
        sa.Column("drop_reason", sa.Text(), nullable=False),
        sa.Column("joined", sa.Integer(), nullable=False),
        sa.Column("left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
    ]


NEW_CONTESTS = sa.table("contests", *(sa.column(c.name, c.type) for c in _contest_columns()))
NEW_ENTRANTS = sa.table("entrants", *(sa.column(c.name, c.type) for c in _entrant_columns()))


def _create_tables() -> None:
    op.create_table(
        "contests",
        *_contest_columns(),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name="fk_contests_author_id_users"),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name="fk_contests_group_id_groups"),
        sa.PrimaryKeyConstraint("id", name="pk_contests"),
    )
    op.create_index("ix_contests_author_id", "contests", ["author_id"])
    op.create_index("ix_contests_game", "contests", ["game"])
    op.create_index("ix_contests_kind_state", "contests", ["kind", "state"])
    op.create_index(
        "one_local_contest_of_a_name",
        "contests",
        ["name"],
        unique=True,
        sqlite_where=sa.text("kind = 'local'"),
        postgresql_where=sa.text("kind = 'local'"),
    )
    op.create_table(
        "entrants",
        *_entrant_columns(),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_entrants_bot_id_bots"),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name="fk_entrants_contest_id_contests"
        ),
        sa.ForeignKeyConstraint(
            ["version_id"], ["versions.id"], name="fk_entrants_version_id_versions"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_entrants"),
        sa.UniqueConstraint("contest_id", "name", name="uq_entrants_contest_id_name"),
    )
    op.create_index("ix_entrants_bot_id", "entrants", ["bot_id"])
    op.create_index("ix_entrants_version_id", "entrants", ["version_id"])


def _move_bouts(connection: sa.Connection, ids: dict[int, int]) -> None:
    """Change ids by way of negative numbers, since old and new ids overlap."""
    changed = [{"old": old, "new": -new} for old, new in ids.items() if old != new]
    if connection.dialect.name == "postgresql":
        op.drop_constraint("fk_bouts_contest_id_match_id_matches", "bouts", type_="foreignkey")
    for table in MOVED_TABLES if changed else ():
        moving = sa.text(f"UPDATE {table} SET contest_id = :new WHERE contest_id = :old")
        connection.execute(moving, changed)
        connection.execute(
            sa.text(f"UPDATE {table} SET contest_id = -contest_id WHERE contest_id < 0")
        )


def _add_foreign_keys() -> None:
    """PostgreSQL dropped them with the tables they led to; SQLite knows tables by name."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in ("matches", "tallies", "journal", "leases"):
        name = f"fk_{table}_contest_id_contests"
        op.create_foreign_key(name, table, "contests", ["contest_id"], ["id"])
    op.create_foreign_key(
        "fk_bouts_contest_id_match_id_matches",
        "bouts",
        "matches",
        ["contest_id", "match_id"],
        ["contest_id", "id"],
    )


def _add_leases(connection: sa.Connection) -> None:
    """Create a lease for every contest, also for those that have not begun."""
    connection.execute(
        sa.text(
            "INSERT INTO leases (contest_id, holder, beat, place)"
            " SELECT id, '', 0, '{}' FROM contests"
            " WHERE id NOT IN (SELECT contest_id FROM leases)"
        )
    )


def _rename() -> None:
    op.drop_index("ix_resets_user_id", "resets")
    for old, new in RENAMED_TABLES.items():
        op.rename_table(old, new)
    op.create_index("ix_password_resets_user_id", "password_resets", ["user_id"])
    for table, columns in RENAMED_COLUMNS.items():
        for old, new in columns.items():
            op.execute(f'ALTER TABLE {table} RENAME COLUMN "{old}" TO {new}')
    _rename_unique("users", "folded", "name_key", ["name_key"])
    _rename_unique("bots", "folded", "name_key", ["game", "name_key"])
    _rename_unique("teams", "folded", "name_key", ["name_key"])
    _rename_unique("teams", "code", "join_code", ["join_code"])
    _rename_unique("groups", "code", "join_code", ["join_code"])


def _rename_unique(table: str, old: str, new: str, columns: list[str]) -> None:
    """A column with a constraint named after it."""
    names = [old if name == new else name for name in columns]
    op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(f"uq_{table}_{'_'.join(names)}", type_="unique")
        batch.create_unique_constraint(f"uq_{table}_{'_'.join(columns)}", columns)


def _create_rating_history() -> None:
    op.create_table(
        "rating_history",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.String(length=32), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=False) for name in ("elo", "low", "high")),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name="fk_rating_history_contest_id_contests"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rating_history"),
    )
    op.execute(
        "INSERT INTO rating_history (id, contest_id, entrant, created_at, elo, low, high)"
        " SELECT id, event_id, entrant, at, elo, low, high FROM curves"
    )
    op.drop_table("curves")
    op.create_index(
        "ix_rating_history_contest_id_entrant_id",
        "rating_history",
        ["contest_id", "entrant", "id"],
    )


def _create_ratings(rows: Rows) -> None:
    op.create_table(
        "ratings",
        sa.Column("contest_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.String(length=60), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Float(), nullable=False) for name in ("elo", "low", "high")),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("bouts", "won", "drawn", "lost", "faults")
        ),
        sa.Column("separated", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["contest_id"], ["contests.id"], name="fk_ratings_contest_id_contests"
        ),
        sa.PrimaryKeyConstraint("contest_id", "entrant", name="pk_ratings"),
    )
    new = {"event_id": "contest_id", "apart": "separated", "at": "updated_at"}
    renamed = [{new.get(key, key): value for key, value in row.items()} for row in rows]
    op.bulk_insert(_table("ratings", *NEW_RATING_COLUMNS, separated=sa.Boolean()), renamed)


NEW_RATING_COLUMNS = (
    *("contest_id", "entrant", "place", "elo", "low", "high", "bouts", "won", "drawn", "lost"),
    *("faults", "updated_at"),
)


def _to_utc(connection: sa.Connection, table: str, column: str) -> None:
    """Convert local times with an offset to UTC; other texts are unchanged."""
    if connection.dialect.name == "sqlite":
        time = f"strftime('%Y-%m-%dT%H:%M:%SZ', {column})"
        looks = f"{column} GLOB '????-??-??T??:??:??[+-]??:??' AND {time} IS NOT NULL"
    else:
        form = 'YYYY-MM-DD"T"HH24:MI:SS"Z"'
        time = f"to_char({column}::timestamptz AT TIME ZONE 'UTC', '{form}')"
        day, hour = r"\d{4}-\d\d-\d\d", r"\d\d[:]\d\d[:]\d\d"
        looks = rf"{column} ~ '^{day}T{hour}[+-]\d\d[:]\d\d$'"
    connection.exec_driver_sql(f"UPDATE {table} SET {column} = {time} WHERE {looks}")
