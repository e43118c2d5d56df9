"""Backups of a site: written while the server runs, restored into any empty database.

The file is a zip with one line of JSON per row, table by table, and the migration that its tables
belong to. It does not depend on SQLite or PostgreSQL.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec
import sqlalchemy as sql
from sqlalchemy import exc

from ludus.courses.assignment import HIDDEN, PUBLIC
from ludus.errors import LudusError
from ludus.escape import escape_to_one_line, truncate
from ludus.home import make_private, refuse_irregular
from ludus.os_errors import describe_os_error
from ludus.scheduling.database import connect, translate_database_errors
from ludus.scheduling.migrate import (
    LATEST_REVISION,
    bring_up_to_date,
    migrate,
    read_revision,
)
from ludus.scheduling.schema import Base
from ludus.scheduling.schema.contests import (
    CHALLENGE,
    CONTEST,
    GRADING,
    LADDER,
    LOCAL,
    STATES,
    TEST,
)
from ludus.server.accounts.identity import ROLES, SCOPES
from ludus.server.admin import site_settings
from ludus.server.bots import bots
from ludus.server.database import Database
from ludus.server.git.push_commands import is_ref_name
from ludus.timestamps import now

BACKUP_FORMAT = "ludus/backup/1"
ROWS_PER_BATCH = 500
MAX_BATCH_BYTES = 8 << 20
"""The most bytes of rows that are inserted together."""
MAX_ROW_BYTES = 96 << 20
"""Bytes of a line: the largest upload there can be, 64 MB, has 86 MB in base64."""
MAX_INFO_BYTES = 1 << 20
INFO_FILE_NAME = "about.json"
EXCLUDED_TABLES = {"leases", "alembic_version"}
"""Tables that belong to a running server alone."""


def write_backup(database: Database, path: Path) -> dict[str, int]:
    """Write everything as it is at one moment; gives the number of rows of each table."""
    engine = database.engine
    refuse_irregular(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    os.close(handle)
    try:
        with translate_database_errors(), _open_snapshot(engine) as connection:
            counts = _write_tables(connection, Path(aside))
        os.replace(aside, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(aside)
    return counts


@contextlib.contextmanager
def _open_snapshot(engine: sql.Engine) -> Iterator[sql.Connection]:
    """A connection that does not see later writes of others."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection
        connection.rollback()


def _write_tables(connection: sql.Connection, path: Path) -> dict[str, int]:
    counts = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as box:
        for table in Base.metadata.sorted_tables:
            if table.name in EXCLUDED_TABLES:
                continue
            with box.open(f"{table.name}.jsonl", "w", force_zip64=True) as file:
                count = 0
                for row in connection.execute(
                    table.select().execution_options(yield_per=ROWS_PER_BATCH)
                ):
                    file.write(msgspec.json.encode(_encode_row(row._mapping)) + b"\n")
                    count += 1
                counts[table.name] = count
        about = {"format": BACKUP_FORMAT, "revision": LATEST_REVISION, "at": now(), "rows": counts}
        box.writestr(INFO_FILE_NAME, msgspec.json.encode(about))
    return counts


