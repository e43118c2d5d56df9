"""One lifecycle for all databases: a server's and the file of a single contest.

A new database is made with the tables of today. An old one runs through the migrations it lacks,
in one transaction: a process that is killed meanwhile leaves it as it was, and of two processes
that come at once the second waits and finds the work done.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.scheduling.database import DatabaseDamaged, connect, translate_database_errors
from ludus.scheduling.schema import Base

LATEST_REVISION = "0006"
"""The newest of the migrations."""
FIRST_REVISION = "0001"
"""What a file of contests is at that was written before there were migrations."""
VERSION_TABLE = "alembic_version"
LOCK_KEY = 0x1D05
"""The number under which PostgreSQL keeps migrating processes apart."""


def open_database(address: str) -> sql.Engine:
    """A database that is up to date; an empty one gets its tables."""
    engine = connect(address)
    with translate_database_errors():
        bring_up_to_date(engine)
    return engine


def bring_up_to_date(engine: sql.Engine) -> None:
    """Give an empty database its tables, and an old one what it lacks."""
    if read_revision(engine) == LATEST_REVISION:
        return
    with _exclusive(engine) as connection:
        match _read_revision(connection):
            case "":
                Base.metadata.create_all(connection)
                _stamp(connection)
            case revision if revision != LATEST_REVISION:
                _upgrade(connection, revision, "head")


def read_revision(engine: sql.Engine) -> str:
    """Which migration a database has come to; empty if it has none of our tables."""
    with engine.connect() as connection:
        return _read_revision(connection)


def migrate(engine: sql.Engine, to: str = "head") -> None:
    """Run the migrations that a database lacks up to one of them, from none if it is empty."""
    with _exclusive(engine) as connection:
        _upgrade(connection, _read_revision(connection), to)


def _read_revision(connection: sql.Connection) -> str:
    names = sql.inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        found = connection.execute(sql.text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return str(found.scalar() or "")
    return FIRST_REVISION if "contests" in names else ""


def _stamp(connection: sql.Connection) -> None:
    """As Alembic would, without the time that it takes to import it."""
    connection.execute(
        sql.text(
            f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL,"
            f" CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(
        sql.text(f"INSERT INTO {VERSION_TABLE} VALUES (:at)"), {"at": LATEST_REVISION}
    )


def _upgrade(connection: sql.Connection, revision: str, to: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", "ludus.scheduling:migrations")
    config.attributes["connection"] = connection
    try:
        if revision == FIRST_REVISION:
            command.stamp(config, FIRST_REVISION)
        command.upgrade(config, to)
    except CommandError as error:
        raise LudusError(
            f"this database was written by another Ludus: {error}",
            f"该数据库由其他版本的 Ludus 写成：{error}",
        ) from None


@contextlib.contextmanager
def _exclusive(engine: sql.Engine) -> Iterator[sql.Connection]:
    """A transaction in which this process alone changes tables, all of it or nothing.

    SQLite checks foreign keys at its end and not on the way: tables are made anew one after the
    other. Its driver begins transactions only before it writes rows, so that this one is begun by
    hand: else every CREATE and DROP would be committed by itself.
    """
    with engine.connect() as connection:
        if engine.dialect.name != "sqlite":
            with connection.begin():
                connection.execute(
                    sql.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY}
                )
                yield connection
            return
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            _refuse_dangling_rows(connection)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
        finally:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            connection.commit()


def _refuse_dangling_rows(connection: sql.Connection) -> None:
    wrong = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if wrong is not None:
        raise DatabaseDamaged(
            f"the database is damaged: a row of {wrong[0]} refers to nothing in {wrong[2]}",
            f"数据库已损坏：{wrong[0]} 的一行指向 {wrong[2]} 中不存在的行",
        )
