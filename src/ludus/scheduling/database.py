"""Connections to databases: SQLite files or PostgreSQL."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event, exc

from ludus.errors import LudusError
from ludus.lang import encode_text
from ludus.os_errors import describe_os_error
from ludus.packages import add_command

BUSY_TIMEOUT_S = 20.0
"""How long SQLite waits for the transaction of another connection."""
POOL_CONNECTIONS = 20
"""Connections that are kept open; opening one costs more than a query."""


class DatabaseUnavailable(LudusError):
    """The database cannot be used now, but perhaps later. No transaction was written in part."""

    code = "database_unavailable"


class DatabaseDamaged(DatabaseUnavailable):
    """The database file is damaged; retrying does not help."""

    code = "database_damaged"


DAMAGE_ERROR_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _encode_json(value: Any) -> str:
    """As SQLAlchemy does by itself, but texts are objects too."""
    return json.dumps(value, default=encode_text)


def connect(url: str) -> sql.Engine:
    """Connect to a database by its address; a path means a SQLite file."""
    if "://" not in url:
        url = f"sqlite:///{Path(url).absolute()}"
    if url.startswith(("postgres://", "postgresql://")):
        url = "postgresql+psycopg://" + url.partition("://")[2]
    try:
        engine = sql.create_engine(
            url,
            pool_pre_ping=True,
            pool_size=POOL_CONNECTIONS,
            connect_args=_connect_args(url),
            json_serializer=_encode_json,
        )
    except (exc.ArgumentError, ModuleNotFoundError) as error:
        raise LudusError(
            f"{_hide_password(url)} is not a database that Ludus can use: {error}."
            f" For PostgreSQL: {add_command('[postgres]')}",
            f"{_hide_password(url)} 不是 Ludus 能使用的数据库：{error}。"
            f"PostgreSQL 需要：{add_command('[postgres]')}",
        ) from None
    if engine.dialect.name == "sqlite":
        _make_private(engine.url.database)
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _make_private(file: str | None) -> None:
    """Create a new file with mode 0600; SQLite gives its side files the same mode."""
    if file and file != ":memory:" and not file.startswith("file:"):
        with contextlib.suppress(OSError):  # SQLite will report the problem
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _connect_args(url: str) -> dict[str, Any]:
    return {"timeout": BUSY_TIMEOUT_S} if url.startswith("sqlite") else {"connect_timeout": 10}


def _hide_password(url: str) -> str:
    """An address without its password."""
    with contextlib.suppress(exc.ArgumentError):
        return sql.make_url(url).render_as_string(hide_password=True)
    return "this address"


def _prepare_sqlite(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def describe_database(engine: sql.Engine) -> str:
    """The file or the address of a database, without its password."""
    url = engine.url
    return url.database or "" if engine.dialect.name == "sqlite" else _hide_password(str(url))


@contextlib.contextmanager
def translate_database_errors() -> Iterator[None]:
    """Turn database exceptions into ``DatabaseUnavailable`` or ``DatabaseDamaged``."""
    try:
        yield
    except exc.DBAPIError as error:
        message = str(error.orig).strip().splitlines()[0] if error.orig else str(error)
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        if isinstance(error.orig, sqlite3.Error) and code in DAMAGE_ERROR_CODES:
            raise DatabaseDamaged(
                f"the database is damaged ({message}); stop the server, move the file away and"
                " restore a backup with ludus restore",
                f"数据库已损坏（{message}）；请停止服务器，移开该文件，并用 ludus restore 恢复备份",
            ) from error
        raise DatabaseUnavailable(
            f"the database cannot be used now: {message}", f"数据库暂时无法使用：{message}"
        ) from error
    except json.JSONDecodeError as error:
        raise DatabaseDamaged(
            f"the database is damaged: a column that should hold JSON does not ({error})",
            f"数据库已损坏：应为 JSON 的一列不是 JSON（{error}）",
        ) from None
    except OSError as error:
        why = describe_os_error(error)
        raise DatabaseUnavailable(
            f"the database cannot be used now: {why.en}",
            f"数据库暂时无法使用：{why.zh}",
        ) from error
