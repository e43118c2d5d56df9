"""The club's database: opened, brought up to date, read and written."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy import exc
from sqlalchemy.orm import Session

from ludus.errors import LudusError
from ludus.home import make_private
from ludus.scheduling.database import DatabaseDamaged, connect, translate_database_errors
from ludus.server.web.errors import Conflict, NotFound

LATEST_REVISION = "0005"
"""The newest of the migrations."""
CONTESTS_ONLY_REVISION = "0001"
"""That of a database of contests alone, from before there were clubs."""
REVISION_TABLE = "alembic_version"
"""Where Alembic keeps the revision of a database."""


class Database:
    """A SQLite file or a PostgreSQL database, made when it is first needed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._engine: sql.Engine | None = None
        self._lock = threading.Lock()
        self.damage: DatabaseDamaged | None = None
        """Set once the file was found damaged, for as long as this process lives."""

    def exists(self) -> bool:
        """Whether anything can be in it yet."""
        if self._engine is not None or "://" in self.address:
            return True
        return Path(self.address).exists()

    def check_usable(self) -> None:
        """Raise StoreTrouble if it cannot be opened or, where it is not there yet, be made."""
        if self.exists():
            with self.reading():
                return
        folder = Path(self.address).absolute().parent
        with translate_database_errors():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass

    @property
    def engine(self) -> sql.Engine:
        with self._lock:
            if self._engine is None:
                self._engine = self._opened()
            return self._engine

    def _opened(self) -> sql.Engine:
        if "://" not in self.address:
            make_private(Path(self.address).parent)
        engine = connect(self.address)
        with translate_database_errors():
            if (found := read_revision(engine)) != LATEST_REVISION:
                migrate(engine, found)
        return engine

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        with (
            self._remember_damage(),
            translate_database_errors(),
            convert_range_errors(),
            Session(self.engine) as session,
        ):
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: all of it or nothing, and nobody else writes meanwhile in SQLite."""
        with self._remember_damage(), translate_database_errors():
            engine = self.engine
        transaction = Session(engine, expire_on_commit=False)
        with (
            self._remember_damage(),
            translate_database_errors(),
            convert_range_errors(),
            transaction as session,
        ):
            try:
                if engine.dialect.name == "sqlite":
                    session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                yield session
                session.commit()
            except exc.IntegrityError:
                session.rollback()
                raise Conflict(
                    "somebody was faster: that is there already", "已存在：有人抢先一步"
                ) from None
            except BaseException:
                session.rollback()
                raise

    @contextlib.contextmanager
    def _remember_damage(self) -> Iterator[None]:
        """Remember that the file turned out to be damaged, wherever that was seen."""
        try:
            yield
        except DatabaseDamaged as damage:
            self.damage = damage
            raise

    def check_integrity(self) -> None:
        """Let SQLite look through the whole file; raises StoreDamage. PostgreSQL does so itself."""
        with self.reading() as session:
            connection = session.connection()
            if connection.dialect.name != "sqlite":
                return
            said = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if said != "ok":
            self.damage = DatabaseDamaged(
                f"the database is damaged ({said}); restore a backup with ludus restore",
                f"数据库已损坏（{said}）；请用 ludus restore 恢复备份",
            )
            raise self.damage

    def close(self) -> None:
        if self._engine is not None:
            self._engine.dispose()


@contextlib.contextmanager
def convert_range_errors() -> Iterator[None]:
    """A number or a word that no database can hold is that of nothing."""
    try:
        yield
    except (OverflowError, exc.DataError):
        raise NotFound("there is no such thing", "没有这样的内容") from None


def read_revision(engine: sql.Engine) -> str:
    """Which migration a database has come to; empty if it is empty."""
    with engine.connect() as connection:
        names = sql.inspect(connection).get_table_names()
        if REVISION_TABLE in names:
            found = connection.execute(sql.text(f"SELECT version_num FROM {REVISION_TABLE}"))
            return str(found.scalar() or "")
        return CONTESTS_ONLY_REVISION if "contests" in names else ""


def _create_tables(engine: sql.Engine) -> None:
    """Make the tables of today in an empty database.

    All migrations together would make the same, but take five times as long, and everybody's first
    start waits for it.
    """
    from ludus.scheduling.schema import Base
    from ludus.server import tables  # noqa: F401  (their metadata)

    revisions = sql.Table(
        REVISION_TABLE,
        sql.MetaData(),
        sql.Column("version_num", sql.String(32), primary_key=True),
    )
    with engine.begin() as connection:
        Base.metadata.create_all(connection)
        revisions.create(connection)
        connection.execute(revisions.insert().values(version_num=LATEST_REVISION))


def migrate(engine: sql.Engine, found: str, to: str = LATEST_REVISION) -> None:
    """Bring a database from a revision, empty for an empty database, to another."""
    if not found and to == LATEST_REVISION:
        _create_tables(engine)
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", "ludus.server:migrations")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            if found == CONTESTS_ONLY_REVISION:
                command.stamp(config, CONTESTS_ONLY_REVISION)
            command.upgrade(config, to)
        except CommandError as error:
            raise LudusError(
                f"this database was written by another Ludus: {error}",
                f"该数据库由其他版本的 Ludus 写成：{error}",
            ) from None
