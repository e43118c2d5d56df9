"""A club in one file: written while the server runs, put back into any empty database.

The file is a zip with a line of JSON for each row, table by table, and the migration its tables
belong to. It does not matter whether it came from SQLite or PostgreSQL.
"""

from __future__ import annotations

import base64
import contextlib
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sql

from ludus.arena.club import tables  # noqa: F401  (their metadata)
from ludus.arena.club.database import HEAD, Database, bring_up_to_date, revision
from ludus.arena.club.times import now
from ludus.contest.database import connect, trouble
from ludus.contest.schema import Base
from ludus.errors import LudusError
from ludus.home import make_private

FORMAT = "ludus/backup/1"
BATCH = 500
ABOUT = "about.json"
LEFT_OUT = {"leases", "alembic_version"}
"""What belongs to a running server alone."""


def write(database: Database, path: Path) -> dict[str, int]:
    """Everything as it is at one moment; tells how many rows of each table."""
    engine = database.engine
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    os.close(handle)
    try:
        with trouble(), _one_moment(engine) as connection:
            counts = _written(connection, Path(aside))
        os.replace(aside, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(aside)
    return counts


@contextlib.contextmanager
def _one_moment(engine: sql.Engine) -> Iterator[sql.Connection]:
    """A connection that does not see what others write meanwhile."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection
        connection.rollback()


def _written(connection: sql.Connection, path: Path) -> dict[str, int]:
    counts = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for table in Base.metadata.sorted_tables:
            if table.name in LEFT_OUT:
                continue
            with box.open(f"{table.name}.jsonl", "w", force_zip64=True) as file:
                count = 0
                for row in connection.execute(table.select().execution_options(yield_per=BATCH)):
                    file.write(msgspec.json.encode(_out(row._mapping)) + b"\n")
                    count += 1
                counts[table.name] = count
        about = {"format": FORMAT, "revision": HEAD, "at": now(), "rows": counts}
        box.writestr(ABOUT, msgspec.json.encode(about))
    return counts


def _out(row: Any) -> dict[str, Any]:
    return {
        key: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for key, value in row.items()
    }


def restore(path: Path, address: str) -> dict[str, int]:
    """Into an empty database, which is then brought up to date."""
    try:
        with zipfile.ZipFile(path) as box:
            about = msgspec.json.decode(box.read(ABOUT))
            if about.get("format") != FORMAT:
                raise KeyError(ABOUT)
            return _restored(box, about, address)
    except (OSError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        raise LudusError(
            f"{path} is no backup of a Ludus: {error}", f"{path} 不是 Ludus 的备份：{error}"
        ) from None


def _restored(box: zipfile.ZipFile, about: dict[str, Any], address: str) -> dict[str, int]:
    if "://" not in address:
        make_private(Path(address).parent)
    engine = connect(address)
    with trouble():
        if revision(engine):
            raise LudusError(
                f"there is something in {_shown(engine)} already; name an empty database",
                f"{_shown(engine)} 中已有内容；请指定空数据库",
            )
        bring_up_to_date(engine, "", about["revision"])
        tables_then = sql.MetaData()
        tables_then.reflect(engine)
        with engine.begin() as connection:
            for table in Base.metadata.sorted_tables:
                if f"{table.name}.jsonl" in box.namelist():
                    _fill(connection, tables_then.tables[table.name], box, table.name)
            _fill_leases(connection, tables_then)
            if engine.dialect.name == "postgresql":
                _count_on(connection, tables_then)
        if about["revision"] != HEAD:
            bring_up_to_date(engine, about["revision"])
    engine.dispose()
    counts: dict[str, int] = about["rows"]
    return counts


def _shown(engine: sql.Engine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _fill(connection: sql.Connection, then: sql.Table, box: zipfile.ZipFile, name: str) -> None:
    known = Base.metadata.tables[name]
    kinds = {c.name: known.columns[c.name].type for c in then.columns if c.name in known.columns}
    target = sql.table(name, *(sql.column(key, kind) for key, kind in kinds.items()))
    with box.open(f"{name}.jsonl") as file:
        for rows in _batches(msgspec.json.decode(line) for line in file):
            connection.execute(sql.insert(target), [_in(row) for row in rows])


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    waiting: list[dict[str, Any]] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == BATCH:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _in(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: base64.b64decode(value["base64"])
        if isinstance(value, dict) and value.keys() == {"base64"}
        else value
        for key, value in row.items()
    }


def _fill_leases(connection: sql.Connection, then: sql.MetaData) -> None:
    """Every contest has a lease that nobody holds."""
    leases = Base.metadata.tables["leases"]
    ids = connection.execute(sql.select(then.tables["contests"].c.id)).scalars().all()
    rows = [{"contest_id": id, "holder": "", "beat": 0, "place": {}} for id in ids]
    if rows:
        connection.execute(sql.insert(leases), rows)


def _count_on(connection: sql.Connection, then: sql.MetaData) -> None:
    """PostgreSQL numbers new rows after the last that came."""
    for table in then.sorted_tables:
        column = table.columns.get("id")
        if column is not None and isinstance(column.type, sql.Integer):
            connection.execute(
                sql.text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"
                    f" (SELECT coalesce(max(id), 1) FROM {table.name}))"
                )
            )