def _encode_row(row: Any) -> dict[str, Any]:
    return {
        key: {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for key, value in row.items()
    }


class DamagedBackup(Exception):
    """The file was not written by Ludus, or is incomplete."""


class BackupInfo(msgspec.Struct):
    """The header of a backup."""

    format: str
    revision: Annotated[str, msgspec.Meta(pattern=r"^\d{4}$")]
    rows: dict[str, int]


UNREADABLE_BACKUP_ERRORS = (
    DamagedBackup,
    OSError,
    EOFError,
    LookupError,
    ValueError,
    ArithmeticError,
    RuntimeError,  # encrypted, packed in an unknown way, or nested too deeply
    zlib.error,
    zipfile.BadZipFile,
    msgspec.MsgspecError,
)


def restore_backup(path: Path, address: str) -> dict[str, int]:
    """Restore a backup into an empty database and migrate it; gives the number of rows of each
    table.

    A LudusError says what is wrong with a file that is not a valid backup; reading it takes little
    memory in any case. A SQLite file that was created for it is removed then.
    """
    try:
        with zipfile.ZipFile(path) as box:
            about = _read_info(box)
            return _restore_into(box, about, address)
    except FileNotFoundError:
        raise LudusError(f"{path} does not exist", f"没有文件 {path}") from None
    except UNREADABLE_BACKUP_ERRORS as error:
        why = describe_os_error(error).map(lambda said: escape_to_one_line(truncate(said, 300)))
        raise LudusError(
            f"{path} is not a backup of Ludus, or it is damaged: {why.en}",
            f"{path} 不是 Ludus 的备份，或已损坏：{why.zh}",
        ) from None


def _read_info(box: zipfile.ZipFile) -> BackupInfo:
    with _open_member(box, INFO_FILE_NAME) as file:
        about = msgspec.json.decode(file.read(MAX_INFO_BYTES), type=BackupInfo)
    if about.format != BACKUP_FORMAT:
        raise DamagedBackup(f"its format is {about.format!r}, not {BACKUP_FORMAT!r}")
    return about


def _open_member(box: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A file of the zip, decompressed in pieces; other compression methods decompress without
    bounds."""
    info = box.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        raise DamagedBackup(f"{name} uses an unexpected compression method")
    return box.open(info)


def _restore_into(box: zipfile.ZipFile, about: BackupInfo, address: str) -> dict[str, int]:
    new = "://" not in address and not Path(address).exists()
    if "://" not in address:
        make_private(Path(address).parent)
    engine = connect(address)
    try:
        with translate_database_errors():
            counts = _fill_tables(engine, box, about)
    except BaseException:
        engine.dispose()
        if new:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{address}{suffix}").unlink(missing_ok=True)
        raise
    engine.dispose()
    return counts


def _fill_tables(engine: sql.Engine, box: zipfile.ZipFile, about: BackupInfo) -> dict[str, int]:
    if read_revision(engine):
        raise LudusError(
            f"{_display_url(engine)} is not empty; name an empty database",
            f"{_display_url(engine)} 中已有内容；请指定空数据库",
        )
    if about.revision == LATEST_REVISION:
        bring_up_to_date(engine)
    else:
        migrate(engine, about.revision)
    tables_then = sql.MetaData()
    tables_then.reflect(engine)
    counts = {}
    with engine.begin() as connection:
        for table in tables_then.sorted_tables:
            if table.name not in EXCLUDED_TABLES:
                counts[table.name] = _fill(connection, table, box)
        if counts != about.rows:
            odd = sorted(dict(counts.items() ^ about.rows.items()))
            raise DamagedBackup(f"the number of rows is not what its header says: {', '.join(odd)}")
        _fill_leases(connection, tables_then)
        if engine.dialect.name == "postgresql":
            _reset_sequences(connection, tables_then)
    bring_up_to_date(engine)
    return counts


def _display_url(engine: sql.Engine) -> str:
    return engine.url.render_as_string(hide_password=True)


def _fill(connection: sql.Connection, table: sql.Table, box: zipfile.ZipFile) -> int:
    """Restore the rows of a table; gives their number."""
    name = table.name
    kinds = {column.name: column.type for column in table.columns}
    empty = {column.name for column in table.columns if column.nullable}
    target = sql.table(name, *(sql.column(key, kind) for key, kind in kinds.items()))
    count = 0
    with _open_member(box, f"{name}.jsonl") as file:
        for rows in _iter_batches(_iter_lines(file, name), name):
            for row in rows:
                count += 1
                if not _fits_columns(row, kinds, empty):
                    raise DamagedBackup(f"row {count} of {name} does not fit the table")
                if key := _find_invalid_column(row, name):
                    raise DamagedBackup(
                        f"row {count} of {name} is invalid: {key} {str(row[key])[:60]!r}"
                    )
            try:
                connection.execute(sql.insert(target), rows)
            except exc.OperationalError:  # a failure of the database itself, such as a full disk
                raise
            except exc.StatementError as error:
                raise DamagedBackup(f"rows of {name}: {error.orig}") from None
    return count


def _fits_columns(row: dict[str, Any], kinds: dict[str, Any], empty: set[str]) -> bool:
    """Whether a row has the columns of a table and values of their types. SQLite itself would
    accept anything, and the server would fail on it later."""
    return row.keys() == kinds.keys() and all(
        key in empty if value is None else _has_type(kinds[key], value)
        for key, value in row.items()
        if not isinstance(kinds[key], sql.JSON)
    )


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


def _is_name(value: Any) -> bool:
    return re.fullmatch(site_settings.SAFE_NAME_PATTERN, str(value)) is not None


def _names_game(settings: Any) -> bool:
    return isinstance(settings, dict) and _is_name(settings.get("game", "none"))


COLUMN_CHECKS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "users": {"role": _one_of(*ROLES), "language": _one_of("", "en", "zh")},
    "tokens": {"scopes": lambda value: set(value.split()) <= set(SCOPES)},
    "bots": {"game": _is_name},
    "submissions": {"state": _one_of("waiting", "grading", "refused")},
    "gradings": {"part": _one_of(PUBLIC, HIDDEN)},
    "versions": {"state": _one_of(bots.CHECKING, bots.GOOD, bots.BAD)},
    "git_repositories": {"refs": lambda value: all(map(is_ref_name, value))},
    "git_remotes": {"host_kind": _one_of("github", "gitlab", "gitea")},
    "git_pushes": {"state": _one_of("waiting", "taken", "refused")},
    "events": {
        "game": _is_name,
        "kind": _one_of(LADDER, CHALLENGE, TEST, CONTEST),
        "state": _one_of(*STATES),
        "settings": _names_game,
    },
    "contests": {
        "game": _is_name,
        "kind": _one_of(LOCAL, LADDER, CHALLENGE, TEST, CONTEST, GRADING),
        "state": _one_of(*STATES),
        "settings": _names_game,
        "play_settings": lambda value: value is None or _names_game(value),
    },
}
"""Values that the server itself writes into some columns whose types allow more, so that an edited
backup cannot bring an unknown role or a path in place of a name. ``events`` and ``settings`` are
tables of backups from before revision 0006; ``settings`` is called ``site_settings`` now."""


def _find_invalid_column(row: dict[str, Any], table: str) -> str:
    """The first column of a row with an invalid value; empty if there is none."""
    if table in ("settings", "site_settings") and site_settings.find_setting_error(
        row["key"], row["value"]
    ):
        return "value"
    checks = COLUMN_CHECKS.get(table, {}).items()
    return next((key for key, may in checks if key in row and not may(row[key])), "")


def _has_type(kind: Any, value: object) -> bool:
    allowed = (float, int) if kind.python_type is float else (kind.python_type,)
    return type(value) in allowed


def _iter_lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    while line := file.readline(MAX_ROW_BYTES + 1):
        if len(line) > MAX_ROW_BYTES:
            raise DamagedBackup(f"a row of {name} has more than {MAX_ROW_BYTES >> 20} MB")
        yield line


def _iter_batches(lines: Iterable[bytes], name: str) -> Iterator[list[dict[str, Any]]]:
    """Rows to insert together, limited in number and size."""
    waiting: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        row = msgspec.json.decode(line)
        if not isinstance(row, dict):
            raise DamagedBackup(f"a row of {name} is not an object")
        waiting.append(_decode_row(row))
        size += len(line)
        if len(waiting) == ROWS_PER_BATCH or size > MAX_BATCH_BYTES:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def _decode_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: base64.b64decode(value["base64"], validate=True)
        if isinstance(value, dict) and value.keys() == {"base64"}
        else value
        for key, value in row.items()
    }


def _fill_leases(connection: sql.Connection, then: sql.MetaData) -> None:
    """Create an unheld lease for every contest."""
    leases = Base.metadata.tables["leases"]
    ids = connection.execute(sql.select(then.tables["contests"].c.id)).scalars().all()
    rows = [{"contest_id": id, "holder": "", "beat": 0, "place": {}} for id in ids]
    if rows:
        connection.execute(sql.insert(leases), rows)


def _reset_sequences(connection: sql.Connection, then: sql.MetaData) -> None:
    """Let PostgreSQL continue its sequences after the restored rows."""
    for table in then.sorted_tables:
        column = table.columns.get("id")
        if column is not None and isinstance(column.type, sql.Integer):
            connection.execute(
                sql.text(
                    f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'),"
                    f" (SELECT coalesce(max(id), 1) FROM {table.name}))"
                )
            )
