"""Creates and migrates databases, both those of servers and those of single contests.

A new database is created with the current tables. An old one runs the migrations that it lacks in
one transaction: if the process is killed, the database is unchanged, and if two processes start at
once, the second one waits and finds nothing left to do.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import sqlalchemy as sql

from ludus.errors import LudusError
from ludus.scheduling.database import DatabaseDamaged, connect, translate_database_errors
from ludus.scheduling.schema import Base

LATEST_REVISION = "0017"
"""The newest migration."""
FIRST_REVISION = "0001"
"""The revision of contest files that were written before there were migrations."""
VERSION_TABLE = "alembic_version"
LOCK_KEY = 0x1D05
"""The advisory lock by which PostgreSQL serialises migrations."""


def open_database(address: str) -> sql.Engine:
    """Connect to a database and bring it up to date."""
    engine = connect(address)
    with translate_database_errors():
        bring_up_to_date(engine)
    return engine


def bring_up_to_date(engine: sql.Engine) -> None:
    """Create the tables of an empty database; migrate an old one."""
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
    """The revision of a database; empty if it has no tables of Ludus."""
    with engine.connect() as connection:
        return _read_revision(connection)


def migrate(engine: sql.Engine, to: str = "head") -> None:
    """Run the missing migrations up to ``to``; an empty database starts with the first one."""
    with _exclusive(engine) as connection:
        _upgrade(connection, _read_revision(connection), to)


def _read_revision(connection: sql.Connection) -> str:
    names = sql.inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        version = connection.execute(sql.text(f"SELECT version_num FROM {VERSION_TABLE}"))
        return str(version.scalar() or "")
    return FIRST_REVISION if "contests" in names else ""


def _stamp(connection: sql.Connection) -> None:
    """Write the revision as Alembic would, but without importing it, which is slow."""
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
            f"this database was written by another version of Ludus: {error}",
            f"该数据库由其他版本的 Ludus 写成：{error}",
        ) from None


@contextlib.contextmanager
def _exclusive(engine: sql.Engine) -> Iterator[sql.Connection]:
    """A transaction in which only this process may change tables.

    Migrations replace tables one after the other, so foreign keys are violated on the way. For
    SQLite they are switched off and checked at the end. Its driver starts transactions only before
    it writes rows, so this one is started explicitly: otherwise every CREATE and DROP would be
    committed on its own.
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
